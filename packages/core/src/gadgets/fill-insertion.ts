import type { ElementRef, WitnessSink } from '../r1cs/witness-sink.ts';

/** Aux of one insertion: the picks, and for arity 8 two bits before them (spec §6.12). */
export const INSERTION_AUX: Readonly<Record<number, number>> = { 2: 2, 4: 8, 8: 22 };
/** Those of them that are bits. */
export const INSERTION_BITS: Readonly<Record<number, number>> = { 2: 0, 4: 0, 8: 2 };

/** A pick allocates a variable of its own, equal to the chosen one. */
const pick = (sink: WitnessSink, condition: number, x: ElementRef, y: ElementRef): ElementRef =>
  sink.copyElement(condition ? x : y);

function insert2(sink: WitnessSink, a: ElementRef, [b]: readonly ElementRef[], index: number) {
  return [pick(sink, index, b, a), pick(sink, index, a, b)];
}

function insert4(sink: WitnessSink, a: ElementRef, others: readonly ElementRef[], index: number) {
  const [b, c, d] = others;
  const b0 = index & 1;
  const b1 = index >> 1;
  return [
    pick(sink, b1, b, pick(sink, b0, b, a)),
    pick(sink, b1, c, pick(sink, b0, a, b)),
    pick(sink, b1, pick(sink, b0, d, a), c),
    pick(sink, b1, pick(sink, b0, a, d), d),
  ];
}

function insert8(sink: WitnessSink, a: ElementRef, others: readonly ElementRef[], index: number) {
  const [b, c, d, e, f, g, h] = others;
  const b0 = index & 1;
  const b1 = (index >> 1) & 1;
  const b2 = index >> 2;
  const neither = (b0 | b1) ^ 1;
  const both = b0 & b1;
  sink.bit(neither);
  sink.bit(both);
  return [
    pick(sink, b2, b, pick(sink, neither, a, b)),
    pick(sink, b2, c, pick(sink, b1, c, pick(sink, b0, a, b))),
    pick(sink, b2, d, pick(sink, b1, pick(sink, b0, d, a), c)),
    pick(sink, b2, e, pick(sink, both, a, d)),
    pick(sink, b2, pick(sink, neither, a, f), e),
    pick(sink, b2, pick(sink, b1, g, pick(sink, b0, a, f)), f),
    pick(sink, b2, pick(sink, b1, pick(sink, b0, h, a), g), g),
    pick(sink, b2, pick(sink, both, a, h), h),
  ];
}

/**
 * Puts `element` at position `index` among `siblings`: the nodes of arity siblings + 1, each a new element
 * (spec §6.12). Throws RangeError for arities other than 2, 4 and 8 and positions outside.
 */
export function fillInsertion(
  sink: WitnessSink,
  element: ElementRef,
  siblings: readonly ElementRef[],
  index: number,
): ElementRef[] {
  const arity = siblings.length + 1;
  if (!(index >= 0 && index < arity)) {
    throw new RangeError(`index: expected 0 … ${arity - 1}, got ${index}`);
  }
  if (arity === 2) return insert2(sink, element, siblings, index);
  if (arity === 4) return insert4(sink, element, siblings, index);
  if (arity === 8) return insert8(sink, element, siblings, index);
  throw new RangeError(`arity: expected 2, 4 or 8, got ${arity}`);
}
