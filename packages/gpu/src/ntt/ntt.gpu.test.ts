import { FR_GENERATOR, FR_MODULUS, frMul, frRootOfUnity } from '@cuzk/core/field/fr';
import { reverseBits } from '@cuzk/core/poly/reverse-bits';
import { FFT, rootsOfUnity } from '@noble/curves/abstract/fft.js';
import { Field } from '@noble/curves/abstract/modular.js';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { FieldVariants } from '../device/context.ts';
import type { OpenedDevice } from '../device/device.ts';
import { paceCommands } from '../device/paced-commands.ts';
import { downloadFr, giveFrVector, takeFrVector, uploadFr } from '../field/fr-vector.ts';
import { elementBytes, elementValues, seededElements } from '../testing/fr-values.ts';
import { openTestDevice } from '../testing/software-device.ts';
import { type Ntt, openNtt } from './ntt.ts';
import type { NttPlanOptions } from './ntt-plan.ts';

const r = FR_MODULUS;
const Fr = Field(r);
const noble = FFT(rootsOfUnity(Fr, FR_GENERATOR), Fr);
const permuted = (values: readonly bigint[], logN: number): bigint[] =>
  values.map((_, i) => values[reverseBits(i, logN)]);
const scaled = (values: readonly bigint[], factor: bigint, base: bigint): bigint[] => {
  let power = factor;
  return values.map((value) => {
    const out = frMul(value, power);
    power = frMul(power, base);
    return out;
  });
};

interface Form {
  readonly title: string;
  readonly variants?: FieldVariants;
  readonly options: Partial<NttPlanOptions>;
  readonly logs: readonly number[];
  readonly defaultLimits?: boolean;
  /** Kernels compile for long: what other forms show is left out. */
  readonly short?: boolean;
}

const forms: Form[] = [
  // from 2^13 and 2^15 on invocations of a software adapter take 4 and 16 blocks
  { title: 'plain', options: { form: 'plain' }, logs: [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 12, 13, 15] },
  {
    title: 'plain in 13-bit Karatsuba limbs',
    options: { form: 'plain' },
    variants: { fp: 'signed13', fr: 'karatsuba13' },
    logs: [1, 2, 5, 8, 12],
  },
  {
    title: 'plain, 64 elements a segment',
    options: { form: 'plain', segmentLength: 64 },
    logs: [6, 7, 8, 9, 10, 11],
  },
  { title: 'tiled', options: { form: 'tiled' }, logs: [12, 13, 16] },
  {
    title: 'tiled, odd outer passes',
    options: { form: 'tiled', levels: [5, 3, 7] },
    logs: [15],
    short: true,
  },
  {
    title: 'tiled, two-level boundary',
    options: { form: 'tiled', fullBoundary: false },
    logs: [12, 13],
    short: true,
  },
  {
    title: 'tiled in 13-bit Karatsuba limbs',
    options: { form: 'tiled' },
    variants: { fp: 'signed13', fr: 'karatsuba13' },
    logs: [13],
    short: true,
  },
  {
    title: 'tiled, 2^12 elements a segment, at the default limits',
    options: { form: 'tiled', segmentLength: 2 ** 12 },
    logs: [13, 14, 15],
    defaultLimits: true,
  },
];

describe.each(forms)('NTT $title', ({ variants, options, logs, defaultLimits, short }) => {
  let opened: OpenedDevice;
  beforeAll(async () => {
    opened = await openTestDevice({
      ...(variants === undefined ? {} : { variants }),
      ...(defaultLimits === undefined ? {} : { defaultLimits }),
    });
  });
  afterAll(() => {
    opened.close();
  });

  const transform = async (
    ntt: Ntt,
    values: readonly bigint[],
    run: (
      ntt: Ntt,
      vector: ReturnType<typeof takeFrVector>,
      paced: ReturnType<typeof paceCommands>,
    ) => Promise<void>,
  ): Promise<bigint[]> => {
    const { context } = opened;
    const vector = takeFrVector(
      context,
      'evaluations',
      values.length,
      'test',
      2 ** ntt.plan.logSegment,
    );
    uploadFr(context, vector, elementBytes(values));
    const paced = paceCommands(context, 'ntt');
    await run(ntt, vector, paced);
    await paced.finish();
    const out = elementValues(await downloadFr(context, vector));
    giveFrVector(context, vector);
    return out;
  };

  it.each(logs)(
    'agrees with a plain transform of 2^%i in both orders and directions',
    async (logN) => {
      const n = 2 ** logN;
      const ntt = await openNtt(opened.context, logN, options);
      const values = elementValues(seededElements(logN + 7, n));
      values[0] = r - 1n;
      values[n - 1] = 0n;
      const forward = noble.direct([...values]);
      const inverseUnscaled = noble.inverse([...values]).map((value) => frMul(value, BigInt(n)));
      const natural: [bigint[], bigint[]][] = [
        [
          await transform(ntt, values, (t, v, p) => t.dif(p, v, 'forward')),
          permuted(forward, logN),
        ],
        [
          await transform(ntt, values, (t, v, p) => t.dif(p, v, 'inverse')),
          permuted(inverseUnscaled, logN),
        ],
        [
          await transform(ntt, permuted(values, logN), (t, v, p) => t.dit(p, v, 'forward')),
          forward,
        ],
        [
          await transform(ntt, permuted(values, logN), (t, v, p) => t.dit(p, v, 'inverse')),
          inverseUnscaled,
        ],
      ];
      for (const [found, expected] of natural) expect(found).toEqual(expected);
      ntt.close();
    },
  );

  it('evaluates on the coset of a root of order 2n, and comes back, without leaving its own form', async () => {
    const logN = logs[logs.length - 1];
    const n = 2 ** logN;
    const g = frRootOfUnity(logN + 1);
    const ntt = await openNtt(opened.context, logN, options);
    const values = elementValues(seededElements(logN, n));
    const onCoset = await transform(ntt, permuted(values, logN), (t, v, p) =>
      t.dit(p, v, 'forward', { coset: true }),
    );
    expect(onCoset).toEqual(noble.direct(scaled(values, 1n, g)));
    const back = await transform(ntt, onCoset, (t, v, p) =>
      t.dif(p, v, 'inverse', { coset: true }),
    );
    expect(permuted(back, logN)).toEqual(values.map((value) => frMul(value, BigInt(n))));
    const chained = await transform(ntt, values, async (t, v, p) => {
      await t.dif(p, v, 'inverse', { output: 'kept' });
      await t.dit(p, v, 'forward', { coset: true, input: 'kept', output: 'kept' });
      await t.dif(p, v, 'inverse', { coset: true, input: 'kept', output: 'kept' });
      await t.dit(p, v, 'forward', { input: 'kept' });
    });
    expect(chained).toEqual(values.map((value) => frMul(value, BigInt(n) * BigInt(n))));
    ntt.close();
  });

  it.skipIf(short)(
    'transforms edge vectors: all r − 1, one non-zero element, alternating ends',
    async () => {
      const logN = logs[Math.floor(logs.length / 2)];
      const n = 2 ** logN;
      const ntt = await openNtt(opened.context, logN, options);
      const edges = [
        Array<bigint>(n).fill(r - 1n),
        Array.from({ length: n }, (_, i) => (i === n - 1 ? 1n : 0n)),
        Array.from({ length: n }, (_, i) => (i % 2 === 0 ? 0n : r - 1n)),
        Array.from({ length: n }, (_, i) => (i % 3 === 0 ? r >> 1n : (r >> 1n) + 1n)),
        // both sides of one and of two words, which enter as they stand
        Array.from({ length: n }, (_, i) => [2n ** 63n - 1n, 2n ** 63n, 2n ** 64n, 7n][i % 4]),
      ];
      for (const values of edges) {
        const found = await transform(ntt, values, (t, v, p) => t.dif(p, v, 'forward'));
        expect(found).toEqual(permuted(noble.direct([...values]), logN));
      }
      ntt.close();
    },
  );

  it('leaks no buffer', () => {
    const inUse = Object.values(opened.context.buffers.bytesInUse);
    expect(inUse.every((bytes) => bytes === 0)).toBe(true);
  });
});
