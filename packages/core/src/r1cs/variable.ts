/**
 * A variable of a constraint system as one integer (spec §5.1): input i is i, aux k is FIRST_AUX + k, so
 * that ascending integers are the order of terms in a row: inputs first, then aux.
 */
export type Variable = number;

/** Room for 16 M inputs; with 131 M aux a variable stays below 2^28 and is a small integer everywhere. */
export const FIRST_AUX = 1 << 24;

/** The constant one: input 0 of every constraint system. */
export const ONE: Variable = 0;

export const auxVariable = (index: number): Variable => FIRST_AUX + index;
