import type { Fence } from '../record/types.ts';

/**
 * Names of what one proof leaves in the store. Those of a partition carry run and attempt: a late twin writes and
 * deletes only its own.
 */
export const proofPrefix = (proofId: string): string => `proofs/${proofId}/`;
export const c1Ref = (proofId: string): string => `${proofPrefix(proofId)}c1.json`;

const two = (value: number): string => String(value).padStart(2, '0');

export const inputRef = (fence: Fence, partition: number): string =>
  `${proofPrefix(fence.proofId)}r${fence.run}/p${two(partition)}/input.a${fence.attempt}.czpi`;
export const publicInputsRef = (fence: Fence): string =>
  `${proofPrefix(fence.proofId)}r${fence.run}/public-inputs.a${fence.attempt}.bin`;
export const witnessRef = (fence: Fence): string =>
  `${proofPrefix(fence.proofId)}r${fence.run}/p${two(fence.partition ?? 0)}/witness.a${fence.attempt}.czwt`;
export const resultRef = (fence: Fence): string =>
  `${proofPrefix(fence.proofId)}r${fence.run}/proof.a${fence.attempt}.bin`;

/** The proof an artifact belongs to, or null for a name of another kind. */
export function proofOfRef(ref: string): string | null {
  return /^proofs\/([^/]+)\//.exec(ref)?.[1] ?? null;
}

/** Whether an artifact is of one partition: input and witness, which can be made again from the C1. */
export const isOfPartition = (ref: string): boolean => /^proofs\/[^/]+\/r\d+\/p\d+\//.test(ref);
