import { expect, it } from 'vitest';
import { adapterAdvice } from './adapter-advice.ts';

const wide = { fp: 'signed24', fr: 'signed24' } as const;
const llvmpipe = (mesa: string) => ({
  software: true,
  description: `llvmpipe-llvm-15-0-6-256-bits- OpenGL version OpenGL ES 3.2 Mesa ${mesa}`,
  variants: wide,
});

it('names the version of Mesa that is faster, on a software adapter with an older one', () => {
  expect(adapterAdvice(llvmpipe('22.3.6'))).toEqual([expect.stringContaining('Mesa 26')]);
  expect(adapterAdvice(llvmpipe('25.0.7-2~bpo12+1'))).toHaveLength(1);
  expect(adapterAdvice(llvmpipe('26.1.6-1'))).toEqual([]);
  expect(adapterAdvice({ ...llvmpipe('22.3.6'), software: false })).toEqual([]);
});

it('says that a driver multiplies wrongly in the faster forms', () => {
  const nvidia = { software: false, description: 'nvidia NVIDIA: 580.159.04' };
  expect(adapterAdvice({ ...nvidia, variants: wide })).toEqual([]);
  const integer = { fp: 'signed13', fr: 'karatsuba13' } as const;
  expect(adapterAdvice({ ...nvidia, variants: integer })).toEqual([
    expect.stringContaining('13-bit'),
  ]);
});
