import { type Demand, desiredWorkers, percentile } from '../fleet/autoscale.ts';

/** How an autoscaler of Kubernetes follows the signal, in the words of its `behavior`. */
export interface ScalerBehavior {
  readonly minReplicas: number;
  readonly maxReplicas: number;
  /** It acts this often. */
  readonly syncSeconds: number;
  /** A smaller number is followed only when it is the largest of this long. */
  readonly downStabilizationSeconds: number;
  /** At most this many pods more in one period. */
  readonly upPods: number;
  readonly upPeriodSeconds: number;
}

/** The numbers of deploy/k8s/overlays/prod/scaling.yaml; a test compares. */
export const DEPLOYED_BEHAVIOR: ScalerBehavior = {
  minReplicas: 0,
  maxReplicas: 100,
  syncSeconds: 15,
  downStabilizationSeconds: 300,
  upPods: 32,
  upPeriodSeconds: 60,
};

export interface Load {
  /** Second at which each proof comes in. */
  readonly arrivals: readonly number[];
  readonly partitions: number;
  /** Seconds that the next unit takes. */
  nextSeconds(): number;
}

export interface ScalingRun {
  /** From the first arrival until the last unit was done, in seconds. */
  readonly drainSeconds: number;
  readonly scaleUps: number;
  readonly scaleDowns: number;
  readonly peakPods: number;
}

/** Deviations of less than a tenth are not followed: the tolerance of the horizontal pod autoscaler. */
const TOLERANCE = 0.1;
const STEP_SECONDS = 0.5;
const REMEMBERED_DURATIONS = 200;

interface Pod {
  readonly readyAt: number;
  busyUntil: number;
  workSeconds: number;
}

/** Steps a queue, its pods (which take `startSeconds` to start) and an autoscaler through a load. */
export function simulateScaling(
  load: Load,
  behavior: ScalerBehavior,
  {
    horizonSeconds,
    startSeconds,
  }: { readonly horizonSeconds: number; readonly startSeconds: number },
): ScalingRun {
  const left = load.arrivals.map((at) => ({ at, units: load.partitions, done: 0 }));
  const pods: Pod[] = [];
  const durations: number[] = [];
  const recommended: { at: number; replicas: number }[] = [];
  const ups: { at: number; pods: number }[] = [];
  let [scaleUps, scaleDowns, peakPods, now] = [0, 0, 0, 0];

  const demandNow = (): Demand => {
    const p95 = percentile(durations.slice(-REMEMBERED_DURATIONS), 0.95);
    const running = pods.filter((pod) => pod.busyUntil > now).length;
    const backlog = left
      .filter((proof) => proof.at <= now && proof.done < load.partitions)
      .map((proof) => ({
        createdAt: proof.at * 1000,
        units: load.partitions - proof.done,
        secondsPerUnit: p95,
      }));
    return { backlog, running, unitsPerWorker: 1 };
  };

  const scale = (): void => {
    const signal = desiredWorkers(demandNow(), now * 1000, horizonSeconds * 1000);
    const current = pods.length;
    const close = current > 0 && Math.abs(signal / current - 1) <= TOLERANCE;
    const wanted = Math.min(
      behavior.maxReplicas,
      Math.max(behavior.minReplicas, close ? current : signal),
    );
    recommended.push({ at: now, replicas: wanted });
    const recent = recommended.filter(({ at }) => at > now - behavior.downStabilizationSeconds);
    const target = wanted >= current ? wanted : Math.max(...recent.map(({ replicas }) => replicas));
    if (target > current) {
      const added = ups
        .filter(({ at }) => at > now - behavior.upPeriodSeconds)
        .reduce((sum, step) => sum + step.pods, 0);
      const more = Math.min(target - current, behavior.upPods - added);
      if (more <= 0) return;
      ups.push({ at: now, pods: more });
      scaleUps += 1;
      for (let i = 0; i < more; i++) {
        pods.push({ readyAt: now + startSeconds, busyUntil: 0, workSeconds: 0 });
      }
    } else if (target < current) {
      scaleDowns += 1;
      // Pods that work are not disturbed: they are marked, and the idle ones go.
      const idle = pods.filter((pod) => pod.busyUntil <= now).slice(0, current - target);
      for (const pod of idle) pods.splice(pods.indexOf(pod), 1);
    }
    peakPods = Math.max(peakPods, pods.length);
  };

  const finish = (pod: Pod): void => {
    if (pod.workSeconds === 0 || pod.busyUntil > now) return;
    durations.push(pod.workSeconds);
    const proof = left.find(({ units, done }) => done < load.partitions - units);
    if (proof !== undefined) proof.done += 1;
    pod.workSeconds = 0;
  };
  const take = (pod: Pod): void => {
    if (pod.readyAt > now || pod.busyUntil > now) return;
    const proof = left.find(({ at, units }) => at <= now && units > 0);
    if (proof === undefined) return;
    proof.units -= 1;
    pod.workSeconds = load.nextSeconds();
    pod.busyUntil = now + pod.workSeconds;
  };

  let drainedAt: number | null = null;
  const lastSync = () => now % behavior.syncSeconds === 0;
  for (; now < 10 * horizonSeconds; now += STEP_SECONDS) {
    for (const pod of pods) finish(pod);
    if (lastSync()) scale();
    for (const pod of pods) take(pod);
    if (drainedAt === null && left.every(({ done }) => done === load.partitions)) drainedAt = now;
    if (drainedAt !== null && pods.length <= behavior.minReplicas) break;
  }
  const drainSeconds = (drainedAt ?? now) - Math.min(...load.arrivals);
  return { drainSeconds, scaleUps, scaleDowns, peakPods };
}
