// Generator of the 13-bit signed-limb Montgomery multiplier, integers only: the form for adapters whose f32
// arithmetic does not pass the self-test. Column sums of products and quotients stay below 2^31 without carries;
// the generator computes the largest one and refuses operands that break it.
import { balancedDigits, signedLimbField } from './signed-limbs.mjs';
import { construct, invertMod, range, u32 } from './wgsl-text.mjs';

export const BITS = 13;
const HALF = 2 ** (BITS - 1);
const asr = (text) => `bitcast<u32>(bitcast<i32>(${text}) >> ${BITS}u)`;

/** Largest column sum of a product of limbs up to limitA and limitB plus the reduction by `digits`, with carries. */
export function largestColumn({ limbs, digits, limitA, limitB }) {
  let worst = 0;
  let carry = 0;
  for (let k = 0; k < 2 * limbs; k++) {
    const low = Math.max(0, k - limbs + 1);
    const high = Math.min(k, limbs - 1);
    let sum = carry;
    for (let i = low; i <= high; i++)
      sum += limitA * limitB + HALF * Math.abs(Number(digits[k - i]));
    worst = Math.max(worst, sum);
    carry = sum / 2 ** BITS;
  }
  return worst;
}

export function requireColumns(name, facts) {
  const worst = largestColumn(facts);
  if (worst >= 2 ** 31)
    throw new RangeError(`${name}: column sum 2^${Math.log2(worst).toFixed(2)} reaches 2^31`);
  return `// bound: column sums < 2^${Math.log2(worst).toFixed(2)} of 2^31\n`;
}

/** Carries column sums t_first… to N form and returns the value. */
export function carryColumns(type, limbs, column) {
  const lines = [];
  const outputs = [];
  for (let j = 0; j < limbs; j++) {
    const carry = j > 0 ? ` + c${j - 1}` : '';
    if (j === limbs - 1) {
      outputs.push(`${column(j)}${carry}`);
      continue;
    }
    lines.push(`  let u${j} = ${column(j)}${carry} + ${u32(HALF)}; let c${j} = ${asr(`u${j}`)};`);
    outputs.push(`(u${j} & 0x1fffu) - ${u32(HALF)}`);
  }
  return `${lines.join('\n')}\n  return ${construct(type, outputs)};\n`;
}

/** Signed quotient digit in [-2^12, 2^12) that clears the low 13 bits of `column`. */
export const quotientOf = (column, n0, special) =>
  special
    ? `bitcast<u32>(bitcast<i32>((0u - ${column}) << 19u) >> 19u)`
    : `bitcast<u32>(bitcast<i32>(${column} * ${u32(n0 << 19n)}) >> 19u)`;

/** Interleaved (operand scanning): product row and reduction row by turns, one accumulator per column. */
function interleavedBody({ type, limbs, digits, n0 }, square) {
  const special = digits[0] === 1n;
  const lines = [
    range(limbs)
      .map((j) => `var t${j} = 0u;`)
      .join(' '),
  ];
  if (square)
    lines.push(
      range(limbs)
        .map((i) => `let d${i} = a.v${i} + a.v${i};`)
        .join(' '),
    );
  const column = (i, j) => `t${(i + j) % limbs}`;
  for (let i = 0; i < limbs; i++) {
    const row = [];
    if (!square) {
      for (let j = 0; j < limbs; j++) row.push(`${column(i, j)} += a.v${i} * b.v${j};`);
    }
    lines.push(row.join(' '));
    if (square) lines.push(squareColumnsReady(i, limbs, column));
    lines.push(`let q${i} = ${quotientOf(column(i, 0), n0, special)};`);
    const reduce = [
      special ? `${column(i, 0)} += q${i};` : `${column(i, 0)} += q${i} * ${u32(digits[0])};`,
    ];
    for (let j = 1; j < limbs; j++) {
      if (digits[j] !== 0n) reduce.push(`${column(i, j)} += q${i} * ${u32(digits[j])};`);
    }
    lines.push(reduce.join(' '));
    lines.push(`${column(i, 1)} += ${asr(column(i, 0))}; ${column(i, 0)} = 0u;`);
  }
  if (square) lines.push(squareColumnsReady(limbs, limbs, column));
  const body = lines
    .filter((line) => line !== '')
    .map((line) => `  ${line}`)
    .join('\n');
  return `${body}\n${carryColumns(type, limbs, (j) => `t${j % limbs}`)}`;
}

/**
 * Squaring adds the products of a column when it is needed, so each product is made once: before reduction step i
 * column i gets its products; after the last step (i = limbs) columns limbs … 2 limbs - 2 get theirs.
 */
function squareColumnsReady(i, limbs, column) {
  const columns = i < limbs ? [i] : range(limbs - 1).map((j) => limbs + j);
  return columns
    .map((k) => {
      const terms = [];
      for (let x = Math.max(0, k - limbs + 1); x <= k - x; x++) {
        terms.push(x === k - x ? `a.v${x} * a.v${x}` : `d${x} * a.v${k - x}`);
      }
      return `${column(k, 0)} += ${terms.join(' + ')};`;
    })
    .join(' ');
}

/** WGSL of a field in 13-bit signed limbs. Operand a of mul may have limbs up to looseA·2^13. */
export function signed13Field({ type, prefix, modulus, limbs, words, looseA }) {
  const digits = balancedDigits(modulus, limbs, BITS);
  const n0 = -invertMod(modulus, 1n << BigInt(BITS)) & 0x1fffn;
  const field = { type, limbs, digits, n0 };
  const mulBound = requireColumns(`${type}_mul`, {
    limbs,
    digits,
    limitA: looseA * 2 ** BITS,
    limitB: HALF,
  });
  const sqrBound = requireColumns(`${type}_sqr`, { limbs, digits, limitA: HALF, limitB: HALF });
  const multiplier =
    `${mulBound}fn ${prefix}_mul(a: ${type}, b: ${type}) -> ${type} {\n${interleavedBody(field, false)}}\n` +
    `${sqrBound}fn ${prefix}_sqr(a: ${type}) -> ${type} {\n${interleavedBody(field, true)}}\n`;
  return signedLimbField({
    type,
    prefix,
    modulus,
    limbs,
    words,
    bits: BITS,
    topLimbs: 2,
    multiplier,
  });
}
