import { ELEMENT_BITS } from '../gadgets/fill-element-bits.ts';
import { pathStepCounts } from '../gadgets/fill-merkle-path.ts';
import { poseidonAux } from '../gadgets/fill-poseidon.ts';
import type { PoseidonArity } from '../hash/poseidon-constants.ts';
import type { WitnessCounts } from '../r1cs/witness-sink.ts';
import { labelAux } from './fill-label.ts';
import { DRG_PARENTS, EXP_PARENTS, publicInputCount, type SectorShape } from './sector.ts';

interface AuxCounts {
  readonly aux: number;
  readonly elements: number;
}

const sum = (parts: readonly AuxCounts[]): AuxCounts => ({
  aux: parts.reduce((total, part) => total + part.aux, 0),
  elements: parts.reduce((total, part) => total + part.elements, 0),
});
const times = (count: number, part: AuxCounts): AuxCounts => ({
  aux: count * part.aux,
  elements: count * part.elements,
});
const elements = (count: number): AuxCounts => ({ aux: count, elements: count });
const bits = (count: number): AuxCounts => ({ aux: count, elements: 0 });

/** Arities of the levels of a path in tree C or R, leaf to root. */
function pathArities({ tree, basePathLength }: SectorShape): number[] {
  const base = new Array<number>(basePathLength).fill(tree.base);
  return [...base, tree.sub, tree.top].filter((arity) => arity > 0);
}

/** One layer of step f: 6 or 14 decompositions, the label's bits, the label. */
const layerCounts = (layer: number): AuxCounts => {
  const parents = layer === 1 ? DRG_PARENTS : DRG_PARENTS + EXP_PARENTS;
  return sum([bits(ELEMENT_BITS * parents + labelAux(layer) - 1), elements(1)]);
};

function challengeCounts(shape: SectorShape, checkpoint: () => void): AuxCounts {
  const poseidonPath = sum(pathArities(shape).map((arity) => pathStepCounts('poseidon', arity)));
  const columnHash = elements(poseidonAux(shape.layers as PoseidonArity));
  const parentColumn = sum([elements(shape.layers), columnHash, poseidonPath]);
  const layers = Array.from({ length: shape.layers }, (_, i) => {
    checkpoint();
    return layerCounts(i + 1);
  });
  return sum([
    elements(1),
    times(shape.commDDepth, pathStepCounts('sha256', 2)),
    times(DRG_PARENTS + EXP_PARENTS, parentColumn),
    bits(64),
    ...layers,
    elements(1),
    poseidonPath,
    columnHash,
    poseidonPath,
  ]);
}

/**
 * Sizes of a partition's witness, from the gadgets' sizes (spec §7.3). The first call for a shape derives
 * the tables of its gadgets, some 10 ms between one `checkpoint` and the next.
 */
export function partitionCounts(
  shape: SectorShape,
  checkpoint: () => void = () => {},
): WitnessCounts {
  // replica_id, comm_d, comm_r, comm_r_last, comm_c, the bits of replica_id, the hash of the two roots.
  const preamble = sum([elements(5), bits(ELEMENT_BITS), elements(poseidonAux(2))]);
  return {
    inputs: 1 + publicInputCount(shape),
    ...sum([preamble, times(shape.challengesPerPartition, challengeCounts(shape, checkpoint))]),
  };
}
