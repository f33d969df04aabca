import { bigintFromBe, fromHex } from '@cuzk/core/bytes';
import { CuzkError } from '@cuzk/core/errors';
import { FR_MODULUS } from '@cuzk/core/field/fr';
import type { Blinding } from '@cuzk/core/groth16/assemble';

const SCALAR_HEX = /^[0-9a-fA-F]{64}$/;

/**
 * r and s of every partition from `r0,s0,r1,s1,…`: 32 bytes big-endian hex each, below the order of Fr. Throws
 * CuzkError REQUEST_INVALID for another number of scalars or a wrong one, which it names by its place only.
 */
export function parseFixedBlinding(text: string, partitions: number): readonly Blinding[] {
  const scalars = text.split(',').map((part, i) => parseScalar(part.trim(), i));
  if (scalars.length !== 2 * partitions) {
    throw new CuzkError('REQUEST_INVALID', 'the fixed blinding has a wrong number of scalars', {
      expected: `${2 * partitions}: r and s of each of ${partitions} partition(s)`,
      found: `${scalars.length}`,
    });
  }
  return Array.from({ length: partitions }, (_, k) => ({
    r: scalars[2 * k] ?? 0n,
    s: scalars[2 * k + 1] ?? 0n,
  }));
}

function parseScalar(text: string, place: number): bigint {
  const value = SCALAR_HEX.test(text) ? bigintFromBe(fromHex(text)) : FR_MODULUS;
  if (value < FR_MODULUS) return value;
  throw new CuzkError('REQUEST_INVALID', 'a blinding scalar is not a field element', {
    expected: '64 hex digits, big-endian, below the order of the scalar field',
    found: `something else at place ${place}`,
  });
}
