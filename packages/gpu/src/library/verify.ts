import { decodeProof } from '@cuzk/core/groth16/proof';
import { prepareVerifyingKey, verifyProof } from '@cuzk/core/groth16/verify';
import { decodeVerifyingKey } from '@cuzk/core/groth16/verifying-key';

/**
 * Whether a proof of 192 bytes holds for the public inputs under a key (the bytes of a `.vk` file). Needs no device.
 * Throws CuzkError PROOF_MALFORMED, STATEMENT_INVALID, and PARAMS_MALFORMED for a key that is none.
 */
export const verify = (
  vk: Uint8Array,
  publicInputs: readonly bigint[],
  proof: Uint8Array,
): boolean =>
  verifyProof(prepareVerifyingKey(decodeVerifyingKey(vk)), publicInputs, decodeProof(proof));
