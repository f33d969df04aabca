// Columns of products of digits in base z (pmns23.mjs): sums kept twice, as integers modulo 2^32 and as f32 chains with
// their error bounds, Montgomery steps, and the carries that both sums determine.
import { boundInAnyOrder } from './f32-chains.mjs';
import { range, u32 } from './wgsl-text.mjs';

/** Bits of a limb; limbs below the top one are in [0, 2^BITS) or balanced. */
export const BITS = 23;
export const MASK = u32((1n << 23n) - 1n);
/** Columns of a product of digits that Montgomery steps clear; R = 2^69. */
export const STEPS = 3;
/** z in limbs: Z_LOW, 0, Z_TOP. */
const Z_LOW = 2 ** 16;
export const Z_TOP = 0xd201 * 4;
/** Digits of a Montgomery quotient are not balanced: that would take another operation for each. */
const QUOTIENT = 2 ** BITS;
/** F/2 + MAGIC has round(F / 2^UNIT) in its low mantissa bits; half of F is a term that compilers do not take apart. */
const UNIT = 29;
const MAGIC = 1.5 * 2 ** (22 + UNIT);
const MAGIC_BITS = BigInt((((127 + 22 + UNIT) << 23) | 0x400000) >>> 0);

/** A sum kept twice: integer terms, an f32 chain, and the terms that its bounds are made of. */
export function openSum() {
  return { integers: [], chain: null, terms: [] };
}

function addProduct(sum, x, y, sign) {
  const size = x.limit * y.limit;
  const operand = sign < 0 ? `(-${x.float})` : x.float;
  sum.chain =
    sum.chain === null ? `${operand} * ${y.float}` : `fma(${operand}, ${y.float}, ${sum.chain})`;
  sum.integers.push(`${sign < 0 ? '- ' : '+ '}${x.name} * ${y.name}`);
  // an operand of more than 24 bits is rounded when it is converted
  sum.terms.push({ size, off: x.limit > 2 ** 24 ? size * 2 ** -24 : 0 });
}

export function addSum(sum, other, sign) {
  sum.chain =
    sum.chain === null ? other.float : `${sum.chain} ${sign < 0 ? '-' : '+'} ${other.float}`;
  sum.integers.push(`${sign < 0 ? '- ' : '+ '}${other.name}`);
  sum.terms.push(...other.terms);
}

/** Size and error of a sum in any order, fused or split. */
function boundOf({ terms }) {
  const { size, split } = boundInAnyOrder(terms);
  return { size, error: terms.reduce((error, { off }) => error + off, split) };
}

export const integerText = ({ integers }) =>
  integers.join(' ').replace(/^\+ /, '').replace(/^- /, '0u - ');

/** The products of limbs of column k for pairs of digits. */
export function addColumn(sum, operands, pairs, k, sign) {
  for (const [i, j] of pairs) {
    for (let limb = Math.max(0, k - 2); limb <= Math.min(2, k); limb++) {
      addProduct(sum, operands.a(i, limb), operands.b(j, k - limb), sign);
    }
  }
}

/** q·(z − X) clears the low 23 bits of every digit's column: q = U + 2^16 U/X with U = T/X, and 1/X = X − X^3. */
function montgomeryStep(s, lines) {
  const t = range(4).map((i) => `l${i}_${s}`);
  lines.push(`let u${s}_1 = ${t[2]} + ${t[0]};`);
  const u = [t[1], `u${s}_1`, t[3], `(0u - ${t[0]})`];
  const v = [u[1], `(${u[2]} + ${u[0]})`, u[3], `(0u - ${u[0]})`];
  range(4).forEach((i) => {
    lines.push(
      `let q${i}_${s} = (${u[i]} + (${v[i]} << 16u)) & ${MASK}; ` +
        `let fq${i}_${s} = f32(bitcast<i32>(q${i}_${s}));`,
    );
  });
  const q = range(4).map((i) => `q${i}_${s}`);
  const shifted = [`+ ${q[3]}`, `- ${q[0]}`, `- ${q[1]} - ${q[3]}`, `- ${q[2]}`];
  range(4).forEach((i) => {
    // the digits that X·q moves are far below the error that a carry allows, so the f32 sum leaves them out
    lines.push(
      `let m${i}_${s} = ${t[i]} + (${q[i]} << 16u) ${shifted[i]}; ` +
        `let G${i}_${s} = fma(fq${i}_${s}, ${Z_LOW}.0f, F${i}_${s});`,
    );
  });
}

/** The carry floor(S / 2^23) of a column from its sum modulo 2^32 and its f32 sum. */
function carryLine(i, k, low, float) {
  const correction = u32((MAGIC_BITS << BigInt(UNIT - BITS)) & 0xffffffffn);
  return (
    `let g${i}_${k} = bitcast<u32>(fma(${float}, 0.5f, ${MAGIC}.0f)); ` +
    `let c${i}_${k} = (g${i}_${k} << ${UNIT - BITS}u) + bitcast<u32>(bitcast<i32>(${low} - (g${i}_${k} << ${UNIT}u)) >> ${BITS}u) - ${correction};`
  );
}

/** Refuses sums that do not determine every carry; otherwise the comment that states the bound. */
function requireCarries(name, worst) {
  // left out of the f32 sums: the carry that comes in, the digits moved by X·q
  const leftOut = worst.size * 2 ** -BITS + 2 ** 25;
  const budget = 2 ** 31 - 2 ** (UNIT - 1) - leftOut;
  const power = (value) => `2^${Math.log2(value).toFixed(2)}`;
  if (worst.error >= budget || worst.size + worst.error >= 2 ** (22 + UNIT)) {
    throw new RangeError(
      `${name}: bound fails: error ${power(worst.error)} of ${power(budget)}, sum ${power(worst.size)} of 2^${22 + UNIT}`,
    );
  }
  return `// bound: |S| < ${power(worst.size)}, f32 error < ${power(worst.error)} of ${power(budget)}, fused or split (round to nearest)\n`;
}

/** Sums, Montgomery steps and carries, column by column. `sumsOf(k, lines)` yields the four sums of column k. */
export function reducedColumns(name, sumsOf) {
  const lines = [];
  const worst = { size: 0, error: 0 };
  for (let k = 0; k < 5; k++) {
    const sums = sumsOf(k, lines);
    sums.forEach((sum, i) => {
      if (k >= 2) {
        const q = `${i}_${k - 2}`;
        const quotient = { name: `q${q}`, float: `fq${q}`, limit: QUOTIENT };
        addProduct(sum, quotient, { name: `${Z_TOP}u`, float: `${Z_TOP}.0f`, limit: Z_TOP }, 1);
      }
      if (k > 0) sum.integers.push(`+ c${i}_${k - 1}`);
      lines.push(`let l${i}_${k} = ${integerText(sum)}; let F${i}_${k} = ${sum.chain};`);
      if (k < STEPS) sum.terms.push({ size: QUOTIENT * Z_LOW, off: 0 });
      const bound = boundOf(sum);
      worst.size = Math.max(worst.size, bound.size);
      worst.error = Math.max(worst.error, bound.error);
    });
    if (k < STEPS) montgomeryStep(k, lines);
    const [low, float] = k < STEPS ? ['m', 'G'] : ['l', 'F'];
    range(4).forEach((i) => {
      lines.push(carryLine(i, k, `${low}${i}_${k}`, `${float}${i}_${k}`));
    });
  }
  const outputs = range(4).flatMap((i) => [`l${i}_3 & ${MASK}`, `l${i}_4 & ${MASK}`, `c${i}_4`]);
  return {
    comment: requireCarries(name, worst),
    text: `${lines.map((line) => `  ${line}`).join('\n')}\n  return Fr(${outputs.join(', ')});\n`,
  };
}
