import type { DeviceTraits } from '../device/context.ts';

/** Elements of a tile at most: 256 invocations of four elements and 16 KiB of workgroup memory, the WebGPU defaults. */
const TILE_LOG = 10;
/**
 * A smaller tile for passes that leave it two columns: its workgroups wait less for one another, 5 to 9 % of a pass.
 */
const SMALL_TILE_LOG = 9;
/** Four limbs of every element are in workgroup memory at once. */
const TILE_BYTES = 16;
/** Below this size of a block the plain form is used everywhere: a tile pass would leave most of a GPU idle. */
const SMALLEST_TILED_LOG = 12;

/** Powers of the domain's root, or of its inverse. */
export type Direction = 'forward' | 'inverse';
type NttForm = 'plain' | 'tiled';

/** One pass of the tiled form. */
export interface TilePass {
  readonly levels: number;
  /** log2 of the elements that a workgroup holds, four to an invocation. */
  readonly tileLog: number;
  /** log2 of the points of the transform that this pass is the outermost part of. */
  readonly logBlock: number;
  /** Its points are neighbours: the last pass of DIF. */
  readonly inner: boolean;
  /** The outermost pass over a vector of two or four segments: bound to the quarters of the whole vector. */
  readonly quarters: boolean;
  /**
   * Where twiddles between this pass and those inside come from: one table in access order; two tables and a product;
   * or nowhere, since the stages of the pass have twiddles of the whole block.
   */
  readonly boundary: 'none' | 'full' | 'two-level' | 'merged';
}

/**
 * How a transform of 2^logN points is cut into dispatches. Outer levels that pair elements of different segments run
 * as cross steps of two levels each, or in the outermost tile pass where there are at most four segments; then every
 * segment holds whole blocks.
 */
export interface NttPlan {
  readonly logN: number;
  /** log2 of the elements in one buffer; logN where one buffer holds all. */
  readonly logSegment: number;
  /** log2 of the block at the start of each cross step, outermost first. */
  readonly crossBlocks: readonly number[];
  /** log2 of the points of a block after the cross steps. */
  readonly logBlock: number;
  readonly form: NttForm;
  /** Tiled form: its passes, outermost first; their levels add up to logBlock. Plain form: empty. */
  readonly passes: readonly TilePass[];
}

export interface NttPlanOptions {
  /** Elements in each buffer of the vectors, a power of two. */
  readonly segmentLength: number;
  readonly form?: NttForm;
  /** False: twiddles between passes always come from two small tables and a product. */
  readonly fullBoundary?: boolean;
  /** Levels of each tile pass, outermost first; default: splitPasses. */
  readonly levels?: readonly number[];
}

/** Chooses the plan. Throws RangeError unless 1 ≤ logN ≤ 31: tables hold powers of a root of order 2^(logN + 1). */
export function planNtt(traits: DeviceTraits, logN: number, options: NttPlanOptions): NttPlan {
  if (!Number.isInteger(logN) || logN < 1 || logN > 31) {
    throw new RangeError(`logN: expected an integer in 1..31, got ${logN}`);
  }
  const { segmentLength } = options;
  const logSegment = Math.min(logN, Math.log2(segmentLength));
  const wanted = options.form ?? (traits.software ? 'plain' : 'tiled');
  const tiles =
    wanted === 'tiled' &&
    logSegment >= SMALLEST_TILED_LOG &&
    traits.workgroupInvocations >= 2 ** (TILE_LOG - 2) &&
    traits.workgroupBytes >= TILE_BYTES * 2 ** TILE_LOG;
  const crossBlocks: number[] = [];
  let logBlock = logN;
  // the outermost tile pass takes the last two of the levels between segments
  for (; logBlock > logSegment + (tiles ? 2 : 0); logBlock -= 2) crossBlocks.push(logBlock);
  const passes = tiles ? tilePasses(logBlock, logSegment, options) : [];
  const form = tiles ? 'tiled' : 'plain';
  return { logN, logSegment, crossBlocks, logBlock, form, passes };
}

function tilePasses(logBlock: number, logSegment: number, options: NttPlanOptions): TilePass[] {
  const { fullBoundary = true, levels = splitPasses(logBlock) } = options;
  let rest = logBlock;
  return levels.map((count, i) => {
    const inner = i === levels.length - 1;
    const quarters = rest > logSegment;
    const boundary = boundaryOf(fullBoundary, { inner, quarters, levels: count });
    const tileLog = count < SMALL_TILE_LOG ? SMALL_TILE_LOG : TILE_LOG;
    const pass = { levels: count, tileLog, logBlock: rest, inner, quarters, boundary };
    rest -= count;
    return pass;
  });
}

function boundaryOf(
  tables: boolean,
  { inner, quarters, levels }: Pick<TilePass, 'inner' | 'quarters' | 'levels'>,
): TilePass['boundary'] {
  if (inner) return 'none';
  if (!tables) return 'two-level';
  if (!quarters) return 'full';
  return levels % 2 === 0 ? 'merged' : 'two-level';
}

/**
 * As few passes of at most TILE_LOG levels as possible, even ones where it can be: an odd one needs one more exchange.
 * The largest is the inner one, whose elements are neighbours whatever it takes; a strided pass of eight levels moves
 * 128 bytes at a time.
 */
export function splitPasses(logBlock: number): number[] {
  const count = Math.ceil(logBlock / TILE_LOG);
  const pairs = Math.floor(logBlock / 2);
  const passes = Array.from(
    { length: count },
    (_, i) => 2 * (Math.floor(pairs / count) + (i < pairs % count ? 1 : 0)),
  );
  // the last of these is the smallest, so the odd level fits there
  if (logBlock % 2 === 1) passes[count - 1] += 1;
  return passes.toSorted((a, b) => a - b);
}
