// Exact mirror of the 24-bit multiplier in JavaScript: doubles hold every column sum exactly, Math.fround rounds as a
// GPU does. It measures the error of the f32 column sums and searches for operands that make it large.
import { balancedDigits } from './signed-limbs.mjs';
import { invertMod, range } from './wgsl-text.mjs';

/** f32 towards zero, for the question what hardware that truncates would do. */
export function truncateToF32(value) {
  const near = Math.fround(value);
  if (Math.abs(near) <= Math.abs(value)) return near;
  const bits = new Uint32Array(Float32Array.of(near).buffer);
  bits[0] -= 1;
  return new Float32Array(bits.buffer)[0];
}

/** Fused: one rounding. Operands of this multiplier are integers below 2^53 in every sum, so the double is exact. */
export const fusedRounding = (round) => (x, y, z) => round(x * y + z);
/** Split: the product is rounded before it is added, as WGSL allows. */
export const splitRounding = (round) => (x, y, z) => round(round(x * y) + z);

/** Terms as they are written. Others are what a compiler may make of them. */
export const asWritten = (terms) => terms;

/**
 * The parameters of a generated multiplier, as numbers; `text` is what was generated, for the columns whose products and
 * quotients are summed apart.
 */
export function mirrorField({ modulus, limbs, unit }, text) {
  const body = text.slice(0, text.indexOf('_sqr(a'));
  return {
    limbs,
    unit,
    digits: balancedDigits(modulus, limbs, 24).map(Number),
    n0: Number(-invertMod(modulus, 1n << 24n) & 0xffffffn),
    apart: new Set([...body.matchAll(/let F(\d+) = .* \* 0\.25f\);/g)].map(([, k]) => Number(k))),
  };
}

/**
 * a·b/R by the column scheme of signed24.mjs. `largestError` is the largest |F − S| met, `wrongCarries` counts the
 * columns whose carry was not floor(S / 2^24). Without `fenced` it is what a compiler makes of it that adds everything
 * to the power of two, one after the other.
 */
export function mirrorMultiply(
  field,
  a,
  b,
  { round = Math.fround, fma = fusedRounding(round), order = asWritten, fenced = true } = {},
) {
  const { limbs, unit, digits, n0 } = field;
  const chain = (terms) => {
    const [[x, y], ...rest] = order(terms);
    return rest.reduce((sum, [u, v]) => fma(u, v, sum), round(x * y));
  };
  const quotients = [];
  const result = { limbs: [], largestError: 0, wrongCarries: 0 };
  let carry = 0;
  let exactCarry = 0;
  for (let k = 0; k < 2 * limbs - 1; k++) {
    const { products, reductions } = columnTerms({ limbs, digits }, a, b, quotients, k);
    const all = [...products, ...reductions];
    let exact = all.reduce((sum, [x, y]) => sum + x * y, exactCarry);
    let low = all.reduce((sum, [x, y]) => (sum + Math.imul(x, y)) | 0, carry);
    if (k < limbs) {
      const quotient = Math.imul(low, n0 << 8) >> 8;
      quotients.push(quotient);
      exact += quotient * digits[0];
      low = (low + Math.imul(quotient, digits[0])) | 0;
      if (digits[0] !== 1) reductions.push([quotient, digits[0]]);
    } else {
      exact += 2 ** 23;
      low = (low + 2 ** 23) | 0;
      result.limbs.push((low & 0xffffff) - 2 ** 23);
    }
    const terms = [...products, ...reductions];
    // halves and quarters are exact, so that they are left out
    const float = field.apart.has(k) ? round(chain(products) + chain(reductions)) : chain(terms);
    const magic = 1.5 * 2 ** (23 + unit);
    const shown = fenced ? round(float + magic) : chain([[magic, 1], ...terms]);
    const units = Math.round((shown - magic) / 2 ** unit);
    const rest = (low - Math.imul(units, 1 << unit)) | 0;
    carry = (Math.imul(units, 1 << (unit - 24)) + (rest >> 24)) | 0;
    exactCarry = Math.floor(exact / 2 ** 24);
    if (carry !== exactCarry) result.wrongCarries += 1;
    result.largestError = Math.max(result.largestError, Math.abs(float - exact));
  }
  result.limbs.push(carry);
  return result;
}

/** The products of one column, and those of the quotients known so far. */
function columnTerms({ limbs, digits }, a, b, quotients, k) {
  const first = Math.max(0, k - limbs + 1);
  const last = Math.min(k, limbs - 1);
  const products = [];
  const reductions = [];
  for (let i = first; i <= last; i++) products.push([a[i], b[k - i]]);
  for (let i = first; i <= last; i++) {
    if (i < k && digits[k - i] !== 0) reductions.push([quotients[i], digits[k - i]]);
  }
  return { products, reductions };
}

/** The value of signed limbs. */
export const limbsValue = (limbs) =>
  limbs.reduceRight((value, limb) => (value << 24n) + BigInt(limb), 0n);

/** Seeded uniform numbers in [0, 1). */
export function seededRandom(seed) {
  let state = seed | 1;
  return () => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return (state >>> 0) / 2 ** 32;
  };
}

/**
 * Hill climbing for operands with a large error: limbs start at their bounds with equal signs and are changed one at
 * a time as long as the error grows. Returns the best pair of `restarts` climbs.
 */
export function searchLargestError(field, { limitA, limitB, topLimit, restarts, steps, seed }) {
  const random = seededRandom(seed);
  const limb = (limit, sign) => sign * Math.floor(limit - 1 - random() ** 3 * limit * 0.25);
  const start = (limit, sign) =>
    range(field.limbs).map((i) => limb(i === field.limbs - 1 ? topLimit : limit, sign));
  let best = { largestError: -1 };
  for (let restart = 0; restart < restarts; restart++) {
    const sign = random() < 0.5 ? 1 : -1;
    const pair = { a: start(limitA, sign), b: start(limitB, restart % 2 === 0 ? sign : -sign) };
    let error = mirrorMultiply(field, pair.a, pair.b).largestError;
    for (let step = 0; step < steps; step++) {
      const [limbs, limit] = random() < 0.5 ? [pair.a, limitA] : [pair.b, limitB];
      const i = Math.floor(random() * field.limbs);
      const old = limbs[i];
      limbs[i] = limb(i === field.limbs - 1 ? topLimit : limit, Math.sign(old) || 1);
      const changed = mirrorMultiply(field, pair.a, pair.b).largestError;
      if (changed > error) error = changed;
      else limbs[i] = old;
    }
    if (error > best.largestError) best = { largestError: error, a: [...pair.a], b: [...pair.b] };
  }
  return best;
}
