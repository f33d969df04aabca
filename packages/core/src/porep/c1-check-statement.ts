import { bytesEqual, toHex } from '../bytes.ts';
import { expandParents } from '../hash/sha256-words.ts';
import { inconsistent, type SealRoots } from './c1-check-challenge.ts';
import type { C1Header } from './c1-document.ts';
import type { Hashes } from './hashes.ts';
import { leafPosition } from './merkle-path.ts';
import type { ChallengeInput, ColumnInput } from './partition-input.ts';
import type { PublicStatement } from './public-inputs.ts';
import { replicaIdOf } from './replica-id.ts';
import { labelOf } from './vanilla.ts';

/** Who sealed what: not in the document, given by whoever asks for the proof. */
export interface SectorIdentity {
  readonly proverId: Uint8Array;
  readonly sectorId: bigint;
}

/** Throws C1_INCONSISTENT unless replica_id follows from miner, sector, ticket and comm_d (spec §7.8). */
export function checkReplicaId(header: C1Header, sector: SectorIdentity, hashes: Hashes): void {
  const { ticket, commD, registeredProof } = header;
  const derived = replicaIdOf(
    { ...sector, ticket, commD, porepId: registeredProof.porepId },
    hashes,
  );
  if (bytesEqual(derived, header.replicaId)) return;
  throw inconsistent(
    'replica_id does not follow from miner, sector number, ticket, comm_d and proof type',
    '/replica_id',
    toHex(derived),
    toHex(header.replicaId),
  );
}

/** Throws C1_INCONSISTENT unless the proofs' roots are the ones that the header commits to (spec §7.8). */
export function checkRoots(header: C1Header, roots: SealRoots, hashes: Hashes): void {
  if (!bytesEqual(roots.commD, header.commD)) {
    throw inconsistent(
      'the paths of tree D do not lead to comm_d',
      '/comm_d',
      'the root of tree D',
      toHex(header.commD),
    );
  }
  if (!bytesEqual(hashes.poseidon([roots.commC, roots.commRLast]), header.commR)) {
    throw inconsistent(
      'the roots of trees C and R do not give comm_r',
      '/comm_r',
      'the hash of both roots',
      toHex(header.commR),
    );
  }
}

/**
 * Throws C1_INCONSISTENT unless a challenge, already consistent in itself, is the one that the statement
 * demands (spec §7.6, §7.7) and its labels recompute (spec §7.9). `j` counts challenges over all partitions;
 * `rows` are the labels of the challenged node.
 */
export function checkAgainstStatement(
  challenge: ChallengeInput,
  rows: readonly Uint8Array[],
  j: number,
  statement: PublicStatement,
  hashes: Hashes,
  pointer: string,
): void {
  const { node, drgParents, expParents } = challenge;
  const demanded = statement.challengeAt(j);
  if (node !== demanded) {
    throw inconsistent(
      'the challenged node is not the one that the seed demands',
      `${pointer}/labeling_proofs/0/node`,
      String(demanded),
      String(node),
    );
  }
  const { drg, exp } = statement.graph(node);
  const at = `${pointer}/replica_column_proofs`;
  checkParents(drgParents, drg, `${at}/drg_parents`);
  checkParents(expParents, exp, `${at}/exp_parents`);
  rows.forEach((row, i) => {
    const layer = i + 1;
    const parents = expandParents(
      drgParents.map((column) => column.rows[i]),
      layer === 1 ? [] : expParents.map((column) => column.rows[i - 1]),
    );
    if (bytesEqual(labelOf(statement.replicaId, layer, node, parents, hashes), row)) return;
    throw inconsistent(
      'a label does not recompute',
      `${pointer}/labeling_proofs/${i}`,
      `the hash of the parents, which is row ${i} of c_x`,
      'another value in that row',
    );
  });
}

function checkParents(
  columns: readonly ColumnInput[],
  parents: readonly number[],
  at: string,
): void {
  columns.forEach((column, i) => {
    const position = leafPosition(column.path);
    if (position === parents[i]) return;
    throw inconsistent(
      'a parent column is not that of the parent in the graph',
      `${at}/${i}`,
      `node ${parents[i]}`,
      `node ${position}`,
    );
  });
}
