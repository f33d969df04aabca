import { countBits, hasBit, rankOf, ranksOf } from '@cuzk/core/r1cs/bitmap';
import { expandBitmap } from '@cuzk/core/r1cs/density';
import type { CircuitShape } from '@cuzk/core/r1cs/shape';
import { NO_POINT } from '../curve/point-convert-gather.ts';

/**
 * How the query vectors of an SRS file line up with a witness. A witness is cut in two: *bits* (one plane over all
 * aux) whose bases are summed by selection, and the *tail*: all inputs, then the element aux in ascending order,
 * whose bases go through a full MSM. l, a, bG1 and bG2 share the tail's scalars.
 */
export interface QueryLayout {
  /** Scalars in the tail. */
  readonly tailCount: number;
  /** Index in the file's vector of each tail scalar's base, or NO_POINT. */
  readonly tail: { readonly l: Uint32Array; readonly a: Uint32Array; readonly b: Uint32Array };
  /** Compacted vectors: the base of aux j is firstAux + (set bits of the density below j). */
  readonly a: CompactedQuery;
  readonly b: CompactedQuery;
}

export interface CompactedQuery {
  /** Bases of inputs come first. */
  readonly firstAux: number;
  /** Aux that have a base (bitmap over aux). */
  readonly density: Uint32Array;
  /** Set bits of `density` before each word. */
  readonly ranks: Uint32Array;
  /** Points in the vector. */
  readonly count: number;
}

/** Lines up the query vectors of a circuit (spec §4.2, §4.3). */
export function layOutQueries(shape: CircuitShape): QueryLayout {
  const compact = (name: 'aDensity' | 'bDensity', firstAux: number): CompactedQuery => {
    const density = expandBitmap(shape, name);
    return { firstAux, density, ranks: ranksOf(density), count: firstAux + countBits(density) };
  };
  // Every input is in a because of its input row; in b only those that occur in B.
  const a = compact('aDensity', shape.inputs);
  const b = compact('bDensity', countBits(shape.bInputDensity));
  const elements = expandBitmap(shape, 'elementBitmap');
  const tailCount = shape.inputs + countBits(elements);
  const tail = {
    l: new Uint32Array(tailCount).fill(NO_POINT),
    a: new Uint32Array(tailCount).fill(NO_POINT),
    b: new Uint32Array(tailCount).fill(NO_POINT),
  };
  for (let input = 0, inB = 0; input < shape.inputs; input++) {
    tail.a[input] = input;
    if (hasBit(shape.bInputDensity, input)) tail.b[input] = inB++;
  }
  let at = shape.inputs;
  forEachSetBit(elements, (aux) => {
    tail.l[at] = aux;
    for (const [query, target] of [
      [a, tail.a],
      [b, tail.b],
    ] as const) {
      if (hasBit(query.density, aux))
        target[at] = query.firstAux + rankOf(query.density, query.ranks, aux);
    }
    at++;
  });
  return { tailCount, tail, a, b };
}

function forEachSetBit(bitmap: Uint32Array, visit: (bit: number) => void): void {
  for (let w = 0; w < bitmap.length; w++) {
    for (let word = bitmap[w]; word !== 0; word &= word - 1)
      visit(w * 32 + 31 - Math.clz32(word & -word));
  }
}
