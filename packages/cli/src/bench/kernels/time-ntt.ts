import { bigintFromLe } from '@cuzk/core/bytes';
import { frInvert, frMul, frPow, frSub } from '@cuzk/core/field/fr';
import { frDomain } from '@cuzk/core/poly/domain';
import { reverseBits } from '@cuzk/core/poly/reverse-bits';
import type { GpuContext } from '@cuzk/gpu/device/context';
import { paceCommands } from '@cuzk/gpu/device/paced-commands';
import {
  downloadFr,
  type FrVector,
  giveFrVector,
  segmentRanges,
  takeFrVector,
} from '@cuzk/gpu/field/fr-vector';
import { type Ntt, openNtt } from '@cuzk/gpu/ntt/ntt';
import { openPowers } from '@cuzk/gpu/ntt/powers';
import { type Ceilings, fourDigits, type KernelResult } from './kernel-result.ts';
import { createWords } from './random-words.ts';
import { secondsOf, timeWork } from './time-work.ts';

const REPEATS = 9;
/** Elements transformed in one call at least: short transforms repeat within a submit. */
const CALL_LOG = { software: 0, hardware: 26 };
/** Values compared, both ends among them. */
const SAMPLES = 16;
const SEED = 22;
const ELEMENT_BYTES = 32;
/** As between two transforms of a proof. */
const KEPT = { input: 'kept', output: 'kept' } as const;

/**
 * Transforms by size, natural to bit-reversed order. The input holds the powers a^i of a random a, so that value k of
 * its transform is (a^n − 1)/(a·w^k − 1): values at random places are compared with it, there and, after the transform
 * back, with n·a^i.
 */
export async function timeNtts(
  context: GpuContext,
  ceilings: Ceilings,
  logSizes: readonly number[],
  onResult: (result: KernelResult) => void,
): Promise<void> {
  const ntts = await openAll(context, logSizes);
  try {
    for (const ntt of ntts) onResult(await timeOne(context, ceilings, ntt));
  } finally {
    for (const ntt of ntts) ntt.close();
    context.buffers.trim();
  }
}

/** Transforms of all sizes, their kernels compiled side by side. */
async function openAll(context: GpuContext, logSizes: readonly number[]): Promise<Ntt[]> {
  const ntts = await Promise.all(logSizes.map((logN) => openNtt(context, logN)));
  const paced = paceCommands(context, 'ntt tables');
  await Promise.all(
    ntts.flatMap((ntt) => [
      ntt.prepare('dif', paced, 'forward', KEPT),
      ntt.prepare('dif', paced, 'forward'),
      ntt.prepare('dit', paced, 'inverse'),
    ]),
  );
  await paced.finish();
  return ntts;
}

async function timeOne(context: GpuContext, ceilings: Ceilings, ntt: Ntt): Promise<KernelResult> {
  const { logN } = ntt.plan;
  const vector = takeFrVector(context, 'evaluations', 2 ** logN, 'transform');
  try {
    const passed = await check(context, ntt, vector);
    const callLog = context.traits.software ? CALL_LOG.software : CALL_LOG.hardware;
    const perCall = 2 ** Math.max(0, callLog - logN);
    const timing = await timeWork(
      context,
      async () => {
        const paced = paceCommands(context, 'ntt');
        for (let i = 0; i < perCall; i++) await ntt.dif(paced, vector, 'forward', KEPT);
        await paced.finish();
      },
      { repeats: REPEATS, perCall },
    );
    const seconds = secondsOf(timing);
    return {
      name: `NTT 2^${logN}`,
      ...timing,
      figures: { ...shares(ntt, ceilings, seconds), inOneCall: perCall },
      checked: `${SAMPLES} values in closed form, there and back`,
      passed,
    };
  } finally {
    giveFrVector(context, vector);
    context.buffers.trim();
  }
}

/** Butterflies need one multiplication for two elements and level; every pass reads and writes the vector once. */
function shares(
  { plan }: Ntt,
  { frPerSecond, copyBytesPerSecond }: Ceilings,
  seconds: number,
): Record<string, number> {
  const multiplications = (2 ** plan.logN / 2) * plan.logN;
  const passes = plan.crossBlocks.length + plan.passes.length;
  const bytes = passes * 2 * ELEMENT_BYTES * 2 ** plan.logN;
  return {
    percentOfMultiplier: fourDigits((100 * multiplications) / seconds / frPerSecond),
    ...(plan.form === 'tiled'
      ? {
          passes,
          gigabytesPerSecond: fourDigits(bytes / seconds / 1e9),
          percentOfCopy: fourDigits((100 * bytes) / seconds / copyBytesPerSecond),
        }
      : {}),
  };
}

async function check(context: GpuContext, ntt: Ntt, vector: FrVector): Promise<boolean> {
  const { logN } = ntt.plan;
  const next = createWords(SEED + logN);
  const n = 2 ** logN;
  const base = BigInt(next()) * 2n ** 64n + BigInt(next());
  const powers = await openPowers(context, logN, base, 1n);
  const paced = paceCommands(context, 'ntt check');
  for (const { segment, first, count } of segmentRanges(vector)) {
    await powers.fill(paced, { start: first, count, order: 'natural' }, segment);
  }
  await ntt.dif(paced, vector, 'forward');
  await paced.finish();
  const places = [0, n - 1, ...Array.from({ length: SAMPLES - 2 }, () => next() % n)];
  const { omega } = frDomain(logN);
  const numerator = frSub(frPow(base, BigInt(n)), 1n);
  let equal = true;
  for (const place of places) {
    const power = frPow(omega, BigInt(reverseBits(place, logN)));
    const expected = frMul(numerator, frInvert(frSub(frMul(base, power), 1n)));
    equal &&= (await valueAt(context, vector, place)) === expected;
  }
  await ntt.dit(paced, vector, 'inverse');
  await paced.finish();
  for (const place of places) {
    const expected = frMul(BigInt(n), frPow(base, BigInt(place)));
    equal &&= (await valueAt(context, vector, place)) === expected;
  }
  powers.close();
  return equal;
}

const valueAt = async (context: GpuContext, vector: FrVector, place: number): Promise<bigint> =>
  bigintFromLe(await downloadFr(context, vector, place, 1));
