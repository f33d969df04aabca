import { createHash } from 'node:crypto';
import { checkC1 } from '@cuzk/core/porep/c1-check';
import type { PartitionInput } from '@cuzk/core/porep/partition-input';
import type { PorepVariant } from '@cuzk/core/porep/registered-proof';
import { parseMinerAddress, proverIdOfActor } from '@cuzk/core/porep/replica-id';
import type { SectorShape } from '@cuzk/core/porep/sector';
import { synthesizePartition } from '@cuzk/core/porep/synthesize';
import type { CompactWitness } from '@cuzk/core/r1cs/compact-witness';
import { nodeHashes } from '@cuzk/service-kit/circuits/node-hashes';
import { circuitTemplate } from '../circuit-template.ts';
import type { CliConfig } from '../config.ts';
import { round } from '../demo/proof-spans.ts';
import { openC1 } from '../files/c1-file.ts';
import { auxSha256 } from '../witness-digests.ts';
import { median } from './partition-times.ts';
import { makeUpC1s } from './prepare-single.ts';

export interface SynthOnlyOptions {
  readonly sector: SectorShape;
  readonly variant: PorepVariant;
  readonly seed: bigint;
  /** So many partitions are synthesized, from the first on. */
  readonly partitions: number;
  /** Also the digest of all aux, for which the circuit is compiled. */
  readonly auxDigest: boolean;
  readonly signal: AbortSignal;
  onLine(line: string): void;
}

export interface SynthesizedPartition {
  readonly index: number;
  readonly seconds: number;
  /** Processor time of all threads of this process, garbage collection included. */
  readonly cpuSeconds: number;
  readonly witnessBytes: number;
  /** SHA-256 over inputs, bit plane and elements, as a compact witness stores them. */
  readonly witnessSha256: string;
  /** SHA-256 over all aux, 32 bytes each, in allocation order; null where it was not asked for. */
  readonly auxSha256: string | null;
}

/** What `cuzk bench synth-only --json` prints. */
export interface SynthOnlyReport {
  readonly sector: string;
  readonly variant: PorepVariant;
  readonly seed: string;
  /** One thread: seconds of one core. */
  readonly secondsPerPartition: number;
  readonly cpuSecondsPerPartition: number;
  /** Reading the C1 and all its checks, synthesis left out. */
  readonly ingestSeconds: number;
  /** Largest resident set of this process until the last partition was synthesized. */
  readonly peakRssBytes: number;
  readonly partitions: readonly SynthesizedPartition[];
}

/**
 * Ingests a made-up sector and synthesizes its partitions one after the other on this thread; no device is opened.
 * Errors: REQUEST_INVALID for a sector that cannot be made up, the signal's reason.
 */
export async function runSynthOnly(
  config: CliConfig,
  options: SynthOnlyOptions,
): Promise<SynthOnlyReport> {
  const { sector, variant, seed, onLine } = options;
  onLine(`making up a sector of ${sector.name}`);
  const made = await makeUpC1s(config, { sector, variant, seed, count: 1 }, options);
  try {
    const [{ c1File, miner, sectorNumber }] = made.sectors as [(typeof made.sectors)[0]];
    const partitions: SynthesizedPartition[] = [];
    let apartSeconds = 0;
    let peakRssBytes = 0;
    const startedAt = performance.now();
    await checkC1(await openC1(c1File), {
      proverId: proverIdOfActor(parseMinerAddress(miner)),
      sectorId: BigInt(sectorNumber),
      hashes: nodeHashes,
      onPartition: async (input) => {
        options.signal.throwIfAborted();
        if (partitions.length >= options.partitions) return;
        const apartAt = performance.now();
        const { witness, ...times } = timeSynthesis(input, sector);
        // A circuit compiled for digests would count as memory of synthesis.
        if (!options.auxDigest || partitions.length === 0) {
          peakRssBytes = process.resourceUsage().maxRSS * 1024;
        }
        const digests = await digestsOf(config, options, witness);
        partitions.push({ index: input.partition, ...times, ...digests });
        onLine(`partition ${input.partition}: ${times.seconds.toFixed(2)} s`);
        apartSeconds += (performance.now() - apartAt) / 1000;
      },
    });
    const ingestSeconds = (performance.now() - startedAt) / 1000 - apartSeconds;
    return {
      sector: sector.name,
      variant,
      seed: String(seed),
      secondsPerPartition: round(median(partitions.map((each) => each.seconds))),
      cpuSecondsPerPartition: round(median(partitions.map((each) => each.cpuSeconds))),
      ingestSeconds: round(ingestSeconds),
      peakRssBytes,
      partitions,
    };
  } finally {
    made.remove();
  }
}

function timeSynthesis(input: PartitionInput, sector: SectorShape) {
  const cpuAt = process.cpuUsage();
  const startedAt = performance.now();
  const witness = synthesizePartition(input, sector);
  const seconds = round((performance.now() - startedAt) / 1000);
  const { user, system } = process.cpuUsage(cpuAt);
  return { witness, seconds, cpuSeconds: round((user + system) / 1e6) };
}

async function digestsOf(
  { cacheDir }: CliConfig,
  { sector, auxDigest }: SynthOnlyOptions,
  witness: CompactWitness,
): Promise<Pick<SynthesizedPartition, 'witnessBytes' | 'witnessSha256' | 'auxSha256'>> {
  const { inputs, bitPlane, elements } = witness;
  const hash = createHash('sha256');
  for (const part of [inputs, bitPlane, elements]) hash.update(part);
  return {
    witnessBytes: inputs.byteLength + bitPlane.byteLength + elements.byteLength,
    witnessSha256: hash.digest('hex'),
    auxSha256: auxDigest ? auxSha256(await circuitTemplate(cacheDir, sector), witness) : null,
  };
}
