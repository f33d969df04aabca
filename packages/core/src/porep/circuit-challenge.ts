import { bigintFromLe } from '../bytes.ts';
import type { Bool } from '../gadgets/boolean.ts';
import { createLabel } from '../gadgets/create-label.ts';
import { enforceInclusion, type PathShape } from '../gadgets/merkle-inclusion.ts';
import { addNums } from '../gadgets/num.ts';
import { columnHash } from '../gadgets/poseidon.ts';
import { elementStream } from '../gadgets/sha256-node.ts';
import { allocUInt64, packUInt64IntoInput, type UInt64 } from '../gadgets/uint64.ts';
import { expandParents } from '../hash/sha256-words.ts';
import { type ConstraintSystem, unknownValue } from '../r1cs/constraint-system.ts';
import type { Variable } from '../r1cs/variable.ts';
import type { CircuitPreamble } from './circuit-preamble.ts';
import type { ChallengeInput, ColumnInput } from './partition-input.ts';
import { DRG_PARENTS, EXP_PARENTS, type SectorShape } from './sector.ts';

/** Labels of one parent, layer 1 first. */
type Column = readonly Variable[];

interface ParentColumns {
  readonly drg: readonly Column[];
  readonly expander: readonly Column[];
}

const commDPath = (sector: SectorShape): PathShape => ({
  hasher: 'sha256',
  baseArity: 2,
  baseLength: sector.commDDepth,
  subArity: 0,
  topArity: 0,
});

/** Paths of tree C and of tree R. */
const treePath = (sector: SectorShape): PathShape => ({
  hasher: 'poseidon',
  baseArity: sector.tree.base,
  baseLength: sector.basePathLength,
  subArity: sector.tree.sub,
  topArity: sector.tree.top,
});

/** Steps c and d for one parent: its labels, their hash, and the hash's place in tree C (spec §7.2). */
function synthesizeParent(
  cs: ConstraintSystem,
  sector: SectorShape,
  preamble: CircuitPreamble,
  parent: ColumnInput | undefined,
  name: string,
): Column {
  cs.enter(`${name}_num`);
  const column = Array.from({ length: sector.layers }, (_, j) =>
    cs.allocElement(
      parent ? () => bigintFromLe(parent.rows[j]) : unknownValue,
      'column_num_row_',
      j,
    ),
  );
  cs.leave();
  const leaf = columnHash(cs, column, `${name}_constraint`);
  enforceInclusion(cs, treePath(sector), leaf, preamble.commC, parent?.path, `${name}_inclusion`);
  return column;
}

/** Step f for one layer: the bits of all parent labels, then the label of the challenged node. */
function synthesizeLayer(
  cs: ConstraintSystem,
  preamble: CircuitPreamble,
  parents: ParentColumns,
  node: UInt64,
  layer: number,
): Variable {
  cs.enter('labeling_', layer);
  const stream = (column: Column, atLayer: number, name: string, index: number): Bool[] =>
    elementStream(cs, column[atLayer - 1], name, index);
  const drg = parents.drg.map((column, k) => stream(column, layer, 'drg_parent_bits_', k));
  const expander =
    layer === 1
      ? []
      : parents.expander.map((column, k) =>
          stream(column, layer - 1, 'exp_parent_bits_', DRG_PARENTS + k),
        );
  const slots = expandParents(drg, expander);
  const label = createLabel(cs, preamble.replicaId, slots, layer, node, 'create_label');
  cs.leave();
  return label;
}

/**
 * One challenge: spec §7.2. Its rows refer to the preamble and to nothing of other challenges. `challenge`
 * is left out where values are unknown.
 */
export function synthesizeChallenge(
  cs: ConstraintSystem,
  sector: SectorShape,
  preamble: CircuitPreamble,
  challenge: ChallengeInput | undefined,
  index: number,
): void {
  cs.enter('challenge_', index);
  const dataLeaf = cs.allocElement(
    challenge ? () => bigintFromLe(challenge.dataLeaf) : unknownValue,
    'data_leaf',
  );
  enforceInclusion(
    cs,
    commDPath(sector),
    dataLeaf,
    preamble.commD,
    challenge?.commDPath,
    'comm_d_inclusion',
  );

  const parents: ParentColumns = {
    drg: Array.from({ length: DRG_PARENTS }, (_, i) =>
      synthesizeParent(cs, sector, preamble, challenge?.drgParents[i], `drg_parent_${i}`),
    ),
    expander: Array.from({ length: EXP_PARENTS }, (_, i) =>
      synthesizeParent(cs, sector, preamble, challenge?.expParents[i], `exp_parent_${i}`),
    ),
  };

  const node = allocUInt64(
    cs,
    challenge ? () => BigInt(challenge.node) : unknownValue,
    'challenge',
  );
  packUInt64IntoInput(cs, node, 'challenge input');

  const labels = Array.from({ length: sector.layers }, (_, i) =>
    synthesizeLayer(cs, preamble, parents, node, i + 1),
  );
  const encoded = addNums(cs, labels[labels.length - 1], dataLeaf, 'encode_node');
  enforceInclusion(
    cs,
    treePath(sector),
    encoded,
    preamble.commRLast,
    challenge?.commRLastPath,
    'comm_r_last_data_inclusion',
  );
  const leaf = columnHash(cs, labels, 'c_x_column_hash');
  enforceInclusion(
    cs,
    treePath(sector),
    leaf,
    preamble.commC,
    challenge?.columnPath,
    'c_x_inclusion',
  );
  cs.leave();
}
