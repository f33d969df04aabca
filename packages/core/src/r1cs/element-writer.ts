import { FR_BYTES, FR_MODULUS } from '../field/fr.ts';

const WORD = 2 ** 32;
/** Words of r above the second, least significant first. */
const UPPER_WORDS = Uint32Array.from({ length: 6 }, (_, i) =>
  Number((FR_MODULUS >> BigInt(32 * (i + 2))) & 0xffffffffn),
);

/** An array of canonical little-endian elements that takes unreduced integers. */
export class ElementWriter {
  readonly bytes: Uint8Array;
  readonly #words: Uint32Array;
  readonly #quads: BigUint64Array;

  /** Room for `count` elements. */
  constructor(count: number) {
    this.bytes = new Uint8Array(FR_BYTES * count);
    this.#words = new Uint32Array(this.bytes.buffer);
    this.#quads = new BigUint64Array(this.bytes.buffer);
  }

  /** Writes the element congruent to `value`; plain numbers must be safe integers. */
  write(index: number, value: number | bigint): void {
    if (typeof value === 'bigint') this.#writeBigint(index, value);
    else if (value >= 0) this.#writeSmall(index, value % WORD, Math.floor(value / WORD));
    else if (value > -WORD) this.#writeNegative(index, -value);
    else this.#writeBigint(index, BigInt(value));
  }

  #writeSmall(index: number, low: number, high: number): void {
    const at = 8 * index;
    const words = this.#words;
    words[at] = low;
    words[at + 1] = high;
    for (let i = 2; i < 8; i++) words[at + i] = 0;
  }

  /** r − value for 0 < value < 2^32: the two low words of r are 1 and 2^32 − 1, so a borrow ends there. */
  #writeNegative(index: number, value: number): void {
    const at = 8 * index;
    const words = this.#words;
    words[at] = 1 - value;
    words[at + 1] = value > 1 ? WORD - 2 : WORD - 1;
    for (let i = 2; i < 8; i++) words[at + i] = UPPER_WORDS[i - 2];
  }

  #writeBigint(index: number, value: bigint): void {
    let rest = value % FR_MODULUS;
    if (rest < 0n) rest += FR_MODULUS;
    for (let i = 0; i < 4; i++) {
      this.#quads[4 * index + i] = rest;
      rest >>= 64n;
    }
  }
}
