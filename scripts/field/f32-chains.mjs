// Chains of f32 multiply-adds as the generators of multipliers write them, and bounds of what they are off.
import { f32 } from './wgsl-text.mjs';

/** Half a unit in the last place of an f32 sum below `size`: the most that rounding to nearest changes it. */
const rounding = (size) => 2 ** (Math.floor(Math.log2(size)) - 24);

/**
 * WGSL of the sum of products, the first one innermost. A term is {x, y, size}: two factors, as text or, of y, as a
 * number, which is multiplied by `scale`; and the most that their product may be.
 */
export function chainText(terms, scale = 1) {
  const factor = ({ y }) => (typeof y === 'string' ? y : f32(Number(y) * scale));
  return terms.reduce(
    (text, term) =>
      text === '' ? `${term.x} * ${factor(term)}` : `fma(${term.x}, ${factor(term)}, ${text})`,
    '',
  );
}

/**
 * Bounds of a chain that is added up as it is written: its size, and its error with fused multiply-adds (`error`) and
 * where each fma is a rounded product and a rounded sum (`split`).
 */
function boundInOrder(terms) {
  const bound = { size: 0, error: 0, split: 0 };
  terms.forEach(({ size }, i) => {
    bound.size += size;
    bound.error += rounding(bound.size + bound.error);
    bound.split += rounding(bound.size + bound.split) + (i === 0 ? 0 : rounding(size));
  });
  return bound;
}

/**
 * The same for whatever order or tree a compiler makes of it. Of the sums of a tree, at most n − m + 1 have m terms or
 * more, so none of them is worse than adding the largest terms first.
 */
export const boundInAnyOrder = (terms) => boundInOrder(terms.toSorted((a, b) => b.size - a.size));

/** The sum of two chains, which rounds once. */
export function joinBounds(a, b) {
  const size = a.size + b.size;
  const [error, split] = ['error', 'split'].map(
    (key) => a[key] + b[key] + rounding(size + a[key] + b[key]),
  );
  return { size, error, split };
}

/** What is left out of a chain, in any form, is an error of it. */
export const leavingOut = (bound, size) => ({
  size: bound.size + size,
  error: bound.error + size,
  split: bound.split + size,
});
