import { FR_MODULUS, frMul, frPow } from '@cuzk/core/field/fr';
import { multipleOfGenerator } from '@cuzk/gpu/curve/generator-multiple';
import type { PointSegments } from '@cuzk/gpu/curve/point-segments';
import type { GpuContext } from '@cuzk/gpu/device/context';
import { sumSelected } from '@cuzk/gpu/msm/sum-selected';
import { fourDigits, type KernelResult } from './kernel-result.ts';
import { BASE, firstPoints, geometricSum, samePoint } from './power-inputs.ts';
import { createWords } from './random-words.ts';
import { secondsOf, timeWork } from './time-work.ts';

const REPEATS = 9;
const SEED = 21;
/** Random bits repeat after so many, so that what they pick is weighed quickly. */
const PERIOD = 2 ** 16;

/** Sums of the points B^i·G that random bits pick, half of all; compared with one multiple of the generator. */
export async function timeBitSums(
  context: GpuContext,
  points: PointSegments,
  logCounts: readonly number[],
  onResult: (result: KernelResult) => void,
): Promise<void> {
  const most = 2 ** Math.max(...logCounts);
  const { group } = points;
  const pattern = Uint32Array.from({ length: Math.min(most, PERIOD) / 32 }, createWords(SEED));
  const words = new Uint32Array(most / 32);
  for (let at = 0; at < words.length; at += pattern.length) words.set(pattern, at);
  const plane = context.buffers.take('witness', words.byteLength, 'random bits');
  context.device.queue.writeBuffer(plane, 0, words);
  try {
    for (const logCount of logCounts) {
      const count = 2 ** logCount;
      const arrays = [{ points: firstPoints(points, count) }];
      let sum: Awaited<ReturnType<typeof sumSelected>>[number][number] = null;
      const timing = await timeWork(
        context,
        async () => {
          const [sums] = await sumSelected(context, arrays, [plane], { phase: 'bit sums' });
          [sum = null] = sums ?? [];
        },
        { repeats: REPEATS },
      );
      const { weight, ones } = weigh(pattern, count);
      onResult({
        name: `bit sums ${group.toUpperCase()}, half of 2^${logCount}`,
        ...timing,
        figures: { millionAdditionsPerSecond: fourDigits(ones / secondsOf(timing) / 1e6) },
        checked: 'one multiple of the generator by noble',
        passed: samePoint(sum, multipleOfGenerator(group, weight)),
      });
    }
  } finally {
    context.buffers.drop(plane);
    context.buffers.trim();
  }
}

/** Σ B^i over the set bits of a plane of `bits` bits, a power of two, that repeats a pattern, and how many they are. */
function weigh(pattern: Uint32Array, bits: number): { weight: bigint; ones: number } {
  const period = Math.min(bits, 32 * pattern.length);
  let [weight, power, ones] = [0n, 1n, 0];
  for (let i = 0; i < period; i++) {
    if ((((pattern[i >>> 5] as number) >>> (i & 31)) & 1) === 1) {
      weight += power;
      ones += 1;
    }
    power = frMul(power, BASE);
  }
  const repeats = bits / period;
  const repeated = frMul(weight % FR_MODULUS, geometricSum(frPow(BASE, BigInt(period)), repeats));
  return { weight: repeated, ones: ones * repeats };
}
