import { developmentToxicWaste } from '@cuzk/core/groth16/development-waste';
import { evaluateQapAtTau } from '@cuzk/core/groth16/qap-at-tau';
import { matrixOf } from '@cuzk/core/groth16/testing/write-out';
import { frDomain } from '@cuzk/core/poly/domain';
import { lagrangeAt } from '@cuzk/core/poly/lagrange';
import { scalarBytes } from '@cuzk/core/poly/packed-scalars';
import { type CircuitShape, CLASS_DICTIONARY, CLASS_MINUS_ONE } from '@cuzk/core/r1cs/shape';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { FieldVariants } from '../device/context.ts';
import type { OpenedDevice } from '../device/device.ts';
import { downloadFr, giveFrVector } from '../field/fr-vector.ts';
import { elementValues } from '../testing/fr-values.ts';
import { makeSample, makeSmall } from '../testing/sample-circuits.ts';
import { openTestDevice } from '../testing/software-device.ts';
import { lagrangeOnDevice } from './lagrange.ts';
import { openQapOnDevice, type QapOptions } from './qap-on-device.ts';
import { readQapColumns } from './read-qap-columns.ts';

const { tau } = developmentToxicWaste();
const VARIANTS: FieldVariants[] = [
  { fp: 'signed24', fr: 'signed24' },
  { fp: 'signed13', fr: 'karatsuba13' },
];

describe.each(VARIANTS)('with $fr', (variants) => {
  let opened: OpenedDevice;
  beforeAll(async () => {
    opened = await openTestDevice({ variants });
  });
  afterAll(() => opened.close());

  const inUse = (): number =>
    Object.values(opened.context.buffers.bytesInUse).reduce((sum, bytes) => sum + bytes, 0);

  it.each([
    { logN: 0 },
    { logN: 1 },
    { logN: 7 },
    { logN: 10, segmentLength: 64 },
    { logN: 12, segmentLength: 2048 },
  ])('Lagrange values of 2^$logN rows are those of the host', async ({ logN, ...options }) => {
    const vector = await lagrangeOnDevice(opened.context, logN, tau, options);
    const values = elementValues(await downloadFr(opened.context, vector));
    expect(values).toEqual([...lagrangeAt(frDomain(logN), tau)]);
    giveFrVector(opened.context, vector);
    expect(inUse()).toBe(0);
  });

  it('refuses tau in the domain', async () => {
    const { omega } = frDomain(9);
    await expect(lagrangeOnDevice(opened.context, 9, omega)).rejects.toThrow(
      '[SETUP_FAILED] setup: tau lies in the domain',
    );
    await expect(lagrangeOnDevice(opened.context, 0, 1n)).rejects.toThrow('SETUP_FAILED');
  });

  /** All columns of all matrices, from both sides. */
  async function expectTwin(
    shape: CircuitShape,
    piece: number,
    options: QapOptions = {},
  ): Promise<void> {
    const { context } = opened;
    const plain = evaluateQapAtTau(shape, tau);
    const qap = await openQapOnDevice(context, shape, tau, options);
    expect(qap.columns).toBe(shape.inputs + shape.aux);
    for (const [matrix, values] of [
      ['a', plain.u],
      ['b', plain.v],
      ['c', plain.w],
    ] as const) {
      const found = await readQapColumns(context, qap, matrix, 0, qap.columns, piece);
      const equal = Buffer.from(scalarBytes(found)).equals(scalarBytes(values));
      expect(equal, `matrix ${matrix}`).toBe(true);
    }
    qap.close();
    expect(inUse()).toBe(0);
  }

  it.each([1, 2, 9])('columns of %i instances are those of the host', async (instances) => {
    await expectTwin(makeSample(instances, 7).shape, 1024);
  });

  it('columns do not depend on how work is cut', async () => {
    const { shape } = makeSample(11, 3);
    // L in many parts, columns in slices of two terms, one instance at a time, three terms in a binding
    await expectTwin(shape, 32, {
      segmentLength: 32,
      mostTerms: 2,
      mostPartials: 1,
      mostWords: 6,
    });
    await expectTwin(shape, 64, { segmentLength: 64, mostTerms: 3, mostPartials: 100 });
  });

  it('columns of a circuit without template are those of the host', async () => {
    await expectTwin(makeSmall('poseidon2').shape, 256, { segmentLength: 32, mostTerms: 16 });
  });
});

describe('long columns', () => {
  let opened: OpenedDevice;
  beforeAll(async () => {
    opened = await openTestDevice();
  });
  afterAll(() => opened.close());

  /** Two instances; ONE stands in every row, and so does an aux of each instance. */
  function longShape(rows: number): CircuitShape {
    const one = { instances: 1, rows: 1, inputs: 1, aux: 1 };
    const template = { instances: 2, rows, inputs: 1, aux: 3 };
    const kinds = [0, 5, CLASS_MINUS_ONE];
    const cells = (column: number) =>
      Array.from({ length: rows }, (_, row) => [
        [(1 << 23) | 0, kinds[row % 3]] as const,
        [column, CLASS_DICTIONARY, row % 2] as const,
      ]);
    const nothing = new Uint32Array(1);
    const densities = { elementBitmap: nothing, aDensity: nothing, bDensity: nothing };
    const single = matrixOf([[[1, 0]]]);
    return {
      circuitId: 'long',
      shapeDigest: '',
      inputs: 3,
      aux: 7,
      constraints: 1 + 2 * rows,
      dictionary: [123456789n, 2n ** 200n + 5n],
      bInputDensity: nothing,
      segments: [
        { ...one, ...densities, a: single, b: single, c: single },
        {
          ...template,
          ...densities,
          a: matrixOf(cells(1)),
          b: matrixOf(cells(3)),
          c: matrixOf(cells(0)),
        },
      ],
    };
  }

  it('are summed over several levels', async () => {
    const shape = longShape(5000);
    const { context } = opened;
    const plain = evaluateQapAtTau(shape, tau);
    for (const options of [{}, { mostTerms: 8, mostPartials: 700 }]) {
      const qap = await openQapOnDevice(context, shape, tau, options);
      const u = await readQapColumns(context, qap, 'a', 0, qap.columns, 32);
      const v = await readQapColumns(context, qap, 'b', 0, qap.columns, 32);
      const w = await readQapColumns(context, qap, 'c', 0, qap.columns, 32);
      expect({ u, v, w }).toEqual({ u: plain.u, v: plain.v, w: plain.w });
      qap.close();
    }
  });

  it('are refused where the partial sums of an instance do not fit', async () => {
    const traits = { ...opened.context.traits, maxBindingBytes: 2 ** 14 };
    const context = { ...opened.context, traits };
    const options = { mostTerms: 4, mostPartials: 1 };
    await expect(openQapOnDevice(context, longShape(5000), tau, options)).rejects.toThrow(
      RangeError,
    );
  });

  it('are cancelled between submits', async () => {
    const signal = AbortSignal.abort();
    await expect(
      openQapOnDevice(opened.context, longShape(50), tau, { signal }),
    ).rejects.toMatchObject({ code: 'CANCELLED' });
    expect(Object.values(opened.context.buffers.bytesInUse).every((bytes) => bytes === 0)).toBe(
      true,
    );
  });
});
