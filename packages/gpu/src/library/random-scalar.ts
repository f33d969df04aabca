import { bigintFromLe } from '@cuzk/core/bytes';
import { FR_MODULUS } from '@cuzk/core/field/fr';

/** A scalar of the operating system's generator through Web Crypto; 64 bytes make the bias below 2^-256. */
export const randomScalar = (): bigint =>
  bigintFromLe(crypto.getRandomValues(new Uint8Array(64))) % FR_MODULUS;
