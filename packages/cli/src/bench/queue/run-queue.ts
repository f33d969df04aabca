import { setTimeout as delay } from 'node:timers/promises';
import { openService, type Service } from '@cuzk/service-kit/open-service';
import { readProof } from '@cuzk/service-kit/record/read-proof';
import type { ProofRecord } from '@cuzk/service-kit/record/types';
import { allEnded } from '../../soak/all-ended.ts';
import { SoakFleet, type SoakShape, soakSettings } from '../../soak/soak-fleet.ts';
import { submitSimulated } from '../../soak/submit-simulated.ts';
import { processorSeconds } from './processor-time.ts';

export interface QueueBenchOptions {
  readonly shape: SoakShape;
  readonly redisPid: number;
  /** Partitions a second at which proofs are sent. */
  readonly rate: number;
  readonly seconds: number;
}

/** Middle and tail of a wait, ms. */
interface Wait {
  readonly p50Ms: number;
  readonly p99Ms: number;
}

export interface QueueBenchReport {
  readonly partitions: number;
  /** Partitions a second from the first submission to the end of the last proof. */
  readonly partitionsPerSecond: number;
  /** Processor ms a partition of all processes, without what the artifacts take. */
  readonly overheadMs: number;
  /** The same by process: CPU stages with the dispatcher, prover, Redis. */
  readonly processorMs: { readonly cpu: number; readonly prover: number; readonly redis: number };
  /** Processor ms a partition for its artifacts: two written, two read, one deleted. */
  readonly artifactMs: number;
  readonly failed: number;
  /** From queued to synthesizing and from synthesized to proving: they depend on what else the machine does. */
  readonly synthesizeWait: Wait;
  readonly proveWait: Wait;
}

const ARTIFACT_ROUNDS = 500;
/** After the last submission everything must have ended by then. */
const SETTLE = { pollMs: 50, timeoutMs: 120_000 };

/**
 * Sends simulated proofs whose work takes no time at a fixed rate through one process of CPU stages, one prover and
 * Redis, and says what queues, record and permits cost a partition.
 */
export async function runQueueBench(options: QueueBenchOptions): Promise<QueueBenchReport> {
  const { shape, rate, seconds, redisPid } = options;
  const service = await openService('api', soakSettings(shape, 'driver'), 'patient');
  const fleet = new SoakFleet(shape, 1, { cpu: 1, prover: 1 });
  try {
    await fleet.start();
    await submitSimulated(service); // Compiles what it touches, in every process.
    await allEnded(service, SETTLE);
    const pids = { cpu: fleet.pid('cpu-0'), prover: fleet.pid('prover-0'), redis: redisPid };
    const names = ['cpu', 'prover', 'redis'] as const;
    const before = names.map((name) => processorSeconds(pids[name]));
    const startedAt = performance.now();
    const ids = await submitAtRate(service, rate / shape.partitions, seconds);
    await allEnded(service, SETTLE);
    const tookSeconds = (performance.now() - startedAt) / 1000;
    const partitions = ids.length * shape.partitions;
    const [cpu = 0, prover = 0, redis = 0] = names.map(
      (name, i) => (1000 * (processorSeconds(pids[name]) - (before[i] ?? 0))) / partitions,
    );
    const artifactMs = await timeArtifacts(service, shape.witnessBytes);
    const proofs = await Promise.all(ids.map((id) => readProof(service.redis, id)));
    return {
      partitions,
      partitionsPerSecond: partitions / tookSeconds,
      overheadMs: cpu + prover + redis - artifactMs,
      processorMs: { cpu, prover, redis },
      artifactMs,
      failed: proofs.filter((proof) => proof?.state !== 'succeeded').length,
      synthesizeWait: waitBetween(proofs, 'queued', 'synthesizing'),
      proveWait: waitBetween(proofs, 'synthesized', 'proving'),
    };
  } finally {
    await fleet.stop();
    await service.close();
  }
}

async function submitAtRate(
  service: Service,
  proofsPerSecond: number,
  seconds: number,
): Promise<string[]> {
  const startedAt = performance.now();
  const count = Math.max(1, Math.round(proofsPerSecond * seconds));
  const ids: string[] = [];
  while (ids.length < count) {
    const waitMs = startedAt + (1000 * ids.length) / proofsPerSecond - performance.now();
    if (waitMs > 0) await delay(waitMs);
    ids.push(await submitSimulated(service));
  }
  return ids;
}

async function timeArtifacts({ artifacts }: Service, witnessBytes: number): Promise<number> {
  const before = processorSeconds(process.pid);
  for (let i = 0; i < ARTIFACT_ROUNDS; i++) {
    const input = await artifacts.put(`timing/${i}/input`, Buffer.alloc(64));
    const witness = await artifacts.put(`timing/${i}/witness`, Buffer.alloc(witnessBytes));
    await artifacts.get(input);
    await artifacts.get(witness);
    await artifacts.delete(witness.ref);
  }
  return (1000 * (processorSeconds(process.pid) - before)) / ARTIFACT_ROUNDS;
}

function waitBetween(
  proofs: readonly (ProofRecord | null)[],
  from: 'queued' | 'synthesized',
  to: 'synthesizing' | 'proving',
): Wait {
  const waits = proofs
    .flatMap((proof) => proof?.partitions ?? [])
    .map(({ enteredAt }) => (enteredAt[to] ?? Number.NaN) - (enteredAt[from] ?? Number.NaN))
    .sort((a, b) => a - b);
  const at = (share: number) => waits[Math.floor(share * (waits.length - 1))] ?? Number.NaN;
  return { p50Ms: at(0.5), p99Ms: at(0.99) };
}
