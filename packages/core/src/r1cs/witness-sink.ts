import { FR_BYTES } from '../field/fr.ts';
import { setBit } from './bitmap.ts';
import type { CompactWitness } from './compact-witness.ts';

/** Words of one field element. */
export const ELEMENT_WORDS = FR_BYTES / 4;

/** Number of an element among the elements of a witness, in allocation order. */
export type ElementRef = number;

export interface WitnessCounts {
  /** Inputs including ONE. */
  readonly inputs: number;
  readonly aux: number;
  /** Aux that are not typed bits. */
  readonly elements: number;
}

/**
 * Receives the aux values of one circuit in allocation order, and its inputs, and keeps them in the form of
 * CompactWitness. All memory is taken at once from the expected counts. Values are stored as the host
 * stores words, which is little-endian on every platform that has a GPU adapter.
 *
 * Nothing is checked while values arrive (writes past the end of a typed array are dropped); `finish`
 * compares the counters, so a fill that disagrees with its circuit cannot go unnoticed.
 */
export class WitnessSink {
  /** Element values so far, 8 words each, little-endian canonical. Grows by the element methods only. */
  readonly elements: Uint32Array;
  readonly #counts: WitnessCounts;
  readonly #plane: Uint32Array;
  readonly #elementBytes: Uint8Array;
  readonly #elementQuads: BigUint64Array;
  readonly #inputQuads: BigUint64Array;
  readonly #marks: Uint32Array | undefined;
  #aux = 0;
  #elementCount = 0;
  #inputCount = 0;

  /**
   * The sink of one circuit; input ONE is already in it. `marks`, a bitmap over aux, receives a set bit for
   * each element (for tests and for circuits whose element positions are not known yet).
   */
  constructor(counts: WitnessCounts, marks?: Uint32Array) {
    this.#counts = counts;
    this.#plane = new Uint32Array(Math.ceil(counts.aux / 32));
    this.elements = new Uint32Array(ELEMENT_WORDS * counts.elements);
    this.#elementBytes = new Uint8Array(this.elements.buffer);
    this.#elementQuads = new BigUint64Array(this.elements.buffer);
    this.#inputQuads = new BigUint64Array(4 * counts.inputs);
    this.#marks = marks;
    this.input(1n);
  }

  bit(value: number): void {
    this.#plane[this.#aux >>> 5] |= (value & 1) << (this.#aux & 31);
    this.#aux++;
  }

  /** The low `count` bits of a word, 0 … 32, least significant first. */
  bits(word: number, count: number): void {
    if (count === 32) {
      this.word(word);
      return;
    }
    const low = word & ((1 << count) - 1);
    const index = this.#aux >>> 5;
    const used = this.#aux & 31;
    this.#plane[index] |= low << used;
    if (used + count > 32) this.#plane[index + 1] = low >>> (32 - used);
    this.#aux += count;
  }

  /** All 32 bits of a word, least significant first. */
  word(word: number): void {
    const index = this.#aux >>> 5;
    const used = this.#aux & 31;
    if (used === 0) {
      this.#plane[index] = word;
    } else {
      this.#plane[index] |= word << used;
      this.#plane[index + 1] = word >>> (32 - used);
    }
    this.#aux += 32;
  }

  /** An element from a value in [0, r). */
  element(value: bigint): ElementRef {
    const ref = this.reserveElements(1);
    writeQuads(this.#elementQuads, ref, value);
    return ref;
  }

  /** An element from its 32-byte little-endian canonical encoding. Throws RangeError on another length. */
  elementBytes(bytes: Uint8Array): ElementRef {
    if (bytes.length !== FR_BYTES) {
      throw new RangeError(`element: expected ${FR_BYTES} bytes, got ${bytes.length}`);
    }
    const ref = this.reserveElements(1);
    this.#elementBytes.set(bytes, FR_BYTES * ref);
    return ref;
  }

  /** An element equal to an earlier one: a second variable with the same value. */
  copyElement(source: ElementRef): ElementRef {
    const ref = this.reserveElements(1);
    const at = ELEMENT_WORDS * source;
    this.elements.copyWithin(ELEMENT_WORDS * ref, at, at + ELEMENT_WORDS);
    return ref;
  }

  /** Room for `count` consecutive elements that the caller writes into `elements`; the first of them. */
  reserveElements(count: number): ElementRef {
    const first = this.#elementCount;
    if (this.#marks !== undefined) {
      for (let j = this.#aux; j < this.#aux + count; j++) setBit(this.#marks, j);
    }
    this.#aux += count;
    this.#elementCount += count;
    return first;
  }

  elementValue(ref: ElementRef): bigint {
    return readQuads(this.#elementQuads, ref);
  }

  /** Whether two elements have the same value. */
  sameElement(a: ElementRef, b: ElementRef): boolean {
    for (let i = 0; i < ELEMENT_WORDS; i++) {
      if (this.elements[ELEMENT_WORDS * a + i] !== this.elements[ELEMENT_WORDS * b + i])
        return false;
    }
    return true;
  }

  /** The next public input, a value in [0, r). */
  input(value: bigint): void {
    writeQuads(this.#inputQuads, this.#inputCount, value);
    this.#inputCount++;
  }

  /**
   * The finished witness; the sink must not be used afterwards. Throws RangeError where the counts are not
   * those promised to the constructor.
   */
  finish(circuitId: string, shapeDigest: string): CompactWitness {
    const { inputs, aux, elements } = this.#counts;
    requireCount('inputs', inputs, this.#inputCount);
    requireCount('aux', aux, this.#aux);
    requireCount('elements', elements, this.#elementCount);
    return {
      circuitId,
      shapeDigest,
      inputs: new Uint8Array(this.#inputQuads.buffer),
      bitPlane: this.#plane,
      elements: this.elements,
    };
  }
}

function requireCount(what: string, expected: number, found: number): void {
  if (expected !== found) throw new RangeError(`${what}: expected ${expected}, got ${found}`);
}

/** Stores a value below 2^256 as 4 little-endian 64-bit words (assignment keeps the low 64 bits). */
function writeQuads(quads: BigUint64Array, ref: ElementRef, value: bigint): void {
  const at = 4 * ref;
  quads[at] = value;
  quads[at + 1] = value >> 64n;
  quads[at + 2] = value >> 128n;
  quads[at + 3] = value >> 192n;
}

function readQuads(quads: BigUint64Array, ref: ElementRef): bigint {
  const at = 4 * ref;
  return quads[at] | (quads[at + 1] << 64n) | (quads[at + 2] << 128n) | (quads[at + 3] << 192n);
}
