import { setTimeout as delay } from 'node:timers/promises';
import { sweepRetention } from '@cuzk/service-kit/fleet/retention';
import { openService, type Service } from '@cuzk/service-kit/open-service';
import { HANDOFF_POOL, poolStatus } from '@cuzk/service-kit/permits/permits';
import { readAllEvents } from '@cuzk/service-kit/record/read-events';
import { readProof } from '@cuzk/service-kit/record/read-proof';
import { ENDED_STATES } from '@cuzk/service-kit/record/types';
import { ENDED_KEY, LIVE_KEY } from '@cuzk/service-kit/redis/keys';
import { seededRandom } from '@cuzk/service-kit/simulated/seeded-random';
import { allEnded } from './all-ended.ts';
import { SoakFleet, type SoakShape, soakSettings } from './soak-fleet.ts';
import { submitSimulated } from './submit-simulated.ts';

export interface SoakOptions {
  readonly proofs: number;
  readonly kills: number;
  readonly seed: number;
  readonly shape: SoakShape;
  readonly onProgress: (text: string) => void;
}

export interface SoakReport {
  readonly proofs: number;
  readonly kills: number;
  readonly seed: number;
  readonly seconds: number;
  /** Accepted proofs that have no end, or no record. */
  readonly lost: number;
  /** Proofs with more than one terminal state in their events. */
  readonly duplicated: number;
  /** Proofs that ended, but not as they should: not succeeded, or a partition that is not proved. */
  readonly invalid: number;
  readonly permitBytes: number;
  readonly artifacts: number;
  readonly redisMemoryGrowthBytes: number;
  readonly partitionsPerSecond: number;
  /** Attempts whose owner was killed. */
  readonly requeued: number;
}

/** Proofs on their way at once: enough to keep every process busy, few enough to keep Redis small. */
const LIVE_MAX = 200;
const POLL_MS = 100;
/** After the last kill everything must have ended by then. */
const SETTLE_TIMEOUT_MS = 300_000;

/** Takes proofs through a simulated fleet of real processes that are killed at random, and counts what is left. */
export async function runSoak(options: SoakOptions): Promise<SoakReport> {
  const { proofs, kills, seed, shape, onProgress } = options;
  const random = seededRandom(seed);
  const service = await openService('api', soakSettings(shape, 'driver'), 'patient');
  const fleet = new SoakFleet(shape, seed, { cpu: 2, prover: 2 });
  try {
    await fleet.start();
    await delay(2_000);
    const memoryBefore = await usedMemory(service);
    const startedAt = performance.now();
    const ids: string[] = [];
    // A kill after every so many accepted proofs, drawn from the seed: the same seed, the same story.
    const killAfter = Array.from({ length: kills }, () => Math.floor(random() * proofs)).sort(
      (a, b) => a - b,
    );
    while (ids.length < proofs) {
      if ((await service.redis.zcard(LIVE_KEY)) >= LIVE_MAX) await delay(POLL_MS);
      else ids.push(await submitSimulated(service));
      while (killAfter.length > 0 && (killAfter[0] as number) < ids.length) {
        killAfter.shift();
        await fleet.killOne(random());
      }
      if (ids.length % 500 === 0) onProgress(`${ids.length} proofs, ${fleet.kills} kills`);
    }
    await allEnded(service, { pollMs: POLL_MS, timeoutMs: SETTLE_TIMEOUT_MS });
    const seconds = (performance.now() - startedAt) / 1000;
    const counts = await judge(service, ids, shape.partitions);
    const permitBytes = (await poolStatus(service.redis, HANDOFF_POOL)).usedBytes;
    await fleet.stop();
    await forgetAll(service);
    return {
      ...{ proofs, kills: fleet.kills, seed, seconds, ...counts, permitBytes },
      artifacts: await countArtifacts(service),
      redisMemoryGrowthBytes: (await usedMemory(service)) - memoryBefore,
      partitionsPerSecond: (proofs * shape.partitions) / seconds,
    };
  } finally {
    await fleet.stop();
    await service.close();
  }
}

async function judge({ redis }: Service, ids: readonly string[], partitions: number) {
  let [lost, duplicated, invalid, requeued] = [0, 0, 0, 0];
  for (const id of ids) {
    const proof = await readProof(redis, id);
    if (!proof?.endedAt) {
      lost++;
      continue;
    }
    const proved = proof.partitions.filter(({ state }) => state === 'proved').length;
    if (proof.state !== 'succeeded' || proved !== partitions) invalid++;
    const events = await readAllEvents(redis, id);
    const ends = events.filter(
      ({ type, data }) => type === 'state' && ENDED_STATES.some((state) => state === data.state),
    );
    if (ends.length !== 1) duplicated++;
    requeued += events.filter(({ data }) => data.lost !== undefined).length;
  }
  return { lost, duplicated, invalid, requeued };
}

/** Retention with everything due at once, as it would be in a month. */
async function forgetAll({ redis, artifacts }: Service): Promise<void> {
  const due = Date.now() + 1_000;
  await sweepRetention(redis, artifacts, { c1KeptMs: 0, recordKeptMs: 0 }, due);
  if ((await redis.zcard(ENDED_KEY)) > 0) throw new Error('ended records stay');
}

async function countArtifacts({ artifacts }: Service): Promise<number> {
  let count = 0;
  for await (const { ref } of artifacts.list('proofs/')) if (ref !== '') count++;
  return count;
}

async function usedMemory({ redis }: Service): Promise<number> {
  return Number(/used_memory:(\d+)/.exec(await redis.info('memory'))?.[1] ?? Number.NaN);
}
