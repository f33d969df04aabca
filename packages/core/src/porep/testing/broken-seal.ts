import {
  type BrokenC1,
  bytes,
  COLUMNS,
  changed,
  FIRST,
  HEX,
  inconsistent,
  KEY,
  PROOFS,
  parse,
  sealWrongly,
  tampered,
} from './break-c1.ts';
import { madeUpFr } from './seal-sector.ts';
import { readC1Case } from './vectors.ts';

/** Sectors that were sealed wrongly, so that everything else fits. */
export const TAMPERED: readonly BrokenC1[] = [
  ...[1, 2].map((wrong) =>
    tampered(
      `label that does not recompute, layer ${wrong}`,
      { label: (right, node, layer) => (layer === wrong ? madeUpFr(`label ${node}`) : right) },
      inconsistent(
        `${FIRST}/labeling_proofs/${wrong - 1}`,
        'label does not recompute',
        `the hash of the parents, which is row ${wrong - 1} of c_x`,
        'another value in that row',
      ),
    ),
  ),
  tampered(
    'replica leaf that is not the encoded data',
    { encoded: (_, node) => madeUpFr(`encoded ${node}`) },
    inconsistent(
      `${FIRST}/comm_r_last_proof`,
      'not the encoded data leaf',
      'data leaf plus last label',
      'another value',
    ),
  ),
  tampered(
    'DRG parent that is not in the graph',
    {
      graph: (right) => (node) => {
        const { drg, exp } = right(node);
        return { drg: drg.with(4, Math.floor(drg[4] / 2)), exp };
      },
    },
    inconsistent(
      `${COLUMNS}/drg_parents/4`,
      'not that of the parent in the graph',
      /^node [0-9]+$/,
      /^node [0-9]+$/,
    ),
  ),
  tampered(
    'expander parents in another order',
    {
      graph: (right) => (node) => {
        const { drg, exp } = right(node);
        return { drg, exp: [...exp.slice(1), exp[0]] };
      },
    },
    inconsistent(
      `${COLUMNS}/exp_parents/0`,
      'not that of the parent in the graph',
      /^node [0-9]+$/,
      /^node [0-9]+$/,
    ),
  ),
  tampered(
    'challenge of own choice',
    { challenge: () => 5 },
    inconsistent(
      `${FIRST}/labeling_proofs/0/node`,
      'not the one that the seed demands',
      /^[0-9]+$/,
      '5',
    ),
  ),
  tampered(
    'comm_d of other data',
    { commD: madeUpFr('comm_d') },
    inconsistent('/comm_d', 'do not lead to comm_d', 'the root of tree D', HEX),
  ),
  {
    name: 'replica tree of another sector in the second challenge',
    make: () => {
      const sector = parse(sealWrongly({ challenge: () => 5 }));
      const other = parse(sealWrongly({ challenge: () => 5 }, madeUpFr('ticket')));
      sector.vanilla_proofs[KEY][0][1].comm_r_last_proof =
        other.vanilla_proofs[KEY][0][1].comm_r_last_proof;
      return bytes(JSON.stringify(sector));
    },
    ...inconsistent(
      `${PROOFS}/0/1/comm_r_last_proof`,
      'roots of tree R differ',
      'the root of the first challenge of the document',
      'another root',
    ),
  },
  changed(
    'column of another sector',
    (_, first) => {
      const other = parse(readC1Case('2KiB-V1_1-b').c1).vanilla_proofs[KEY][0][0];
      first.replica_column_proofs.drg_parents[2] = other.replica_column_proofs.drg_parents[2];
    },
    inconsistent(
      `${COLUMNS}/drg_parents/2/inclusion_proof`,
      'roots of tree C differ',
      'the root of the first challenge of the document',
      'another root',
    ),
  ),
];

/** One document for every kind of bad C1, each wrong in one way only. */
