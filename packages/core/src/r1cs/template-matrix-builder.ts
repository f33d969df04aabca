import { CLASS_DICTIONARY, type TemplateMatrix } from './shape.ts';

const INITIAL_WORDS = 1 << 12;

/** Appends rows to a TemplateMatrix whose number of rows is known. */
export class TemplateMatrixBuilder {
  readonly #rowPointers: Uint32Array;
  #terms = new Uint32Array(INITIAL_WORDS);
  #words = 0;
  #rows = 0;

  constructor(rows: number) {
    this.#rowPointers = new Uint32Array(rows + 1);
  }

  /** One term with a class of its own; `column` as in shape.ts. */
  classTerm(column: number, coefficientClass: number): void {
    this.#push(((coefficientClass << 24) | column) >>> 0);
  }

  /** One term whose coefficient is in the dictionary. */
  dictionaryTerm(column: number, dictionaryIndex: number): void {
    this.classTerm(column, CLASS_DICTIONARY);
    this.#push(dictionaryIndex);
  }

  endRow(): void {
    this.#rowPointers[++this.#rows] = this.#words;
  }

  /** The matrix; its term array is cut to size. */
  finish(): TemplateMatrix {
    return { rowPointers: this.#rowPointers, terms: this.#terms.slice(0, this.#words) };
  }

  #push(word: number): void {
    if (this.#words === this.#terms.length) {
      const grown = new Uint32Array(2 * this.#terms.length);
      grown.set(this.#terms);
      this.#terms = grown;
    }
    this.#terms[this.#words++] = word;
  }
}
