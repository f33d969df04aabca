import { frInvert, frMul, frPow, frSub } from '@cuzk/core/field/fr';
import type { ToxicWaste } from '@cuzk/core/groth16/key-exponents';
import { reverseBits } from '@cuzk/core/poly/reverse-bits';
import { hasBit, rankOf } from '@cuzk/core/r1cs/bitmap';
import { multipleOfGenerator } from '../curve/generator-multiple.ts';
import { type CurveGroup, type PointSegments, readPoints } from '../curve/point-segments.ts';
import type { GpuContext } from '../device/context.ts';
import type { ProvingCircuit } from '../prover/proving-circuit.ts';
import { type CompactedQuery, layOutQueries, type QueryLayout } from '../prover/query-layout.ts';
import { type ColumnAtTau, columnsAtTau } from './columns-at-tau.ts';

export interface SpotCheck {
  readonly checked: number;
  /** Vector and index of every point that is not the expected multiple of the generator. */
  readonly wrong: readonly string[];
  /** Points whose column has too many terms to be evaluated here. */
  readonly skipped: number;
}

interface Claim {
  readonly name: string;
  readonly points: PointSegments<CurveGroup>;
  readonly index: number;
  readonly scalar: bigint | undefined;
}

/**
 * Compares some points of every vector and tail of an SRS with multiples of the generator by scalars from the
 * definition. `below(n)` picks an index; ends of the vectors are always among the checked.
 */
export async function spotCheckSrs(
  context: GpuContext,
  circuit: ProvingCircuit,
  waste: ToxicWaste,
  options: { each: number; mostTerms: number; below: (n: number) => number },
): Promise<SpotCheck> {
  const { shape, srs, deviceShape } = circuit;
  const { each, mostTerms, below } = options;
  const layout = layOutQueries(shape);
  const columns = shape.inputs + shape.aux;
  const picked = new Set([0, shape.inputs - 1, shape.inputs, columns - 1]);
  for (let i = 0; i < each; i++) picked.add(below(columns));
  // half of them have a place in the tails
  for (let i = 0; i < each; i++) {
    const element = below(layout.tailCount);
    picked.add(element < shape.inputs ? element : shape.inputs + layout.tail.l[element]);
  }
  const values = columnsAtTau(shape, [...picked], waste.tau, mostTerms);
  const claims: Claim[] = [];
  for (const [column, value] of values)
    claims.push(...claimsOf(circuit, layout, waste, column, value));
  const n = 2 ** deviceShape.logN;
  const factor = frMul(frSub(frPow(waste.tau, BigInt(n)), 1n), frInvert(waste.delta));
  for (const position of [0, n - 2, n - 1, ...Array.from({ length: each }, () => below(n))]) {
    const power = reverseBits(position, deviceShape.logN);
    const scalar = power === n - 1 ? 0n : frMul(factor, frPow(waste.tau, BigInt(power)));
    claims.push({ name: 'h', points: srs.h, index: position, scalar });
  }
  const wrong: string[] = [];
  for (const { name, points, index, scalar } of claims) {
    if (scalar === undefined) continue;
    const [found] = await readPoints(context, points, index, 1);
    if (!same(found, multipleOfGenerator(points.group, scalar))) wrong.push(`${name} ${index}`);
  }
  const skipped = claims.filter(({ scalar }) => scalar === undefined).length;
  return { checked: claims.length - skipped, wrong, skipped };
}

/** What one column says about every vector and tail. */
function claimsOf(
  { shape, srs }: ProvingCircuit,
  layout: QueryLayout,
  waste: ToxicWaste,
  column: number,
  value: ColumnAtTau | undefined,
): Claim[] {
  const isInput = column < shape.inputs;
  const aux = column - shape.inputs;
  const inA = isInput ? column : placeOf(layout.a, aux);
  const inB = isInput ? inputPlace(shape.bInputDensity, column) : placeOf(layout.b, aux);
  const tail = isInput ? column : layout.tail.l.indexOf(aux);
  const found: Claim[] = [];
  for (const [name, query, index, scalar] of [
    ['l', srs.l, isInput ? undefined : aux, value && exponentOfL(value, waste)],
    ['a', srs.a, inA, value?.u],
    ['bG1', srs.bG1, inB, value?.v],
    ['bG2', srs.bG2, inB, value?.v],
  ] as const) {
    if (index !== undefined) {
      found.push({ name, points: query.selected.points, index, scalar });
    }
    if (tail < 0) continue;
    // a tail has infinity where the vector has no point
    const inTail = index === undefined ? 0n : scalar;
    found.push({ name: `tail of ${name}`, points: query.tail, index: tail, scalar: inTail });
  }
  return found;
}

const exponentOfL = ({ u, v, w }: ColumnAtTau, { alpha, beta, delta }: ToxicWaste): bigint =>
  frMul(frMul(beta, u) + frMul(alpha, v) + w, frInvert(delta));

const placeOf = ({ density, ranks, firstAux }: CompactedQuery, aux: number): number | undefined =>
  hasBit(density, aux) ? firstAux + rankOf(density, ranks, aux) : undefined;

function inputPlace(density: Uint32Array, input: number): number | undefined {
  if (!hasBit(density, input)) return undefined;
  let place = 0;
  for (let i = 0; i < input; i++) if (hasBit(density, i)) place++;
  return place;
}

const same = (x: unknown, y: unknown): boolean =>
  JSON.stringify(x, (_, value) => (typeof value === 'bigint' ? value.toString(16) : value)) ===
  JSON.stringify(y, (_, value) => (typeof value === 'bigint' ? value.toString(16) : value));
