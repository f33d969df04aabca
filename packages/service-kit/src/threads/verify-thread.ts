import { randomBytes } from 'node:crypto';
import { stat } from 'node:fs/promises';
import { bigintFromBe, bigintFromLe } from '@cuzk/core/bytes';
import { CuzkError } from '@cuzk/core/errors';
import { FR_BYTES, FR_MODULUS } from '@cuzk/core/field/fr';
import { decodeProof, encodeProof, PROOF_BYTES } from '@cuzk/core/groth16/proof';
import type { Proof, VerifyingKey } from '@cuzk/core/groth16/types';
import {
  type PreparedVerifyingKey,
  prepareVerifyingKey,
  verifyProof,
  verifyProofBatch,
} from '@cuzk/core/groth16/verify';
import { decodeVerifyingKey } from '@cuzk/core/groth16/verifying-key';
import { registeredProof } from '@cuzk/core/porep/registered-proof';
import { proverIdOfActor } from '@cuzk/core/porep/replica-id';
import { publicInputCount, type SectorShape, sectorShape } from '@cuzk/core/porep/sector';
import { verifySealPartitions } from '@cuzk/core/porep/statement';
import { nodeHashes } from '../circuits/node-hashes.ts';
import { readVerifyingKey } from '../circuits/verifying-key.ts';
import type { ParameterKind } from '../record/types.ts';
import { serveThread } from './serve-thread.ts';
import type {
  PrepareKey,
  VerifyAnswer,
  VerifyPartitions,
  VerifySeal,
  VerifyTask,
} from './verify-tasks.ts';

interface Key {
  readonly vk: VerifyingKey;
  readonly prepared: PreparedVerifyingKey;
  readonly kind: ParameterKind;
}

/** Prepared keys by path and time of change. */
const keys = new Map<string, Key>();

async function keyOf(
  { folders }: Pick<VerifyTask, 'folders'>,
  shape: SectorShape,
  kind: ParameterKind | null,
): Promise<Key> {
  const file = await readVerifyingKey(folders, shape, kind);
  const name = `${file.path} ${(await stat(file.path)).mtimeMs}`;
  const known = keys.get(name);
  if (known) return known;
  const vk = decodeVerifyingKey(file.bytes);
  const key = { vk, prepared: prepareVerifyingKey(vk), kind: file.kind };
  keys.set(name, key);
  return key;
}

/** Never 0: the lowest bit is set, which costs one bit of 128. */
const random128 = (): bigint => bigintFromBe(randomBytes(16)) | 1n;

/** Whether the proof at this place decodes and holds. */
function holds(key: PreparedVerifyingKey, inputs: readonly bigint[], bytes: Uint8Array): boolean {
  try {
    return verifyProof(key, inputs, decodeProof(bytes));
  } catch (error) {
    if (error instanceof CuzkError && error.code === 'PROOF_MALFORMED') return false;
    throw error;
  }
}

function allHold(
  key: PreparedVerifyingKey,
  inputs: readonly (readonly bigint[])[],
  proofs: readonly Uint8Array[],
): boolean {
  try {
    const decoded = proofs.map((bytes) => decodeProof(bytes));
    return verifyProofBatch(key, inputs, decoded, random128);
  } catch (error) {
    if (error instanceof CuzkError && error.code === 'PROOF_MALFORMED') return false;
    throw error;
  }
}

async function verifyPartitions(task: VerifyPartitions): Promise<VerifyAnswer> {
  const shape = sectorShape(task.sectorBytes);
  const { prepared, kind } = await keyOf(task, shape, task.parameters);
  const inputBytes = FR_BYTES * publicInputCount(shape);
  const partitions = task.proofs.length / PROOF_BYTES;
  if (!Number.isInteger(partitions) || task.publicInputs.length !== partitions * inputBytes) {
    throw new RangeError(
      `partitions: ${task.proofs.length} bytes of proofs and ${task.publicInputs.length} of public inputs do not belong together`,
    );
  }
  const numbers = Array.from({ length: partitions }, (_, k) => k);
  const proofs = numbers.map((k) => task.proofs.subarray(k * PROOF_BYTES, (k + 1) * PROOF_BYTES));
  const inputs = numbers.map((k) =>
    Array.from({ length: publicInputCount(shape) }, (_, i) => {
      const at = k * inputBytes + i * FR_BYTES;
      return bigintFromLe(task.publicInputs.subarray(at, at + FR_BYTES));
    }),
  );
  if (allHold(prepared, inputs, proofs)) {
    return { parameters: kind, verified: true, badPartitions: [] };
  }
  const badPartitions = numbers.filter(
    (k) => !holds(prepared, inputs[k] as bigint[], proofs[k] as Uint8Array),
  );
  return { parameters: kind, verified: false, badPartitions };
}

async function verifySealProof(task: VerifySeal): Promise<VerifyAnswer> {
  const proofType = registeredProof(task.registeredProof);
  const { prepared, kind } = await keyOf(task, sectorShape(proofType.sectorBytes), null);
  const { commR, commD, ticket, seed } = task;
  const statement = {
    registeredProof: proofType,
    ...{ commR, commD, ticket, seed },
    proverId: proverIdOfActor(BigInt(task.minerId)),
    sectorId: BigInt(task.sectorNumber),
  };
  const verifier = {
    decodeProof: (bytes: Uint8Array) => decodeProof(bytes),
    verifyProofs: (inputs: readonly (readonly Uint8Array[])[], proofs: readonly Proof[]) =>
      verifyProofBatch(
        prepared,
        inputs.map((own) => own.map(bigintFromLe)),
        proofs,
        random128,
      ),
  };
  const verified = verifySealPartitions(statement, task.proof, verifier, nodeHashes);
  return { parameters: kind, verified, badPartitions: [] };
}

/** Points of the key in place of proofs: they hold for nothing, and take what any proofs take. */
async function prepareKey(task: PrepareKey): Promise<VerifyAnswer> {
  const { vk, prepared, kind } = await keyOf(task, sectorShape(task.sectorBytes), task.parameters);
  const proof = encodeProof({ a: vk.alphaG1, b: vk.betaG2, c: vk.deltaG1 });
  const inputs = Array<bigint>(prepared.inputs - 1).fill(FR_MODULUS - 1n);
  const verified =
    holds(prepared, inputs, proof) || allHold(prepared, [inputs, inputs], [proof, proof]);
  return { parameters: kind, verified, badPartitions: [] };
}

function answer(task: VerifyTask): Promise<VerifyAnswer> {
  if (task.task === 'seal') return verifySealProof(task);
  return task.task === 'prepare' ? prepareKey(task) : verifyPartitions(task);
}

serveThread<VerifyTask, never, VerifyAnswer>(async (task) => ({ answer: await answer(task) }));
