/**
 * A witness as it travels (format `CZWT`): public inputs, one bit per aux variable, and the dense list of
 * those aux values that are not bits. Which aux are elements is static (see ShapeSegment.elementBitmap).
 */
export interface CompactWitness {
  readonly circuitId: string;
  readonly shapeDigest: string;
  /** Inputs including ONE, canonical LE, 32 bytes each, concatenated. */
  readonly inputs: Uint8Array;
  /** Bit j (LSB first in word j>>5) is the value of aux j; 0 where aux j is an element. Length ceil(aux/32). */
  readonly bitPlane: Uint32Array;
  /** Values of the element aux in ascending aux order, canonical LE, 8 words each. */
  readonly elements: Uint32Array;
}
