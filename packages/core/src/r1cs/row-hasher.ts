import { bigintToBe, toHex } from '../bytes.ts';
import type { CoefficientId, CoefficientTable } from './coefficient-table.ts';
import type { CircuitCounts } from './counting-collector.ts';
import type { IncrementalHash } from './incremental-hash.ts';
import type { LinearCombination } from './linear-combination.ts';
import { CLASS_DICTIONARY } from './shape.ts';
import { FIRST_AUX } from './variable.ts';

export interface HashCheckpoints {
  /** A checkpoint follows every this many rows, and the last row. */
  readonly rows: number;
  /** `running` is the hash over the header and all rows so far (lowercase hex). */
  readonly onCheckpoint: (rows: number, running: string) => void;
}

const TERM_BYTES = 41;
const COUNT_BYTES = 8;
const BUFFER_BYTES = 1 << 18;
const INPUT_TAG = 0x49;
const AUX_TAG = 0x41;

/** The eight 32-bit words of every coefficient's big-endian encoding, filled as ids appear. */
class CoefficientWords {
  words: Uint32Array = new Uint32Array(8 * 1024);
  #filled = 0;

  /** Makes the words of all ids below `size` available. */
  extend(size: number, coefficientOf: (id: CoefficientId) => bigint): void {
    if (8 * size > this.words.length) {
      const grown = new Uint32Array(16 * size);
      grown.set(this.words);
      this.words = grown;
    }
    for (; this.#filled < size; this.#filled++) {
      const bytes = bigintToBe(coefficientOf(this.#filled), 32);
      const view = new DataView(bytes.buffer);
      for (let i = 0; i < 8; i++) this.words[8 * this.#filled + i] = view.getUint32(4 * i);
    }
  }
}

/**
 * Serialises rows for the R1CS hash of spec §5.3 and feeds them to the hash in large pieces. The header
 * holds totals, so they must be known before the first row.
 */
export class RowHasher {
  readonly #hash: IncrementalHash;
  readonly #checkpoints: HashCheckpoints | undefined;
  readonly #coefficients = new CoefficientWords();
  #buffer = new Uint8Array(BUFFER_BYTES);
  #view = new DataView(this.#buffer.buffer);
  #at = 0;
  #rows = 0;

  constructor(hash: IncrementalHash, totals: CircuitCounts, checkpoints?: HashCheckpoints) {
    this.#hash = hash;
    this.#checkpoints = checkpoints;
    this.#count(totals.inputs);
    this.#count(totals.aux);
    this.#count(totals.constraints);
    this.#flush();
  }

  /** Makes the coefficients of ids below `size` known; must precede their first use in `term`. */
  know(size: number, coefficientOf: (id: CoefficientId) => bigint): void {
    this.#coefficients.extend(size, coefficientOf);
  }

  /** Starts a combination of `terms` terms by its count, having made room for all of it. */
  open(terms: number): void {
    const needed = COUNT_BYTES + terms * TERM_BYTES;
    if (this.#at + needed > this.#buffer.length) {
      this.#flush();
      if (needed > this.#buffer.length) {
        this.#buffer = new Uint8Array(needed);
        this.#view = new DataView(this.#buffer.buffer);
      }
    }
    this.#count(terms);
  }

  /** Writes one term of the open combination. */
  term(isAux: boolean, index: number, coefficient: CoefficientId): void {
    const view = this.#view;
    const words = this.#coefficients.words;
    const at = this.#at;
    const word = 8 * coefficient;
    view.setUint8(at, isAux ? AUX_TAG : INPUT_TAG);
    view.setUint32(at + 1, 0);
    view.setUint32(at + 5, index);
    view.setUint32(at + 9, words[word]);
    view.setUint32(at + 13, words[word + 1]);
    view.setUint32(at + 17, words[word + 2]);
    view.setUint32(at + 21, words[word + 3]);
    view.setUint32(at + 25, words[word + 4]);
    view.setUint32(at + 29, words[word + 5]);
    view.setUint32(at + 33, words[word + 6]);
    view.setUint32(at + 37, words[word + 7]);
    this.#at = at + TERM_BYTES;
  }

  /** Writes a whole normalised combination. */
  combination(lc: LinearCombination): void {
    const { variables, coefficients, length } = lc;
    this.open(length);
    for (let i = 0; i < length; i++) {
      const variable = variables[i];
      const isAux = variable >= FIRST_AUX;
      this.term(isAux, isAux ? variable - FIRST_AUX : variable, coefficients[i]);
    }
  }

  /** Makes every coefficient of `table` known. */
  knowTable(table: CoefficientTable): void {
    this.know(table.size, (id) => (id === CLASS_DICTIONARY ? 0n : table.valueOf(id)));
  }

  /** Says that a row is complete. */
  endRow(): void {
    this.#rows++;
    if (this.#checkpoints !== undefined && this.#rows % this.#checkpoints.rows === 0) {
      this.#checkpoint(this.#checkpoints);
    }
  }

  /** Ends the hash: the R1CS hash in lowercase hex. */
  finish(): string {
    this.#flush();
    if (this.#checkpoints !== undefined && this.#rows % this.#checkpoints.rows !== 0) {
      this.#checkpoint(this.#checkpoints);
    }
    return toHex(this.#hash.digest());
  }

  #checkpoint(checkpoints: HashCheckpoints): void {
    this.#flush();
    checkpoints.onCheckpoint(this.#rows, toHex(this.#hash.copy().digest()));
  }

  /** Writes a u64 below 2^32, big-endian. */
  #count(value: number): void {
    this.#view.setUint32(this.#at, 0);
    this.#view.setUint32(this.#at + 4, value);
    this.#at += COUNT_BYTES;
  }

  #flush(): void {
    if (this.#at > 0) this.#hash.update(this.#buffer.subarray(0, this.#at));
    this.#at = 0;
  }
}
