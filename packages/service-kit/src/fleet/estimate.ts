/** What a lane (a GPU, a synthesis thread) does. */
export interface Lane {
  /** Seconds a partition takes it, in the middle. */
  readonly seconds: number;
  /** Seconds until it has done what it works on now. */
  readonly freeInSeconds: number;
}

/** One stage of the way of a proof's partitions. */
export interface StageLoad {
  readonly lanes: readonly Lane[];
  /** How far durations spread: 95th percentile over median, at least 1. */
  readonly spread: number;
  /** Partitions that go before, of all proofs. */
  readonly unitsAhead: number;
  /** Partitions of this proof that the stage has not done. */
  readonly ownUnits: number;
}

export interface Estimate {
  /** Seconds from now until the proof is ready: as likely before as after. */
  readonly p50Seconds: number;
  /** Seconds that are kept in 95 of 100 cases. */
  readonly p95Seconds: number;
}

/** The 95th percentile of a normal distribution, in standard deviations. */
const Z95 = 1.645;
/** More partitions than this are not placed one by one. */
const PLACED_MAX = 512;

interface StageEnd {
  readonly seconds: number;
  readonly deviation: number;
}

/** When a stage has done the proof's partitions, if it never waits for the one before; null without lanes. */
function stageEnd({ lanes, spread, unitsAhead, ownUnits }: StageLoad): StageEnd | null {
  if (ownUnits === 0) return { seconds: 0, deviation: 0 };
  if (lanes.length === 0) return null;
  const units = unitsAhead + ownUnits;
  const perSecond = lanes.reduce((sum, { seconds }) => sum + 1 / seconds, 0);
  const perLane = lanes.length / perSecond;
  // Durations are about log-normal: their mean lies above their median.
  const mean = Math.exp((Math.log(spread) / Z95) ** 2 / 2);
  const busy = lanes.reduce((sum, { freeInSeconds }) => sum + freeInSeconds, 0) / lanes.length;
  // Lanes that do not keep step end at different times; the last one is this much after the average.
  const outOfStep = spread > 1 ? lanes.length / (lanes.length + 1) - 1 / 2 : 0;
  const average = busy + mean * (units / perSecond) + outOfStep * perLane;
  const inARow = Math.max(1, units / perSecond / perLane);
  return {
    seconds: Math.max(average, placedEnd(lanes, units, perSecond)),
    deviation: ((perLane * (spread - 1)) / Z95) * Math.sqrt(inARow / lanes.length),
  };
}

/** When the last of so many partitions is done if each goes where it ends first and takes the median. */
function placedEnd(lanes: readonly Lane[], units: number, perSecond: number): number {
  // What goes far before is spread over all lanes by their speed; only the end is placed unit by unit.
  const placed = Math.min(units, PLACED_MAX);
  const before = (units - placed) / perSecond;
  const free = lanes.map(({ freeInSeconds }) => freeInSeconds + before);
  let end = 0;
  for (let unit = 0; unit < placed; unit++) {
    const at = bestLane(lanes, free);
    free[at] = (free[at] as number) + (lanes[at] as Lane).seconds;
    end = Math.max(end, free[at] as number);
  }
  return end;
}

function bestLane(lanes: readonly Lane[], free: readonly number[]): number {
  let best = 0;
  for (let i = 1; i < lanes.length; i++) {
    const end = (free[i] as number) + (lanes[i] as Lane).seconds;
    if (end < (free[best] as number) + (lanes[best] as Lane).seconds) best = i;
  }
  return best;
}

/**
 * When a proof will be ready: its partitions go through synthesis and proving side by side, so that the slower of
 * the two sets the time; the faster one adds what its first or last partition takes. Null when a stage has no lane.
 */
export function estimateFinish(
  synthesis: StageLoad,
  proving: StageLoad,
  tailSeconds: number,
): Estimate | null {
  const synthesized = stageEnd(synthesis);
  const proved = stageEnd(proving);
  if (!synthesized || !proved) return null;
  const firstSynthesis = synthesis.ownUnits === 0 ? 0 : fastest(synthesis);
  const lastProof = proving.ownUnits === 0 ? 0 : fastest(proving);
  const byProving = { ...proved, seconds: proved.seconds + firstSynthesis };
  const bySynthesis = { ...synthesized, seconds: synthesized.seconds + lastProof };
  const slower = byProving.seconds >= bySynthesis.seconds ? byProving : bySynthesis;
  const p50Seconds = slower.seconds + tailSeconds;
  return { p50Seconds, p95Seconds: p50Seconds + Z95 * slower.deviation };
}

const fastest = ({ lanes }: StageLoad): number => Math.min(...lanes.map(({ seconds }) => seconds));
