import { sha256 } from '@noble/hashes/sha2.js';
import { bigintFromBe } from '../bytes.ts';
import { FR_MODULUS } from '../field/fr.ts';
import type { Blinding } from './assemble.ts';
import type { ToxicWaste } from './key-exponents.ts';

/**
 * Public constants for development and tests: SHA-256 of an ASCII tag as a big-endian integer modulo r.
 * Anyone can forge proofs for parameters made from them; a proof made with such r and s hides nothing.
 */
function publicScalar(tag: string): bigint {
  const ascii = Uint8Array.from(tag, (char) => char.charCodeAt(0));
  return bigintFromBe(sha256(ascii)) % FR_MODULUS;
}

/** The toxic waste of the development parameters. */
export function developmentToxicWaste(): ToxicWaste {
  const scalar = (name: string) => publicScalar(`cuzk-dev-params-v1/${name}`);
  return {
    alpha: scalar('alpha'),
    beta: scalar('beta'),
    gamma: scalar('gamma'),
    delta: scalar('delta'),
    tau: scalar('tau'),
  };
}

/** The fixed r and s of the golden proofs, by partition. */
export function developmentBlinding(partition: number): Blinding {
  return {
    r: publicScalar(`cuzk-dev-proof-v1/r/${partition}`),
    s: publicScalar(`cuzk-dev-proof-v1/s/${partition}`),
  };
}
