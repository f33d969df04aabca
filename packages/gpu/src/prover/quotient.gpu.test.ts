import { frInvert, frMul } from '@cuzk/core/field/fr';
import { frDomain } from '@cuzk/core/poly/domain';
import { quotientBySevenTransforms } from '@cuzk/core/poly/quotient';
import { reverseBits } from '@cuzk/core/poly/reverse-bits';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { BufferPool } from '../device/buffer-pool.ts';
import type { FieldVariants, GpuContext } from '../device/context.ts';
import type { OpenedDevice } from '../device/device.ts';
import { paceCommands } from '../device/paced-commands.ts';
import { downloadFr, type FrVector, giveFrVector, takeFrVector } from '../field/fr-vector.ts';
import type { NttPlanOptions } from '../ntt/ntt-plan.ts';
import { uploadShape } from '../r1cs/device-shape.ts';
import { uploadWitness } from '../r1cs/device-witness.ts';
import { evaluateRows } from '../r1cs/r1cs-eval.ts';
import { elementBytes, elementValues } from '../testing/fr-values.ts';
import { makeSample, makeSmall, sha256Hex } from '../testing/sample-circuits.ts';
import { openTestDevice } from '../testing/software-device.ts';
import { openQuotient } from './quotient.ts';

/** Elements of a vector in bit-reversed order, put in natural order. */
function natural(bytes: Uint8Array): Uint8Array {
  const n = bytes.length / 32;
  const logN = Math.log2(n);
  const out = new Uint8Array(bytes.length);
  for (let p = 0; p < n; p++) {
    out.set(bytes.subarray(32 * p, 32 * p + 32), 32 * reverseBits(p, logN));
  }
  return out;
}

const cases: { title: string; variants?: FieldVariants; options: Partial<NttPlanOptions> }[] = [
  { title: 'plain form', options: {} },
  { title: 'plain form, 128 elements a segment', options: { segmentLength: 128 } },
  { title: 'tiled form', options: { form: 'tiled' } },
  {
    title: 'tiled form, 2^14 elements a segment',
    options: { form: 'tiled', segmentLength: 2 ** 14 },
  },
  {
    title: 'plain form, 13-bit limbs',
    options: {},
    variants: { fp: 'signed13', fr: 'karatsuba13' },
  },
];

/** The pool of a context, with the buffers of evaluations in the order in which they are taken. */
function watchEvaluations({ buffers }: GpuContext): { pool: BufferPool; taken: GPUBuffer[] } {
  const taken: GPUBuffer[] = [];
  const take: BufferPool['take'] = (kind, sizeBytes, label) => {
    const buffer = buffers.take(kind, sizeBytes, label);
    if (kind === 'evaluations') taken.push(buffer);
    return buffer;
  };
  return { pool: { ...buffers, take }, taken };
}

describe.each(cases)('quotient, $title', ({ variants, options }) => {
  let opened: OpenedDevice;
  beforeAll(async () => {
    opened = await openTestDevice(variants === undefined ? {} : { variants });
  });
  afterAll(() => {
    const inUse = Object.values(opened.context.buffers.bytesInUse);
    opened.close();
    expect(inUse.every((bytes) => bytes === 0)).toBe(true);
  });

  it.each(['poseidon2', 'sha256-node'] as const)('has the golden stages of %s', async (name) => {
    if (name === 'sha256-node' && options.segmentLength === 128) return; // 512 segments prove nothing more
    const { context } = opened;
    const { shape, witness, golden } = makeSmall(name);
    const deviceShape = uploadShape(context, shape, { check: false });
    const deviceWitness = uploadWitness(context, deviceShape, witness);
    const { logN } = deviceShape;
    const n = 2 ** logN;
    expect(n).toBe(golden.intermediate.domain);
    const quotient = await openQuotient(context, logN, options);
    const { ntt } = quotient;
    const stages = golden.intermediate.stages;
    const overN = frInvert(BigInt(n));
    const paced = paceCommands(context, 'test');
    const coefficients = async (vector: FrVector): Promise<string> => {
      await paced.finish();
      const sums = elementValues(natural(await downloadFr(context, vector)));
      return sha256Hex(elementBytes(sums.map((value) => frMul(value, overN))));
    };
    for (const [what, letter] of [
      ['a', 'a'],
      ['b', 'b'],
      ['product', 'c'],
    ] as const) {
      const v = takeFrVector(context, 'evaluations', n, what, options.segmentLength);
      await evaluateRows(context, paced, deviceShape, deviceWitness, what, v);
      await ntt.dif(paced, v, 'inverse');
      expect(await coefficients(v)).toBe(stages[`${letter}_coefficients`].sha256);
      giveFrVector(context, v);
    }
    // the second run meets recycled buffers
    for (const order of ['bit-reversed', 'natural'] as const) {
      const { h, checked } = await quotient.compute(deviceShape, deviceWitness, { order });
      await checked;
      const downloaded = await downloadFr(context, h);
      const bytes = order === 'natural' ? downloaded : natural(downloaded);
      expect(sha256Hex(bytes.subarray(0, 32 * (n - 1)))).toBe(stages.h_coefficients.sha256);
      expect(bytes.subarray(32 * (n - 1)).every((byte) => byte === 0)).toBe(true);
      giveFrVector(context, h);
    }
    quotient.close();
    deviceWitness.close();
    deviceShape.close();
  });

  it.each(['bit-reversed', 'natural'] as const)(
    'leaves h in the vector that was taken first, in %s order',
    async (order) => {
      const { pool, taken } = watchEvaluations(opened.context);
      const context = { ...opened.context, buffers: pool };
      const { shape, witness } = makeSmall('poseidon2');
      const deviceShape = uploadShape(context, shape, { check: false });
      const deviceWitness = uploadWitness(context, deviceShape, witness);
      const quotient = await openQuotient(context, deviceShape.logN, options);
      const { h, checked } = await quotient.compute(deviceShape, deviceWitness, { order });
      await checked;
      expect(h.segments.every((segment, i) => segment === taken[i])).toBe(true);
      expect(taken).toHaveLength(2 * h.segments.length);
      for (const each of [quotient, deviceWitness, deviceShape]) each.close();
      giveFrVector(context, h);
    },
  );

  it('agrees with seven plain transforms on the sample circuit', async () => {
    const { context } = opened;
    for (const [instances, seed] of [
      [1, 1],
      [30, 6],
    ]) {
      const { shape, witness, reference } = makeSample(instances, seed);
      const deviceShape = uploadShape(context, shape, { check: false });
      const deviceWitness = uploadWitness(context, deviceShape, witness);
      const quotient = await openQuotient(context, deviceShape.logN, options);
      const { h, checked } = await quotient.compute(deviceShape, deviceWitness);
      await checked;
      const found = elementValues(natural(await downloadFr(context, h)));
      const { a, b, c } = reference.rows;
      const expected = quotientBySevenTransforms(a, b, c, frDomain(deviceShape.logN));
      expect(found.slice(0, -1)).toEqual(expected);
      expect(found.at(-1)).toBe(0n);
      giveFrVector(context, h);
      quotient.close();
      deviceWitness.close();
      deviceShape.close();
    }
  });

  it('stops between two submits when it is cancelled, and gives its vectors back', async () => {
    const { context } = opened;
    const { shape, witness } = makeSample(3, 1);
    const deviceShape = uploadShape(context, shape, { check: false });
    const deviceWitness = uploadWitness(context, deviceShape, witness);
    const quotient = await openQuotient(context, deviceShape.logN, options);
    const before = context.buffers.bytesInUse.evaluations;
    const abort = new AbortController();
    const running = quotient.compute(deviceShape, deviceWitness, { signal: abort.signal });
    abort.abort();
    await expect(running).rejects.toThrow('CANCELLED');
    expect(context.buffers.bytesInUse.evaluations).toBe(before);
    quotient.close();
    deviceWitness.close();
    deviceShape.close();
  });
});
