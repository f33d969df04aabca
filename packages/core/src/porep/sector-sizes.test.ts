import { describe, expect, it } from 'vitest';
import { challengeCheck } from './c1-check-challenge.ts';
import { checkAgainstStatement } from './c1-check-statement.ts';
import type { ChallengeProof } from './c1-document.ts';
import { challengeJson } from './c1-json.ts';
import { challengeProofReader } from './c1-proof-reader.ts';
import { challengeRecordBytes, decodeChallenge, encodeChallenge } from './challenge-record.ts';
import { readJsonChunks } from './json-input.ts';
import type { ChallengeInput } from './partition-input.ts';
import {
  decodePartitionInput,
  encodePartitionInput,
  partitionInputFileBytes,
} from './partition-input-file.ts';
import { publicInputsOf, publicStatementOf } from './public-inputs.ts';
import { proverIdOfActor } from './replica-id.ts';
import { SECTOR_SHAPES } from './sector.ts';
import { hexed } from './testing/hexed.ts';
import { nodeHashes } from './testing/node-hashes.ts';
import { madeUpFr, sealSector } from './testing/seal-sector.ts';

const inputOf = (proof: ChallengeProof): ChallengeInput => ({
  node: proof.labeling[0].node,
  dataLeaf: proof.commD.leaf,
  commDPath: proof.commD.path,
  drgParents: proof.drgParents.map(({ rows, inclusion }) => ({ rows, path: inclusion.path })),
  expParents: proof.expParents.map(({ rows, inclusion }) => ({ rows, path: inclusion.path })),
  commRLastPath: proof.commRLast.path,
  columnPath: proof.column.inclusion.path,
});

/** The big shapes need thousands of Poseidon hashes; three challenges of them are enough here. */
describe.each(SECTOR_SHAPES)('a $name sector', (shape) => {
  const big = shape.challengesPerPartition > 2;
  const sector = sealSector({
    proof: `StackedDrg${big ? '64GiB' : '2KiB'}V1_1`,
    sectorBytes: shape.sectorBytes,
    challenges: big ? 3 : 2,
    proverId: proverIdOfActor(77n),
    sectorId: 2n ** 60n,
    ticket: madeUpFr('ticket'),
    seed: madeUpFr('seed'),
  });
  const proofs = sector.proofs.flat();

  it('gives challenges that are read back from JSON as they were', async () => {
    for (const proof of proofs) {
      const bytes = new TextEncoder().encode(challengeJson(proof, shape));
      const halves = [bytes.subarray(0, 20_001), bytes.subarray(20_001)];
      const read = await readJsonChunks(halves, challengeProofReader(shape));
      expect(hexed(read)).toEqual(hexed(proof));
    }
  });

  it('gives challenges that pass every check', () => {
    const check = challengeCheck(nodeHashes);
    const statement = { ...publicStatementOf(sector.header, nodeHashes), ...sector.rules };
    proofs.forEach((proof, j) => {
      const roots = check(proof, '');
      expect(nodeHashes.poseidon([roots.commC, roots.commRLast])).toEqual(sector.header.commR);
      checkAgainstStatement(inputOf(proof), proof.column.rows, j, statement, nodeHashes, '');
    });
  });

  it('packs challenges to records of one length and back', () => {
    for (const proof of proofs) {
      const input = inputOf(proof);
      const record = encodeChallenge(input, shape);
      expect(record.length).toBe(challengeRecordBytes(shape));
      expect(hexed(decodeChallenge(record, shape))).toEqual(hexed(input));
    }
  });

  it('travels as a CZPI file', () => {
    const { header } = sector;
    const roots = challengeCheck(nodeHashes)(proofs[0], '');
    const input = {
      sectorBytes: shape.sectorBytes,
      partition: 9,
      replicaId: header.replicaId,
      commD: header.commD,
      commR: header.commR,
      commRLast: roots.commRLast,
      commC: roots.commC,
      challenges: Array.from({ length: shape.challengesPerPartition }, (_, i) =>
        inputOf(proofs[i % proofs.length]),
      ),
      publicInputs: publicInputsOf(
        { ...publicStatementOf(header, nodeHashes), ...sector.rules },
        9,
      ),
    };
    const file = encodePartitionInput(input, nodeHashes);
    expect(file.length).toBe(partitionInputFileBytes(shape));
    expect(hexed(decodePartitionInput(file, nodeHashes))).toEqual(hexed(input));
  });
});
