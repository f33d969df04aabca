/**
 * The shape of a circuit: its R1CS without values, stored as a short list of segments, each a template
 * that is repeated. For PoRep: a preamble (1 instance), one challenge (n instances); input rows
 * (spec §4.1) are implied and never stored.
 *
 * Columns. A variable of the whole circuit has a *column*: inputs 0 … inputs−1 first, then aux
 * inputs … inputs+aux−1. A template term names its variable in 24 bits: with GLOBAL_COLUMN set, the low 23
 * bits count the first segment's variables (its inputs, then its aux); otherwise they count the variables of
 * this instance (its inputs, then its aux).
 *
 * Terms. One u32 each: bits 0–23 the column, bits 24–31 the coefficient class: k ≤ 253 means +2^k,
 * CLASS_MINUS_ONE means −1, CLASS_DICTIONARY means that the NEXT word is an index into `dictionary`.
 */
export const GLOBAL_COLUMN = 1 << 23;
export const COLUMN_MASK = 0xffffff;
export const CLASS_MINUS_ONE = 254;
export const CLASS_DICTIONARY = 255;

export interface TemplateMatrix {
  /** rows + 1 offsets into `terms`, in words. */
  readonly rowPointers: Uint32Array;
  readonly terms: Uint32Array;
}

export interface ShapeSegment {
  readonly instances: number;
  readonly rows: number;
  readonly inputs: number;
  readonly aux: number;
  readonly a: TemplateMatrix;
  readonly b: TemplateMatrix;
  readonly c: TemplateMatrix;
  /**
   * Bit i of word i>>5 (LSB first) is set when local aux i is an *element*; otherwise it is a *bit* (always 0 or 1).
   */
  readonly elementBitmap: Uint32Array;
  /** Local aux with a non-zero coefficient in some A row (bitmap as above). */
  readonly aDensity: Uint32Array;
  /** Local aux with a non-zero coefficient in some B row. */
  readonly bDensity: Uint32Array;
}

export interface CircuitShape {
  /** The identifier hash of spec §4.6 (lowercase hex), or a name for test circuits. */
  readonly circuitId: string;
  /** The R1CS hash of spec §5.3, lowercase hex. */
  readonly shapeDigest: string;
  /** Inputs including ONE. */
  readonly inputs: number;
  readonly aux: number;
  /** Circuit rows, without input rows. */
  readonly constraints: number;
  /** Coefficients that have no class, canonical values in [0, r). */
  readonly dictionary: readonly bigint[];
  readonly segments: readonly ShapeSegment[];
  /** Inputs that occur in B (bitmap over inputs). In PoRep only ONE. */
  readonly bInputDensity: Uint32Array;
}

/** Rows of the domain: constraints plus one input row per input. */
export const domainRows = (shape: CircuitShape): number => shape.constraints + shape.inputs;
