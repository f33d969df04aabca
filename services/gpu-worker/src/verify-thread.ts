import { readFileSync } from 'node:fs';
import { parentPort } from 'node:worker_threads';
import { bigintFromLe } from '@cuzk/core/bytes';
import { CuzkError } from '@cuzk/core/errors';
import { decodeProof } from '@cuzk/core/groth16/proof';
import {
  type PreparedVerifyingKey,
  prepareVerifyingKey,
  verifyProof,
} from '@cuzk/core/groth16/verify';
import { decodeVerifyingKey } from '@cuzk/core/groth16/verifying-key';
import type { ProofCheck } from './proof-checker.ts';

const keys = new Map<string, PreparedVerifyingKey>();

function keyAt(path: string): PreparedVerifyingKey {
  let key = keys.get(path);
  if (key === undefined) {
    key = prepareVerifyingKey(decodeVerifyingKey(readFileSync(path)));
    keys.set(path, key);
  }
  return key;
}

function isValid({ vkPath, publicInputs, proof }: ProofCheck): boolean {
  const key = keyAt(vkPath);
  const inputs = Array.from({ length: publicInputs.length / 32 }, (_, i) =>
    bigintFromLe(publicInputs.subarray(32 * i, 32 * i + 32)),
  );
  try {
    return verifyProof(key, inputs, decodeProof(proof));
  } catch (error) {
    // Bytes that are no points are a bad proof, which is an answer; anything else is a failure of the check.
    if (error instanceof CuzkError && error.code === 'PROOF_MALFORMED') return false;
    throw error;
  }
}

parentPort?.on('message', ({ id, check }: { id: number; check: ProofCheck }) => {
  try {
    parentPort?.postMessage({ id, valid: isValid(check) });
  } catch (error) {
    parentPort?.postMessage({ id, error: error instanceof Error ? error.message : String(error) });
  }
});
