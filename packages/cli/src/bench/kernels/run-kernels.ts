import type { SectorShape } from '@cuzk/core/porep/sector';
import { sectorShape } from '@cuzk/core/porep/sector';
import type { GpuContext } from '@cuzk/gpu/device/context';
import type { CliConfig } from '../../config.ts';
import { openMachineProver } from '../../open-machine-prover.ts';
import { type SmallCircuitName, smallPartition } from '../../small-partition.ts';
import { timeFirstDispatches } from './first-dispatches.ts';
import { type Ceilings, fourDigits, type KernelResult } from './kernel-result.ts';
import { measureCeilings } from './measure-ceilings.ts';
import { withPowerBases } from './power-inputs.ts';
import { SMALLEST_SECTOR_BYTES, sectorPartition } from './sector-partition.ts';
import { timeBitSums } from './time-bit-sums.ts';
import { timeMsms } from './time-msm.ts';
import { timeNtts } from './time-ntt.ts';
import { timePartition } from './time-partition.ts';
import { timeStarts } from './time-starts.ts';

export interface KernelsOptions {
  /** Small sizes only. */
  readonly quick: boolean;
  /** No transform and no MSM is larger. */
  readonly maxLogN: number;
  /** Sector sizes whose partition is proved; their parameters are made on the device. */
  readonly sectors: readonly SectorShape[];
  readonly signal: AbortSignal;
  /** With the seconds since the start. */
  onResult(result: KernelResult, seconds: number): void;
  onLine(line: string): void;
}

export interface KernelsReport {
  readonly adapter: string;
  readonly software: boolean;
  readonly variants: { readonly fp: string; readonly fr: string };
  readonly results: readonly KernelResult[];
  /** True where every result was equal to what it was compared with. */
  readonly passed: boolean;
  readonly seconds: number;
}

interface Sizes {
  readonly g1: readonly number[];
  readonly fromHost: readonly number[];
  readonly g2: readonly number[];
  readonly bits: readonly number[];
  readonly ntt: readonly number[];
}

const SIZES: Readonly<Record<'quick' | 'software' | 'hardware', Sizes>> = {
  quick: { g1: [12], fromHost: [], g2: [10], bits: [14], ntt: [12, 16] },
  software: { g1: [14, 16, 18], fromHost: [16], g2: [14], bits: [18], ntt: [16, 18, 20] },
  hardware: {
    g1: [20, 22, 24, 26, 27],
    fromHost: [22],
    g2: [20],
    // the larger one first: the card is fast by then, and the short calls of the smaller one would not make it so
    bits: [27, 24],
    ntt: [20, 22, 24, 26, 27],
  },
};

/** Opens this machine's device, measures and checks its kernels by size, and then whole proofs. */
export async function runKernels(
  config: CliConfig,
  options: KernelsOptions,
): Promise<KernelsReport> {
  const startedAt = performance.now();
  const results: KernelResult[] = [];
  const onResult = (result: KernelResult): void => {
    options.signal.throwIfAborted();
    results.push(result);
    options.onResult(result, secondsSince(startedAt));
  };
  for (const result of await timeStarts(config, options.signal)) onResult(result);
  const prover = await openMachineProver(config, options.onLine);
  try {
    const { context } = prover;
    const { software } = context.traits;
    const { ceilings, results: rates } = await measureCeilings(context);
    for (const rate of rates) onResult(rate);
    const sizes = SIZES[options.quick ? 'quick' : software ? 'software' : 'hardware'];
    const upTo = (logs: readonly number[]): number[] =>
      logs.filter((log) => log <= options.maxLogN);
    await timeSums(
      context,
      ceilings,
      { ...sizes, g1: upTo(sizes.g1), bits: upTo(sizes.bits) },
      onResult,
    );
    await timeNtts(context, ceilings, upTo(sizes.ntt), onResult);
    for (const sector of sectorsOf(options)) {
      await timePartition(context, sectorPartition(sector), onResult);
    }
    onResult(compileTimes(context.kernels.compiled));
    // hardware compiles a pipeline when it is made, which the starts show
    if (software) {
      const timed = await timeFirstDispatches(config, context, options);
      for (const each of timed) onResult(each);
    }
    for (const circuit of smallCircuits(options, software)) {
      await timePartition(context, smallPartition(circuit), onResult);
    }
    return {
      adapter: context.traits.description,
      software,
      variants: context.variants,
      results,
      passed: results.every(({ passed }) => passed),
      seconds: fourDigits(secondsSince(startedAt)),
    };
  } finally {
    prover.close();
  }
}

/** Sums of points. */
async function timeSums(
  context: GpuContext,
  ceilings: Ceilings,
  { g1, fromHost, bits, g2 }: Sizes,
  onResult: (result: KernelResult) => void,
): Promise<void> {
  await withPowerBases(context, 'g1', 2 ** Math.max(...g1, ...bits), async (bases) => {
    await timeMsms(context, ceilings, bases, { logCounts: g1, fromHost }, onResult);
    await withPowerBases(context, 'g2', 2 ** Math.max(...g2), async (basesG2) => {
      await timeMsms(context, ceilings, basesG2, { logCounts: g2, fromHost: [] }, onResult);
    });
    await timeBitSums(context, bases, bits, onResult);
  });
}

const secondsSince = (from: number): number => (performance.now() - from) / 1000;

/** The smallest sector is in every full run; on a software adapter it takes minutes. */
function sectorsOf({ sectors, quick }: KernelsOptions): readonly SectorShape[] {
  const smallest = sectorShape(SMALLEST_SECTOR_BYTES);
  if (quick || sectors.some(({ name }) => name === smallest.name)) return sectors;
  return [smallest, ...sectors];
}

/** On a GPU these show latencies and nothing else; the smallest sector is there. */
function smallCircuits({ quick }: KernelsOptions, software: boolean): readonly SmallCircuitName[] {
  if (quick) return ['one Poseidon hash'];
  return software ? ['one Poseidon hash', 'one SHA-256 node'] : [];
}

const compileTimes = ({ count, seconds }: { count: number; seconds: number }): KernelResult => ({
  name: 'pipelines of this run',
  deviceSeconds: null,
  wallSeconds: null,
  repeats: 1,
  figures: { pipelines: count, compileSeconds: fourDigits(seconds) },
  checked: 'time only',
  passed: true,
});
