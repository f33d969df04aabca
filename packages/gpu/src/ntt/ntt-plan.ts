import type { DeviceTraits } from '../device/context.ts';

/** Elements of a tile: 256 invocations of four elements and 16 KiB of workgroup memory, the WebGPU defaults. */
export const TILE_LOG = 10;
/** Four limbs of every element are in workgroup memory at once. */
const TILE_BYTES = 16 * 2 ** TILE_LOG;
/** Below this size of a block the plain form is used everywhere: a tile pass would leave most of a GPU idle. */
const SMALLEST_TILED_LOG = 12;

/** Powers of the domain's root, or of its inverse. */
export type Direction = 'forward' | 'inverse';
type NttForm = 'plain' | 'tiled';

/**
 * How a transform of 2^logN points is cut into dispatches. Outer levels that pair elements of different segments run
 * as cross steps of two levels each; then every segment holds whole blocks of 2^logBlock points.
 */
export interface NttPlan {
  readonly logN: number;
  /** log2 of the elements in one buffer; logN where one buffer holds all. */
  readonly logSegment: number;
  /** log2 of the block at the start of each cross step, outermost first. */
  readonly crossBlocks: readonly number[];
  readonly logBlock: number;
  readonly form: NttForm;
  /** Tiled form: levels of each pass, outermost first; their sum is logBlock. Plain form: empty. */
  readonly passes: readonly number[];
  /** Tiled form: twiddles between passes come from one table in access order (true) or from two-level tables. */
  readonly fullBoundary: boolean;
}

export interface NttPlanOptions {
  /** Elements in each buffer of the vectors, a power of two. */
  readonly segmentLength: number;
  readonly form?: NttForm;
  readonly fullBoundary?: boolean;
}

/** Chooses the plan. Throws RangeError unless 1 ≤ logN ≤ 32. */
export function planNtt(traits: DeviceTraits, logN: number, options: NttPlanOptions): NttPlan {
  if (!Number.isInteger(logN) || logN < 1 || logN > 32) {
    throw new RangeError(`logN: expected an integer in 1..32, got ${logN}`);
  }
  const logSegment = Math.min(logN, Math.log2(options.segmentLength));
  const crossBlocks: number[] = [];
  let logBlock = logN;
  for (; logBlock > logSegment; logBlock -= 2) crossBlocks.push(logBlock);
  const tiles =
    logBlock >= SMALLEST_TILED_LOG &&
    traits.workgroupInvocations >= 2 ** (TILE_LOG - 2) &&
    traits.workgroupBytes >= TILE_BYTES;
  const wanted = options.form ?? (traits.software ? 'plain' : 'tiled');
  const form = wanted === 'tiled' && tiles ? 'tiled' : 'plain';
  return {
    logN,
    logSegment,
    crossBlocks,
    logBlock,
    form,
    passes: form === 'tiled' ? splitPasses(logBlock) : [],
    fullBoundary: options.fullBoundary ?? true,
  };
}

/** As few passes of at most TILE_LOG levels as possible, even ones where it can be: an odd one needs one more stage. */
export function splitPasses(logBlock: number): number[] {
  const count = Math.ceil(logBlock / TILE_LOG);
  const pairs = Math.floor(logBlock / 2);
  const passes = Array.from(
    { length: count },
    (_, i) => 2 * (Math.floor(pairs / count) + (i < pairs % count ? 1 : 0)),
  );
  // the smallest pass is the last one, so the odd level fits there
  if (logBlock % 2 === 1) passes[count - 1] += 1;
  return passes;
}
