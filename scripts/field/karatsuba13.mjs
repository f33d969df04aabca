// Generator of the Fr multiplier in 20 signed limbs of 13 bits: Karatsuba 2 x 2 x 5 for the product (225 instead of
// 400 limb products) and the special form r = 1 - 2^32 + 2^64 r' for the reduction. Intermediate columns may wrap
// modulo 2^32; only the final column sums, which are those of the schoolbook product, must stay below 2^31.
import { karatsubaProduct } from './karatsuba-product.mjs';
import { balancedDigits, signedLimbField } from './signed-limbs.mjs';
import { BITS, carryColumns, quotientOf, requireColumns } from './signed13.mjs';
import { range, u32 } from './wgsl-text.mjs';

const asr = (text) => `bitcast<u32>(bitcast<i32>(${text}) >> ${BITS}u)`;

/** Reduction steps for r = 1 - 2^32 + 2^64 r': -r^-1 = -1 modulo 2^13, so a quotient digit costs no multiplication. */
function specialReduction(modulus, limbs) {
  const upper = (modulus - 1n + (1n << 32n)) >> 64n;
  if (upper << 64n !== modulus - 1n + (1n << 32n))
    throw new RangeError("modulus is not 1 - 2^32 + 2^64 r'");
  const digits = balancedDigits(upper << 12n, limbs - 4, BITS);
  const lines = [];
  for (let i = 0; i < limbs; i++) {
    const steps = [
      `let q${i} = ${quotientOf(`t${i}`, 0n, true)};`,
      `t${i + 1} += ${asr(`t${i} + q${i}`)};`,
      `t${i + 2} -= q${i} << 6u;`,
    ];
    digits.forEach((digit, j) => {
      if (digit !== 0n) steps.push(`t${i + 4 + j} += q${i} * ${u32(digit)};`);
    });
    lines.push(steps.join(' '));
  }
  return { lines, digits: [1n, 0n, -64n, 0n, ...digits] };
}

/** WGSL of Fr. Operand a of mul may have limbs up to looseA·2^13. */
export function karatsuba13Field({ type, prefix, modulus, limbs, words, levels, looseA }) {
  const names = (operand) => range(limbs).map((i) => `${operand}.v${i}`);
  const reduction = specialReduction(modulus, limbs);
  const body = (a, b) => {
    const { columns, lines } = karatsubaProduct(names(a), names(b), levels);
    const text = [
      ...lines,
      ...columns.map((name, i) => `var t${i} = ${name};`),
      `var t${2 * limbs - 1} = 0u;`,
      ...reduction.lines,
    ];
    return `${text.map((line) => `  ${line}`).join('\n')}\n${carryColumns(type, limbs, (j) => `t${limbs + j}`)}`;
  };
  const half = 2 ** (BITS - 1);
  const bound = (name, limitA) =>
    requireColumns(name, { limbs, digits: reduction.digits, limitA, limitB: half });
  const multiplier =
    `${bound(`${type}_mul`, looseA * 2 ** BITS)}fn ${prefix}_mul(a: ${type}, b: ${type}) -> ${type} {\n${body('a', 'b')}}\n` +
    `fn ${prefix}_sqr(a: ${type}) -> ${type} { return ${prefix}_mul(a, a); }\n`;
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
