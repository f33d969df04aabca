import { invertMod, mod } from '@cuzk/core/field/modular';
import { describe, expect, it } from 'vitest';
import { openCommands, readBuffer } from '../device/commands.ts';
import { FP_VARIANTS, readElement, writeWords } from '../field/field-variants.ts';
import { seededWords } from '../field/seeded-words.ts';
import { uploadTestWords } from '../testing/curve-points.ts';
import { openTestDevice } from '../testing/software-device.ts';
import { inverseConstants } from './pair-tree-kernels.ts';

const WORDS = 12;

describe.each(['signed24', 'signed13'] as const)('inversion of %s elements', (fp) => {
  it('is the Montgomery form of the inverse, for stored values of both signs', async () => {
    const device = await openTestDevice({ variants: { fp, fr: 'signed24' } });
    const { context } = device;
    const { modulus: p, montgomeryR } = FP_VARIANTS[fp];
    const words = seededWords(17);
    const random = (): bigint => {
      let value = 0n;
      for (let i = 0; i < WORDS; i++) value = (value << 32n) | BigInt(words());
      return (value % (2n * p)) - p;
    };
    const values = [
      ...[1n, 2n, 3n, p - 1n, p - 2n, (p - 1n) / 2n, (p + 1n) / 2n, montgomeryR % p],
      ...[-1n, -2n, 1n - p, -(p - 1n) / 2n],
      ...Array.from({ length: 380 }, (_, k) => 1n << BigInt(k)),
      ...Array.from({ length: 380 }, (_, k) => 1n - (1n << BigInt(k + 1))),
      ...Array.from({ length: 1500 }, random),
    ].filter((value) => mod(value, p) !== 0n);
    const stored = new Uint32Array(values.length * WORDS);
    values.forEach((value, i) => {
      writeWords(stored, i * WORDS, WORDS, value);
    });
    const kernel = await context.kernels.get({
      file: 'curve/probe-inverse.wgsl',
      bindings: 'rwu',
      workgroupSize: 64,
      constants: inverseConstants(context),
    });
    const out = context.buffers.take('scratch', stored.byteLength, 'inverses');
    const commands = openCommands(context);
    commands.dispatch(
      kernel,
      [uploadTestWords(context, stored), out],
      Math.ceil(values.length / 64),
      [values.length],
    );
    await commands.submit('test');
    const inverses = new Uint32Array(await readBuffer(context, out, 0, stored.byteLength));
    values.forEach((value, i) => {
      // the value stands for x = value/R, so the result is R/x
      const expected = mod(invertMod(value, p) * montgomeryR * montgomeryR, p);
      expect(readElement(FP_VARIANTS[fp], inverses, i * WORDS), `value ${value}`).toBe(expected);
    });
    device.close();
  });
});
