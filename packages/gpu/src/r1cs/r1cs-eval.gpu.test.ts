import { frMul, frToBytes } from '@cuzk/core/field/fr';
import { hasBit } from '@cuzk/core/r1cs/bitmap';
import type { CompactWitness } from '@cuzk/core/r1cs/compact-witness';
import { firstUnsatisfiedRow } from '@cuzk/core/r1cs/evaluate-shape';
import { domainRows } from '@cuzk/core/r1cs/shape';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { FieldVariants } from '../device/context.ts';
import type { OpenedDevice } from '../device/device.ts';
import { paceCommands } from '../device/paced-commands.ts';
import { downloadFr, giveFrVector, takeFrVector } from '../field/fr-vector.ts';
import { elementBytes } from '../testing/fr-values.ts';
import { type MadeCircuit, makeSample, makeSmall, sha256Hex } from '../testing/sample-circuits.ts';
import { openTestDevice } from '../testing/software-device.ts';
import { uploadShape } from './device-shape.ts';
import { uploadWitness } from './device-witness.ts';
import { countUnsatisfiedRows, evaluateRows, type RowValues } from './r1cs-eval.ts';

const variants: FieldVariants[] = [
  { fp: 'signed24', fr: 'signed24' },
  { fp: 'signed13', fr: 'karatsuba13' },
];

describe.each(variants)('row evaluation with $fr', (chosen) => {
  let opened: OpenedDevice;
  beforeAll(async () => {
    opened = await openTestDevice({ variants: chosen, defaultLimits: true });
  });
  afterAll(() => {
    const inUse = Object.values(opened.context.buffers.bytesInUse);
    opened.close();
    expect(inUse.every((bytes) => bytes === 0)).toBe(true);
  });

  const evaluate = async (
    { shape, witness }: MadeCircuit,
    what: RowValues,
    segmentLength?: number,
    options: { check: boolean; chunkWords?: number } = { check: false },
  ): Promise<Uint8Array> => {
    const { context } = opened;
    const deviceShape = uploadShape(context, shape, options);
    const deviceWitness = uploadWitness(context, deviceShape, witness);
    const out = takeFrVector(context, 'evaluations', 2 ** deviceShape.logN, 'rows', segmentLength);
    // stale contents, as after an earlier proof
    for (const segment of out.segments) {
      context.device.queue.writeBuffer(segment, 0, new Uint8Array(segment.size).fill(0x5a));
    }
    const paced = paceCommands(context, 'r1cs_eval');
    await evaluateRows(context, paced, deviceShape, deviceWitness, what, out);
    await paced.finish();
    const bytes = await downloadFr(context, out);
    giveFrVector(context, out);
    deviceWitness.close();
    deviceShape.close();
    return bytes;
  };

  const check = async ({ shape }: MadeCircuit, witness: CompactWitness) => {
    const { context } = opened;
    const deviceShape = uploadShape(context, shape, { check: true });
    const deviceWitness = uploadWitness(context, deviceShape, witness);
    const result = await countUnsatisfiedRows(context, deviceShape, deviceWitness);
    deviceWitness.close();
    deviceShape.close();
    return result;
  };

  it.each([1, 2, 5, 6])(
    'gives the rows of the sample circuit with seed %i, over any segments',
    async (seed) => {
      const made = makeSample(7, seed);
      const rows = domainRows(made.shape);
      const { a, b } = made.reference.rows;
      const expected: [RowValues, readonly bigint[]][] = [
        ['a', a],
        ['b', b],
        ['product', a.map((value, i) => frMul(value, b[i]))],
      ];
      for (const [what, values] of expected) {
        for (const segmentLength of [8, 16, undefined]) {
          for (const withC of [false, true]) {
            const bytes = await evaluate(made, what, segmentLength, { check: withC });
            expect(values.length).toBe(rows);
            expect(bytes.subarray(0, 32 * rows)).toEqual(elementBytes(values));
            expect(bytes.subarray(32 * rows).every((byte) => byte === 0)).toBe(true);
          }
        }
      }
    },
  );

  it.each(['poseidon2', 'sha256-node'] as const)('gives the golden rows of %s', async (name) => {
    const made = makeSmall(name);
    const rows = domainRows(made.shape);
    for (const [what, matrix] of [
      ['a', 'a'],
      ['b', 'b'],
      ['product', 'c'],
    ] as const) {
      const { count, sha256 } = made.golden.row_values[matrix];
      expect(count).toBe(rows);
      const bytes = await evaluate(made, what);
      expect(sha256Hex(bytes.subarray(0, 32 * rows))).toBe(sha256);
      const cut = await evaluate(made, what, 2 ** 14, { check: true, chunkWords: 2 ** 15 });
      expect(cut).toEqual(bytes);
    }
    expect(await check(made, made.witness)).toEqual({ count: 0, first: undefined });
  });

  it('counts the rows that a wrong bit breaks and names the first one', async () => {
    const made = makeSmall('sha256-node');
    const { elementBitmap } = made.shape.segments[0];
    let broken = 0;
    for (let k = 300; k < made.shape.aux; k += 9001) {
      if (hasBit(elementBitmap, k)) continue;
      const bitPlane = made.witness.bitPlane.slice();
      bitPlane[k >>> 5] ^= 1 << (k & 31);
      const witness = { ...made.witness, bitPlane };
      const { count, first } = await check(made, witness);
      expect(count).toBeGreaterThan(0);
      expect(first).toBe(firstUnsatisfiedRow(made.shape, witness)?.row);
      broken++;
    }
    expect(broken).toBeGreaterThan(2);
  });

  it('counts the rows that a wrong element or input breaks', async () => {
    const made = makeSample(5, 2);
    const elements = made.witness.elements.slice();
    elements[8 * 7] ^= 1; // `own` of instance 2
    const wrongElement = { ...made.witness, elements };
    const inputs = made.witness.inputs.slice();
    inputs.set(frToBytes(12345n), 32 * 3);
    const wrongInput = { ...made.witness, inputs };
    for (const witness of [wrongElement, wrongInput]) {
      const { count, first } = await check(made, witness);
      expect(count).toBeGreaterThan(0);
      expect(first).toBe(firstUnsatisfiedRow(made.shape, witness)?.row);
    }
  });

  it('refuses a witness of another circuit and a check without c', async () => {
    const { context } = opened;
    const made = makeSample(2, 1);
    const deviceShape = uploadShape(context, made.shape, { check: false });
    expect(() => uploadWitness(context, deviceShape, makeSample(3, 1).witness)).toThrow(
      'WITNESS_MALFORMED',
    );
    const deviceWitness = uploadWitness(context, deviceShape, made.witness);
    await expect(countUnsatisfiedRows(context, deviceShape, deviceWitness)).rejects.toThrow(
      TypeError,
    );
    deviceWitness.close();
    deviceShape.close();
  });
});
