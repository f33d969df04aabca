import { CuzkError } from '@cuzk/core/errors';
import type { PorepVariant } from '@cuzk/core/porep/registered-proof';
import type { SectorShape } from '@cuzk/core/porep/sector';
import type { CliConfig } from '../config.ts';
import { round } from '../demo/proof-spans.ts';
import { readC1Header } from '../files/c1-file.ts';
import type { SectorC1 } from '../verify/verify-c1-proof.ts';
import { type FleetPeaks, FleetWatch } from './fleet-watch.ts';
import { withOwnSystem } from './own-system.ts';
import {
  median,
  type PartitionTimes,
  type PhaseSummary,
  partitionTimes,
  secondsBetweenPartitions,
  summarizePhases,
} from './partition-times.ts';
import { benchConfig, makeUpC1s, prepareShape, requireParams } from './prepare-single.ts';
import { type MeasuredProof, proveAll } from './prove-all.ts';

/** What is proved: sectors that were never sealed, or one that was. */
export type SingleSource =
  | { readonly kind: 'synthetic'; variant: PorepVariant; seed: bigint; count: number }
  | { readonly kind: 'file'; readonly sector: SectorC1 };

export interface SingleOptions {
  readonly sector: SectorShape;
  readonly source: SingleSource;
  /** An API that runs; undefined: a whole system is started for the measurement. */
  readonly apiUrl: string | undefined;
  readonly signal: AbortSignal;
  onLine(line: string): void;
}

/** What `cuzk bench single --json` prints. */
export interface SingleReport {
  /** Of all proofs, by core's verifier in this process. */
  readonly verified: boolean;
  readonly sector: string;
  readonly registeredProof: string;
  readonly parameters: string | null;
  readonly synthetic: boolean;
  readonly proofs: number;
  readonly partitions: number;
  readonly proofBytes: number;
  /** First POST to last verdict, divided by the proofs. */
  readonly secondsPerProof: number;
  readonly postToVerifiedSeconds: readonly number[];
  readonly postToProofSeconds: readonly number[];
  /** Median time of a partition in synthesis, which takes one core. */
  readonly synthesizeSecondsPerPartition: number;
  /** Median time of a partition on its device, once the witness is there. */
  readonly proveSecondsPerPartition: number;
  /** Mean time from one proved partition to the next, over all devices; null for one partition. */
  readonly secondsBetweenPartitions: number | null;
  readonly adapters: readonly string[];
  /** The moment at which the devices held most, by buffer class. `idle` is kept for reuse. */
  readonly peakDeviceBytes: Readonly<Record<string, number>>;
  readonly peakDeviceTotalBytes: number;
  /** Largest sum over all processes at one moment. */
  readonly peakRssTotalBytes: number;
  /** VmHWM by process; null for a system that ran before. */
  readonly peakRssBytes: Readonly<Record<string, number>> | null;
  /** Start of the first process to ready; null for a system that ran before. */
  readonly readySeconds: number | null;
  /** Medians over all partitions. */
  readonly phases: Readonly<Record<string, PhaseSummary>>;
  readonly details: readonly {
    readonly proofId: string;
    readonly partitions: readonly PartitionTimes[];
  }[];
}

/** The phase that is all of a partition's time on its device. */
const GPU_TOTAL = 'gpu.total';

interface Measured {
  readonly proofs: readonly MeasuredProof[];
  readonly seconds: number;
  readonly peaks: FleetPeaks;
}

/**
 * Proves whole sectors over HTTP and measures: on a system that is started for it, or on one that runs. Errors:
 * PARAMS_MISSING before anything is started, SETUP_FAILED, what the API answers, the signal's reason.
 */
export async function runSingle(base: CliConfig, options: SingleOptions): Promise<SingleReport> {
  const startedAt = performance.now();
  const onLine = (line: string): void => {
    const seconds = ((performance.now() - startedAt) / 1000).toFixed(1).padStart(6);
    options.onLine(`[${seconds} s] ${line}`);
  };
  const { sector, source, apiUrl, signal } = options;
  const config = benchConfig(base, sector);
  if (apiUrl === undefined) await requireParams(config, sector);
  const made = await openSource(config, sector, source, { signal, onLine });
  try {
    const measure = async (url: string, ownProcesses: boolean): Promise<Measured> => {
      const api = { url, key: config.apiKey };
      const watch = new FleetWatch(api, { ownProcesses });
      let peaks: FleetPeaks;
      let proved: Awaited<ReturnType<typeof proveAll>>;
      try {
        proved = await proveAll(config, api, made.sectors, { signal, onLine });
      } finally {
        peaks = await watch.close();
      }
      return { ...proved, peaks };
    };
    if (apiUrl !== undefined) {
      return await reportOf(options, made.sectors, await measure(apiUrl, false), null);
    }
    await prepareShape(config, sector, { signal, onLine });
    const { value, ...own } = await withOwnSystem(config, { signal, onLine }, (system) =>
      measure(system.apiUrl, true),
    );
    return await reportOf(options, made.sectors, value, own);
  } finally {
    made.remove();
  }
}

async function openSource(
  config: CliConfig,
  sector: SectorShape,
  source: SingleSource,
  options: Pick<SingleOptions, 'signal' | 'onLine'>,
): Promise<{ readonly sectors: readonly SectorC1[]; remove(): void }> {
  if (source.kind === 'synthetic') {
    options.onLine(`making up ${source.count} sector(s) of ${sector.name}`);
    return makeUpC1s(config, { sector, ...source }, options);
  }
  const { registeredProof } = await readC1Header(source.sector.c1File);
  if (registeredProof.sectorBytes !== sector.sectorBytes) {
    throw new CuzkError('REQUEST_INVALID', 'the C1 is of another sector size', {
      expected: sector.name,
      found: registeredProof.name,
    });
  }
  return { sectors: [source.sector], remove: () => {} };
}

async function reportOf(
  { sector, source }: SingleOptions,
  sectors: readonly SectorC1[],
  { proofs, seconds, peaks }: Measured,
  own: { readySeconds: number; peakRssBytes: Readonly<Record<string, number>> } | null,
): Promise<SingleReport> {
  const [first] = sectors as [SectorC1, ...SectorC1[]];
  const { registeredProof } = await readC1Header(first.c1File);
  const details = proofs.map(({ view }) => ({
    proofId: view.proofId,
    partitions: partitionTimes(view),
  }));
  const views = proofs.map(({ view }) => view);
  const phases = summarizePhases(views);
  const synthesis = details
    .flatMap(({ partitions }) => partitions.map(({ stageSeconds }) => stageSeconds.synthesize))
    .filter((value) => value !== null);
  return {
    verified: proofs.every(({ verified }) => verified),
    sector: sector.name,
    registeredProof: registeredProof.name,
    parameters: proofs[0]?.view.parameters ?? null,
    synthetic: source.kind === 'synthetic',
    proofs: proofs.length,
    partitions: registeredProof.partitions,
    proofBytes: proofs[0]?.proofBytes ?? 0,
    secondsPerProof: round(seconds / proofs.length),
    postToVerifiedSeconds: proofs.map((proof) => round(proof.postToVerifiedSeconds)),
    postToProofSeconds: proofs.map((proof) => round(proof.postToProofSeconds)),
    synthesizeSecondsPerPartition: median(synthesis),
    proveSecondsPerPartition: phases[GPU_TOTAL]?.medianSeconds ?? Number.NaN,
    secondsBetweenPartitions: secondsBetweenPartitions(views),
    adapters: peaks.adapters,
    peakDeviceBytes: peaks.deviceBytes,
    peakDeviceTotalBytes: peaks.deviceTotalBytes,
    peakRssTotalBytes: peaks.residentTotalBytes,
    peakRssBytes: own?.peakRssBytes ?? null,
    readySeconds: own === null ? null : round(own.readySeconds),
    phases,
    details,
  };
}
