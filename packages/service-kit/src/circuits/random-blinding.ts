import { randomBytes } from 'node:crypto';
import { bigintFromBe } from '@cuzk/core/bytes';
import { FR_MODULUS } from '@cuzk/core/field/fr';
import type { Blinding } from '@cuzk/core/groth16/assemble';

/** r and s for one proof from the operating system's generator; 64 bytes each make the bias below 2^-256. */
export const randomBlinding = (): Blinding => ({ r: randomScalar(), s: randomScalar() });

const randomScalar = (): bigint => bigintFromBe(randomBytes(64)) % FR_MODULUS;
