/**
 * What a circuit knows about a bit before any witness exists (spec §6.2). Two bits: the high one says
 * that there is a variable, the low one that it is negated, or the value of a constant. Negation flips the
 * low bit in every case.
 */
export const FALSE = 0;
export const TRUE = 1;
export const IS = 2;
export const NOT = 3;

/** The 32 forms of a word, least significant bit first. */
export type WordForms = Uint8Array;

/** The negation of a form or of a folded operation. */
const not = (form: number): number => form ^ 1;
export const isVariable = (form: number): boolean => form >= IS;

export const constantWord = (value: number): WordForms =>
  Uint8Array.from({ length: 32 }, (_, i) => (value >>> i) & 1);

/** A word whose bits are variables except where `constants` has a bit; those are false. */
export const variableWord = (constants = 0): WordForms =>
  Uint8Array.from({ length: 32 }, (_, i) => ((constants >>> i) & 1 ? FALSE : IS));

/** The value of a word of constants, undefined where any bit is a variable. */
export function constantValue(word: WordForms): number | undefined {
  let value = 0;
  for (let i = 0; i < 32; i++) {
    if (isVariable(word[i])) return undefined;
    value |= word[i] << i;
  }
  return value >>> 0;
}

export const rotateForms = (word: WordForms, count: number): WordForms =>
  word.map((_, i) => word[(i + count) % 32]);

export const shiftForms = (word: WordForms, count: number): WordForms =>
  word.map((_, i) => (i + count < 32 ? word[i + count] : FALSE));

/**
 * The outcome of an operation: the form of the result in the low two bits, with ALLOCATES if a variable
 * was made for it. Such a variable under NOT holds the complement of the result.
 */
export type Folded = number;
export const ALLOCATES = 4;
/** Majority only: the variable of b ∧ c follows that of the result. */
export const ALLOCATES_PAIR = 8;

export const formOf = (folded: Folded): number => folded & 3;

export function xorForms(a: number, b: number): Folded {
  if (a === FALSE) return b;
  if (b === FALSE) return a;
  if (a === TRUE) return not(b);
  if (b === TRUE) return not(a);
  return ALLOCATES | (a === b ? IS : NOT);
}

export function andForms(a: number, b: number): Folded {
  if (a === FALSE || b === FALSE) return FALSE;
  if (a === TRUE) return b;
  if (b === TRUE) return a;
  return ALLOCATES | IS;
}

/** (a ∧ b) ⊕ (¬a ∧ c). The order of the cases decides which variables exist. */
export function chForms(a: number, b: number, c: number): Folded {
  if (!isVariable(a) && !isVariable(b) && !isVariable(c)) return a === TRUE ? b : c;
  if (a === FALSE) return c;
  if (b === FALSE) return andForms(not(a), c);
  if (c === FALSE) return andForms(a, b);
  if (c === TRUE) return not(andForms(a, not(b)));
  if (b === TRUE) return not(andForms(not(a), not(c)));
  return ALLOCATES | IS;
}

/** Majority of a, b, c; the order of the cases as in chForms. */
export function majForms(a: number, b: number, c: number): Folded {
  if (!isVariable(a) && !isVariable(b) && !isVariable(c)) return a + b + c >= 2 ? TRUE : FALSE;
  if (a === FALSE) return andForms(b, c);
  if (b === FALSE) return andForms(a, c);
  if (c === FALSE) return andForms(a, b);
  if (c === TRUE) return not(andForms(not(a), not(b)));
  if (b === TRUE) return not(andForms(not(a), not(c)));
  if (a === TRUE) return not(andForms(not(b), not(c)));
  return ALLOCATES | ALLOCATES_PAIR | IS;
}
