import { padWords, SHA256_INITIAL_STATE, SHA256_ROUND_CONSTANTS } from '../hash/sha256-words.ts';
import { popCount } from '../r1cs/bitmap.ts';
import {
  ALLOCATES,
  ALLOCATES_PAIR,
  chForms,
  constantValue,
  constantWord,
  formOf,
  isVariable,
  majForms,
  NOT,
  rotateForms,
  shiftForms,
  variableWord,
  type WordForms,
  xorForms,
} from './fill-bit-forms.ts';

/**
 * Which aux one SHA-256 compression of the circuit allocates, as a table with one entry per word
 * operation in emission order (spec §6.5–§6.7): the schedule (s0, s0, s1, s1, sum for words 16 … 63), the
 * rounds (from the second on the sum for e; Σ1, Σ1, ch; the sum for a; Σ0, Σ0, maj, pair), the eight final sums.
 */
export interface Sha256Program {
  /** Bit i is set where bit i of the operation's result is a variable of its own; −1 is the common case. */
  readonly masks: Int32Array;
  /** Bit i is set where that variable is the complement of the result. */
  readonly flips: Int32Array;
  /** Aux of the whole compression. */
  readonly aux: number;
}

/** Bits of the largest sum of so many 32-bit operands, beyond the low 32. */
export const carryBits = (operands: number): number => 32 - Math.clz32(operands - 1);

interface Recorder {
  readonly masks: number[];
  readonly flips: number[];
  aux: number;
}

function push(recorder: Recorder, mask: number, flip: number): void {
  recorder.masks.push(mask);
  recorder.flips.push(flip);
  recorder.aux += popCount(mask);
}

/** Records one operation on 32 bits; the forms of its result. */
function record(recorder: Recorder, bits: Uint8Array): WordForms {
  let mask = 0;
  let flip = 0;
  for (let i = 0; i < 32; i++) {
    if ((bits[i] & ALLOCATES) === 0) continue;
    mask |= 1 << i;
    if (formOf(bits[i]) === NOT) flip |= 1 << i;
  }
  push(recorder, mask, flip);
  return bits.map(formOf);
}

const xorWords = (recorder: Recorder, a: WordForms, b: WordForms): WordForms =>
  record(
    recorder,
    a.map((form, i) => xorForms(form, b[i])),
  );

const xor3 = (recorder: Recorder, a: WordForms, b: WordForms, c: WordForms): WordForms =>
  xorWords(recorder, xorWords(recorder, a, b), c);

const chWords = (recorder: Recorder, a: WordForms, b: WordForms, c: WordForms): WordForms =>
  record(
    recorder,
    a.map((form, i) => chForms(form, b[i], c[i])),
  );

/** Two operations: the results, then the products b ∧ c of those bits that allocate one. */
function majWords(recorder: Recorder, a: WordForms, b: WordForms, c: WordForms): WordForms {
  const bits = a.map((form, i) => majForms(form, b[i], c[i]));
  const result = record(recorder, bits);
  push(
    recorder,
    bits.reduce((mask, bit, i) => (bit & ALLOCATES_PAIR ? mask | (1 << i) : mask), 0),
    0,
  );
  return result;
}

/** addmany: folds only where every bit of every operand is a constant. */
function sumWords(recorder: Recorder, operands: readonly WordForms[]): WordForms {
  if (operands.some((word) => word.some(isVariable))) {
    push(recorder, -1, 0);
    recorder.aux += carryBits(operands.length);
    return variableWord();
  }
  push(recorder, 0, 0);
  return constantWord(operands.reduce((sum, word) => (sum + constantValue(word)!) | 0, 0));
}

function scheduleForms(recorder: Recorder, block: readonly WordForms[]): WordForms[] {
  const w = [...block];
  for (let i = 16; i < 64; i++) {
    const [x, y] = [w[i - 15], w[i - 2]];
    const s0 = xor3(recorder, rotateForms(x, 7), rotateForms(x, 18), shiftForms(x, 3));
    const s1 = xor3(recorder, rotateForms(y, 17), rotateForms(y, 19), shiftForms(y, 10));
    w.push(sumWords(recorder, [w[i - 16], s0, w[i - 7], s1]));
  }
  return w;
}

/** One compression from the forms of its state and block: the table, and the forms of the new state. */
function compileBlock(
  state: readonly WordForms[],
  block: readonly WordForms[],
): { program: Sha256Program; next: WordForms[] } {
  const recorder: Recorder = { masks: [], flips: [], aux: 0 };
  const w = scheduleForms(recorder, block);
  const values = [...state];
  let [, b, c, d, , f, g, h] = values;
  // The new a and e stay operand lists until the next round needs their bits.
  let pendingA: readonly WordForms[] = [values[0]];
  let pendingE: readonly WordForms[] = [values[4]];
  const materialise = (operands: readonly WordForms[]): WordForms =>
    operands.length === 1 ? operands[0] : sumWords(recorder, operands);
  for (let i = 0; i < 64; i++) {
    const e = materialise(pendingE);
    const sum1 = xor3(recorder, rotateForms(e, 6), rotateForms(e, 11), rotateForms(e, 25));
    const ch = chWords(recorder, e, f, g);
    const t1 = [h, sum1, ch, constantWord(SHA256_ROUND_CONSTANTS[i]), w[i]];
    const a = materialise(pendingA);
    const sum0 = xor3(recorder, rotateForms(a, 2), rotateForms(a, 13), rotateForms(a, 22));
    const maj = majWords(recorder, a, b, c);
    pendingE = [...t1, d];
    pendingA = [...t1, sum0, maj];
    [h, g, f, d, c, b] = [g, f, e, c, b, a];
  }
  const next = [
    sumWords(recorder, [...pendingA, state[0]]),
    ...[b, c, d].map((word, i) => sumWords(recorder, [state[i + 1], word])),
    sumWords(recorder, [...pendingE, state[4]]),
    ...[f, g, h].map((word, i) => sumWords(recorder, [state[i + 5], word])),
  ];
  const program = {
    masks: Int32Array.from(recorder.masks),
    flips: Int32Array.from(recorder.flips),
    aux: recorder.aux,
  };
  return { program, next };
}

/** Compressions by the forms of their state and block; a circuit has a dozen kinds. */
const compiled = new Map<string, ReturnType<typeof compileBlock>>();

/**
 * The tables of all compressions of a SHA-256 over a message of these forms, from the constant initial
 * state on, padding included (spec §6.8). Compressions with equal forms share one table.
 */
export function compileSha256(message: readonly WordForms[]): Sha256Program[] {
  const padding = padWords(new Uint32Array(message.length)).subarray(message.length);
  const words = [...message, ...Array.from(padding, constantWord)];
  const programs: Sha256Program[] = [];
  let state: WordForms[] = Array.from(SHA256_INITIAL_STATE, constantWord);
  for (let at = 0; at < words.length; at += 16) {
    const block = words.slice(at, at + 16);
    const key = [...state, ...block].map((word) => word.join('')).join('');
    const found = compiled.get(key) ?? compileBlock(state, block);
    compiled.set(key, found);
    programs.push(found.program);
    state = found.next;
  }
  return programs;
}

/** Aux of a whole SHA-256. */
export const sha256Aux = (programs: readonly Sha256Program[]): number =>
  programs.reduce((sum, program) => sum + program.aux, 0);
