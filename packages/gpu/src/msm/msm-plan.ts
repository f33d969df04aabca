import { maxArenaPoints } from '../curve/pair-tree.ts';
import { foldSize } from '../curve/pair-tree-fold.ts';
import { type CurveGroup, POINT_BYTES, segmentPointsFor } from '../curve/point-segments.ts';
import type { DeviceTraits, MsmRates } from '../device/context.ts';
import { oneForEach } from '../device/one-for-each.ts';
import { cutPoints, type PointPart } from './point-parts.ts';

/** Bits that signed digits of a folded scalar cover (kernels/msm/signed-digits.wgsl). */
export const SCALAR_BITS = 255;

/** Windows 0 … wide − 1 have `bits` bits, the others bits − 1; together they cover SCALAR_BITS. */
export interface WindowShape {
  readonly windows: number;
  readonly wide: number;
  readonly bits: number;
}

/** A run of windows. */
export interface WindowRun {
  readonly first: number;
  readonly count: number;
}

/**
 * Windows whose buckets are kept and folded together. They are filled part by part, by runs that are sorted together.
 */
export interface MsmFold extends WindowRun {
  readonly parts: readonly (PointPart & { readonly runs: readonly WindowRun[] })[];
}

export interface MsmPlan extends WindowShape {
  readonly count: number;
  readonly segmentPoints: number;
  readonly folds: readonly MsmFold[];
  /** List elements and arena points that cover every run and fold. */
  readonly elements: number;
  readonly arenaPoints: number;
  /** Buckets of the largest run, and of the largest fold. */
  readonly runBuckets: number;
  readonly foldBuckets: number;
  /** Entries (points × windows) of the largest run. */
  readonly runEntries: number;
  /** Entries of one window that are put into their buckets at once. */
  readonly scatterEntries: number;
  /** Point additions expected for random scalars, all arrays apart. */
  readonly additions: number;
  /** What one array takes by the rates of the device. */
  readonly seconds: number;
}

export interface MsmPlanOptions {
  /** Number of windows; by default the cheapest by the cost model. */
  readonly windows?: number;
  /**
   * Most entries sorted at once; buckets kept and folded at once take less memory than they do. Bounds scratch memory.
   */
  readonly maxEntries?: number;
  /** Entries of one window put into their buckets at once; by default what the cache of a large GPU holds. */
  readonly scatterEntries?: number;
  /** Fill and fold only this many windows, the lowest; by default all. */
  readonly lowWindows?: number;
  /** Scalars are on their way: the first points are summed by themselves where that is enough to do. */
  readonly arriving?: boolean;
}

/** Typical rates of each kind of adapter; a measured device has its own (tune-windows.ts). */
const SOFTWARE_RATES: MsmRates = { addition: 5e-7, round: 3e-4, entry: 2.5e-8, bucket: 1.2e-7 };
const HARDWARE_RATES: MsmRates = { addition: 6e-10, round: 1.5e-4, entry: 1.5e-10, bucket: 6e-10 };
export const typicalRates = ({ software }: Pick<DeviceTraits, 'software'>): MsmRates =>
  software ? SOFTWARE_RATES : HARDWARE_RATES;
/** Multiplications of a G2 addition over those of a G1 addition. */
const G2_FACTOR = 2.3;
const HARDWARE_MAX_ENTRIES = 2 ** 25;
/** Of the entries sorted at once: a smaller part takes longer for itself than it hides of an upload. */
const LEAST_PART = 1 / 5;
/** 16 MiB of a list: its lines are full before they leave the cache. */
const HARDWARE_SCATTER_ENTRIES = 2 ** 22;
/** Windows of at most 24 bits, and of at least 4. */
export const MIN_WINDOWS = 11;
export const MAX_WINDOWS = 63;

/**
 * The most even widths. The top window must have 4 bits or more: its digits end at 2^(c−1) − 1, and the folded scalar
 * reaches 0.906·2^254. Throws RangeError on windows outside MIN_WINDOWS … MAX_WINDOWS.
 */
export function windowShape(windows: number): WindowShape {
  if (!Number.isInteger(windows) || windows < MIN_WINDOWS || windows > MAX_WINDOWS) {
    throw new RangeError(`windows: expected ${MIN_WINDOWS} to ${MAX_WINDOWS}, got ${windows}`);
  }
  const bits = Math.ceil(SCALAR_BITS / windows);
  return { windows, bits, wide: SCALAR_BITS - windows * (bits - 1) };
}

export const windowBits = ({ wide, bits }: WindowShape, window: number): number =>
  window < wide ? bits : bits - 1;

/** Lowest bit of a window. */
export const windowOffset = ({ wide, bits }: WindowShape, window: number): number =>
  window * bits - Math.max(0, window - wide);

/** Wide windows of a run; they come first. */
const wideInRun = ({ wide }: WindowShape, run: WindowRun): number =>
  Math.min(Math.max(wide - run.first, 0), run.count);

/** Buckets of a run of windows: half of the values of a window, as digits are signed. */
export function bucketsInRun(shape: WindowShape, run: WindowRun): number {
  const wide = wideInRun(shape, run);
  return wide * 2 ** (shape.bits - 1) + (run.count - wide) * 2 ** (shape.bits - 2);
}

/** The run as bucket arrays of pair-tree-fold.ts. A run of narrow windows alone is a run of wide ones, one bit less. */
export function foldShape(
  shape: WindowShape,
  run: WindowRun,
): { wide: number; narrow: number; logWide: number } {
  const wide = wideInRun(shape, run);
  if (wide === 0) return { wide: run.count, narrow: 0, logWide: shape.bits - 2 };
  return { wide, narrow: run.count - wide, logWide: shape.bits - 1 };
}

/** Finding one takes the host some ms, and a proof asks for the same few again and again. */
const plansOf = oneForEach((_: DeviceTraits) => new Map<string, MsmPlan>());

/**
 * Chooses windows and how much of the work is done at once, for `count` points of `group` on a device with these
 * traits. Throws RangeError where `options.windows` does not fit the device.
 */
export function planMsm(
  count: number,
  traits: DeviceTraits,
  group: CurveGroup,
  options: MsmPlanOptions = {},
  segmentPoints = segmentPointsFor(traits, group),
): MsmPlan {
  const plans = plansOf(traits);
  const key = JSON.stringify([count, group, options, segmentPoints]);
  const plan = plans.get(key) ?? findPlan(count, traits, group, options, segmentPoints);
  plans.set(key, plan);
  return plan;
}

function findPlan(
  count: number,
  traits: DeviceTraits,
  group: CurveGroup,
  options: MsmPlanOptions,
  segmentPoints: number,
): MsmPlan {
  const rates = traits.msmRates ?? typicalRates(traits);
  const rows = Math.floor(traits.maxBindingBytes / POINT_BYTES[group]);
  const limits = {
    // a software adapter gains nothing from larger runs, and has less memory
    arena: traits.software ? rows : maxArenaPoints(traits, group),
    rows,
    entries:
      options.maxEntries ?? (traits.software ? Number.POSITIVE_INFINITY : HARDWARE_MAX_ENTRIES),
    folded: (options.maxEntries ?? Number.POSITIVE_INFINITY) / 2,
    scatter:
      options.scatterEntries ??
      (traits.software ? Number.POSITIVE_INFINITY : HARDWARE_SCATTER_ENTRIES),
    arriving: options.arriving === true,
  };
  let best: MsmPlan | undefined;
  const candidates =
    options.windows === undefined
      ? Array.from({ length: MAX_WINDOWS - MIN_WINDOWS + 1 }, (_, i) => MIN_WINDOWS + i)
      : [options.windows];
  for (const windows of candidates) {
    const shape = windowShape(windows);
    const run = { first: 0, count: options.lowWindows ?? windows };
    const plan = planFor(shape, run, count, segmentPoints, limits);
    if (plan === undefined) continue;
    const seconds = estimateSeconds(plan, rates, group);
    if (best === undefined || seconds < best.seconds) best = { ...plan, seconds };
  }
  if (best === undefined) {
    throw new RangeError(
      `MSM of ${count} points in ${candidates.join(', ')} windows does not fit a binding of ${traits.maxBindingBytes} bytes`,
    );
  }
  return best;
}

interface Limits {
  readonly arena: number;
  readonly rows: number;
  readonly entries: number;
  /** Arena points of a fold of several windows. */
  readonly folded: number;
  readonly scatter: number;
  readonly arriving: boolean;
}

function planFor(
  shape: WindowShape,
  all: WindowRun,
  count: number,
  segmentPoints: number,
  limits: Limits,
): Omit<MsmPlan, 'seconds'> | undefined {
  const leastPoints = limits.arriving
    ? (limits.entries * LEAST_PART) / all.count
    : Number.POSITIVE_INFINITY;
  const foldFits = (run: WindowRun): boolean => {
    const { sums } = foldSize(foldShape(shape, run));
    return (
      bucketsInRun(shape, run) <= limits.rows &&
      sums <= limits.arena &&
      (run.count === 1 || sums <= limits.folded)
    );
  };
  const folds = splitWindows(all, foldFits)?.map((fold, i) =>
    fillFold(
      shape,
      fold,
      cutPoints(count, segmentPoints, i === 0 ? leastPoints : Number.POSITIVE_INFINITY),
      limits,
    ),
  );
  if (folds === undefined || !folds.every((fold) => fold !== undefined)) return undefined;
  const foldSizes = folds.map((fold) => foldSize(foldShape(shape, fold)));
  const sorts = folds.flatMap(({ parts }) =>
    // most segments are alike
    parts
      .filter(({ runs }, i) => runs !== parts[i - 1]?.runs)
      .flatMap((part) =>
        part.runs.map((run) => ({
          entries: run.count * part.count,
          buckets: bucketsInRun(shape, run),
          points: arenaPointsOf(shape, run, part, parts.length > 1),
        })),
      ),
  );
  const most = (sizes: readonly number[]): number => Math.max(0, ...sizes);
  const runPoints = most(sorts.map(({ points }) => points));
  return {
    ...shape,
    count,
    segmentPoints,
    folds,
    elements: Math.max(runPoints, ...foldSizes.map((size) => size.elements)),
    arenaPoints: Math.max(runPoints, ...foldSizes.map((size) => size.sums)),
    runBuckets: most(sorts.map(({ buckets }) => buckets)),
    foldBuckets: most(folds.map((fold) => bucketsInRun(shape, fold))),
    runEntries: most(sorts.map(({ entries }) => entries)),
    scatterEntries: limits.scatter,
    additions: expectedAdditions(shape, count),
  };
}

/** Arena points of a run over one of several parts, whose sums go on into the next, or over all points. */
const arenaPointsOf = (
  shape: WindowShape,
  run: WindowRun,
  { count }: PointPart,
  several: boolean,
): number => run.count * count + (several ? bucketsInRun(shape, run) : 0);

/** As few runs for each part as fit; undefined where a single window does not. */
function fillFold(
  shape: WindowShape,
  fold: WindowRun,
  cuts: readonly PointPart[],
  { arena, entries }: Pick<Limits, 'arena' | 'entries'>,
): MsmFold | undefined {
  const parts: MsmFold['parts'][number][] = [];
  for (const part of cuts) {
    const before = parts.at(-1);
    const runs =
      before?.count === part.count
        ? before.runs
        : splitWindows(
            fold,
            (run) =>
              arenaPointsOf(shape, run, part, cuts.length > 1) <= arena &&
              (run.count === 1 || run.count * part.count <= entries),
          );
    if (runs === undefined) return undefined;
    parts.push({ ...part, runs });
  }
  return { ...fold, parts };
}

/** Most windows from `first` on, up to `limit`, that fit; what fits also does with one window less. */
function mostWindows(first: number, limit: number, fits: (run: WindowRun) => boolean): number {
  let most = 0;
  for (let over = limit + 1; over - most > 1; ) {
    const count = (most + over) >> 1;
    if (fits({ first, count })) most = count;
    else over = count;
  }
  return most;
}

/** Cuts a run into as few pieces as fit, even ones where those fit too; undefined where a single window does not. */
function splitWindows(run: WindowRun, fits: (run: WindowRun) => boolean): WindowRun[] | undefined {
  const fullest: WindowRun[] = [];
  for (let first = run.first, end = run.first + run.count; first < end; ) {
    const count = mostWindows(first, end - first, fits);
    if (count === 0) return undefined;
    fullest.push({ first, count });
    first += count;
  }
  const cut = (i: number): number => run.first + Math.floor((i * run.count) / fullest.length);
  const even = fullest.map((_, i) => ({ first: cut(i), count: cut(i + 1) - cut(i) }));
  return even.every(fits) ? even : fullest;
}

function expectedAdditions(shape: WindowShape, count: number): number {
  let additions = 0;
  for (let window = 0; window < shape.windows; window++) {
    const buckets = 2 ** (windowBits(shape, window) - 1);
    const digits = count * (1 - 1 / (2 * buckets));
    const filled = buckets * (1 - Math.exp(-digits / buckets));
    additions += digits - filled + 2 * buckets;
  }
  return additions;
}

function estimateSeconds(
  plan: Omit<MsmPlan, 'seconds'>,
  rates: MsmRates,
  group: CurveGroup,
): number {
  let rounds = 0;
  let buckets = 0;
  for (const fold of plan.folds) {
    for (const { count, runs } of fold.parts) {
      const perBucket = count / 2 ** (plan.bits - 1);
      rounds += runs.length * Math.ceil(Math.log2(perBucket + 4 * Math.sqrt(perBucket) + 2));
    }
    rounds += plan.bits;
    buckets += fold.parts.length * bucketsInRun(plan, fold);
  }
  return (
    plan.additions * rates.addition * (group === 'g2' ? G2_FACTOR : 1) +
    rounds * rates.round +
    buckets * rates.bucket +
    plan.count * plan.windows * rates.entry
  );
}
