import { createHash, type Hash } from 'node:crypto';
import { toHex } from '@cuzk/core/bytes';
import { FR_BYTES } from '@cuzk/core/field/fr';
import { hasBit } from '@cuzk/core/r1cs/bitmap';
import type { CompactWitness } from '@cuzk/core/r1cs/compact-witness';
import { expandBitmap } from '@cuzk/core/r1cs/density';
import { evaluateShape } from '@cuzk/core/r1cs/evaluate-shape';
import type { CircuitShape } from '@cuzk/core/r1cs/shape';

/** What identifies the witness of one partition without showing it: SHA-256 over 32-byte little-endian values. */
export interface WitnessDigests {
  /** Public inputs without ONE, canonical little-endian, hex. */
  readonly publicInputs: readonly string[];
  /** Over all aux in allocation order. */
  readonly auxSha256: string;
  /** Over the three combinations of every row, input rows included. */
  readonly aSha256: string;
  readonly bSha256: string;
  readonly cSha256: string;
}

const BLOCK_AUX = 1 << 16;

/** Digests of a witness and of its row values. Memory: a few MiB on top of the witness. */
export function witnessDigests(shape: CircuitShape, witness: CompactWitness): WitnessDigests {
  const [a, b, c] = [0, 1, 2].map(() => createHash('sha256')) as [Hash, Hash, Hash];
  evaluateShape(shape, witness, (block) => {
    a.update(block.a);
    b.update(block.b);
    c.update(block.c);
  });
  return {
    publicInputs: Array.from({ length: shape.inputs - 1 }, (_, i) =>
      toHex(witness.inputs.subarray(FR_BYTES * (i + 1), FR_BYTES * (i + 2))),
    ),
    auxSha256: auxSha256(shape, witness),
    aSha256: a.digest('hex'),
    bSha256: b.digest('hex'),
    cSha256: c.digest('hex'),
  };
}

/** Over all aux in allocation order, hex. Writes bits and elements out side by side, a block at a time. */
export function auxSha256(
  shape: Pick<CircuitShape, 'aux' | 'segments'>,
  witness: CompactWitness,
): string {
  const isElement = expandBitmap(shape, 'elementBitmap');
  const { buffer, byteOffset, byteLength } = witness.elements;
  const elements = new Uint8Array(buffer, byteOffset, byteLength);
  const hash = createHash('sha256');
  const block = new Uint8Array(FR_BYTES * BLOCK_AUX);
  let elementAt = 0;
  for (let first = 0; first < shape.aux; first += BLOCK_AUX) {
    const count = Math.min(BLOCK_AUX, shape.aux - first);
    block.fill(0);
    for (let i = 0; i < count; i++) {
      if (hasBit(isElement, first + i)) {
        block.set(elements.subarray(elementAt, elementAt + FR_BYTES), FR_BYTES * i);
        elementAt += FR_BYTES;
      } else if (hasBit(witness.bitPlane, first + i)) {
        block[FR_BYTES * i] = 1;
      }
    }
    hash.update(block.subarray(0, FR_BYTES * count));
  }
  return hash.digest('hex');
}
