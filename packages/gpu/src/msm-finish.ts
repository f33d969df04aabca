import {
  fromNobleG1,
  fromNobleG2,
  NobleG1Point,
  NobleG2Point,
  toNobleG1,
  toNobleG2,
} from '@cuzk/core/curve/noble-points';
import type { G1Affine, G2Affine } from '@cuzk/core/curve/points';
import { type WindowShape, windowBits, windowOffset } from './msm-plan.ts';
import type { AffineOf, CurveGroup } from './point-segments.ts';

interface AddDouble<P> {
  add(other: P): P;
  double(): P;
}

/** A group's arithmetic on the host. */
interface HostGroup<A, P extends AddDouble<P>> {
  readonly zero: P;
  from(point: A): P;
  to(point: P): A;
}
const HOST_G1: HostGroup<G1Affine, (typeof NobleG1Point)['ZERO']> = {
  zero: NobleG1Point.ZERO,
  from: toNobleG1,
  to: fromNobleG1,
};
const HOST_G2: HostGroup<G2Affine, (typeof NobleG2Point)['ZERO']> = {
  zero: NobleG2Point.ZERO,
  from: toNobleG2,
  to: fromNobleG2,
};

/**
 * The result from the folded buckets: `rows` holds, window by window, Σ B[k] and the bit sums of pair-tree-fold.ts.
 * 255 doublings and as many additions, ≈ 10 ms.
 */
export function finishMsm<G extends CurveGroup>(
  group: G,
  shape: WindowShape,
  rows: readonly AffineOf<G>[],
): AffineOf<G> {
  const result =
    group === 'g1'
      ? combine(HOST_G1, shape, rows as readonly G1Affine[])
      : combine(HOST_G2, shape, rows as readonly G2Affine[]);
  return result as AffineOf<G>;
}

function combine<A, P extends AddDouble<P>>(
  host: HostGroup<A, P>,
  shape: WindowShape,
  rows: readonly A[],
): A {
  // by bit: the weight of bucket k is k + 1, so the sum of all buckets counts once more at the window's lowest bit
  const atBit: A[][] = [];
  let row = 0;
  for (let window = 0; window < shape.windows; window++) {
    const offset = windowOffset(shape, window);
    const bits = windowBits(shape, window) - 1;
    for (let j = -1; j < bits; j++) {
      const bit = offset + Math.max(j, 0);
      atBit[bit] ??= [];
      atBit[bit].push(rows[row++]);
    }
  }
  let sum = host.zero;
  for (let bit = atBit.length - 1; bit >= 0; bit--) {
    sum = sum.double();
    for (const point of atBit[bit] ?? []) {
      if (point !== null) sum = sum.add(host.from(point));
    }
  }
  return host.to(sum);
}
