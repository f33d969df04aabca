import { describe, expect, it } from 'vitest';
import { hasWideVectors, isNewMesa } from './wide-vectors.ts';

describe('vectors of 512 bits', () => {
  it('are there where the processor lists all parts of AVX-512 that are needed', () => {
    const processor = (flags: string): string => `processor\t: 0\nflags\t\t: fpu ${flags} aes\n`;
    expect(hasWideVectors(processor('avx512f avx512bw avx512dq avx512vl'))).toBe(true);
    expect(hasWideVectors(processor('avx512f avx512bw avx512dq'))).toBe(false);
    expect(hasWideVectors(processor('avx2 avx512fp16'))).toBe(false);
    expect(hasWideVectors('')).toBe(false);
  });

  it('are worth it with Mesa 26 and no older one beside it', () => {
    expect(isNewMesa(['libEGL.so.1', 'libgallium-26.1.6-1.so'])).toBe(true);
    expect(isNewMesa(['libgallium-100.0.0.so'])).toBe(true);
    expect(isNewMesa(['libgallium-25.0.7-2~bpo12+1.so'])).toBe(false);
    expect(isNewMesa(['libgallium-26.1.6-1.so', 'libgallium-25.0.7.so'])).toBe(false);
    // Mesa before 24.2 has no such library
    expect(isNewMesa(['libEGL_mesa.so.0', 'swrast_dri.so'])).toBe(false);
  });
});
