import { multipleOfGenerator } from '@cuzk/gpu/curve/generator-multiple';
import type { PointSegments } from '@cuzk/gpu/curve/point-segments';
import type { GpuContext } from '@cuzk/gpu/device/context';
import { sumSelected } from '@cuzk/gpu/msm/sum-selected';
import { firstPoints, samePoint } from './generator-multiples.ts';
import { fourDigits, type KernelResult } from './kernel-result.ts';
import { secondsOf, timeWork } from './time-work.ts';
import { createWords } from './weighted-scalars.ts';

const REPEATS = 9;
const SEED = 21;

/** Sums of the multiples (i + 1)·G that random bits pick, half of all; compared with one multiple of the generator. */
export async function timeBitSums(
  context: GpuContext,
  points: PointSegments,
  logCounts: readonly number[],
  onResult: (result: KernelResult) => void,
): Promise<void> {
  const most = 2 ** Math.max(...logCounts);
  const { group } = points;
  const next = createWords(SEED);
  const words = Uint32Array.from({ length: most / 32 }, next);
  const plane = context.buffers.take('witness', words.byteLength, 'random bits');
  context.device.queue.writeBuffer(plane, 0, words);
  try {
    for (const logCount of logCounts) {
      const count = 2 ** logCount;
      const arrays = [{ points: firstPoints(points, count) }];
      let sum: Awaited<ReturnType<typeof sumSelected>>[number] = null;
      const timing = await timeWork(
        context,
        async () => {
          [sum = null] = await sumSelected(context, arrays, plane, { phase: 'bit sums' });
        },
        { repeats: REPEATS },
      );
      const { weight, ones } = weigh(words.subarray(0, count / 32));
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

/** Σ (i + 1) over the set bits, below 2^53 for planes of up to 2^27 bits, and how many they are. */
function weigh(words: Uint32Array): { weight: bigint; ones: number } {
  let [weight, ones] = [0, 0];
  words.forEach((word, w) => {
    for (let bit = 0; bit < 32; bit++) {
      if (((word >>> bit) & 1) === 0) continue;
      weight += 32 * w + bit + 1;
      ones += 1;
    }
  });
  return { weight: BigInt(weight), ones };
}
