// Generator of the 24-bit signed-limb Montgomery multiplier (docs/kernels.md "Two sums"): every column sum
// is kept exactly modulo 2^32 in integers and approximately in f32; together they give it exactly.
// The generator proves the bound for round-to-nearest and refuses a variant that fails it.
import { karatsubaProduct } from './karatsuba-product.mjs';
import { balancedDigits, signedLimbField } from './signed-limbs.mjs';
import { construct, f32, invertMod, range, u32 } from './wgsl-text.mjs';

const BITS = 24;

/** Half a unit in the last place of an f32 sum below `size`: the most that rounding to nearest changes it. */
const rounding = (size) => 2 ** (Math.floor(Math.log2(size)) - 24);

/**
 * One chain of f32 multiply-adds with bounds of its size and of its error: `error` with fused multiply-adds, `split`
 * where each fma is a rounded product and a rounded sum.
 */
function openChain() {
  return { text: null, size: 0, error: 0, split: 0 };
}

function addProduct(chain, x, y, size) {
  const first = chain.text === null;
  chain.text = first ? `${x} * ${y}` : `fma(${x}, ${y}, ${chain.text})`;
  chain.size += size;
  chain.error += rounding(chain.size + chain.error);
  chain.split += rounding(chain.size + chain.split) + (first ? 0 : rounding(size));
}

/** The sum of two chains, which rounds once; the second may be empty. */
function joinChains(x, y) {
  if (y.text === null) return x;
  const sum = {
    text: `(${x.text}) + (${y.text})`,
    size: x.size + y.size,
    error: x.error + y.error,
    split: x.split + y.split,
  };
  sum.error += rounding(sum.size + sum.error);
  sum.split += rounding(sum.size + sum.split);
  return sum;
}

/** Conversions of the operands to f32, and doubled limbs for a squaring. */
function operandLines(limbs, square) {
  const converted = (name) =>
    range(limbs)
      .map((i) => `let f${name}${i} = f32(bitcast<i32>(${name}.v${i}));`)
      .join(' ');
  if (!square) return [converted('a'), converted('b')];
  const doubled = range(limbs).map(
    (i) => `let d${i} = a.v${i} + a.v${i}; let fd${i} = f32(bitcast<i32>(d${i}));`,
  );
  return [converted('a'), doubled.join(' ')];
}

/** The products of column k and of the quotients known so far: integer terms and an f32 chain of each. */
function columnSums({ limbs, digits, limitA, limitB }, square, k, integerProducts) {
  const low = Math.max(0, k - limbs + 1);
  const high = Math.min(k, limbs - 1);
  const integers = integerProducts === undefined ? [] : [integerProducts[k]];
  const products = openChain();
  const reduction = openChain();
  const term = (x, y, fx, fy, size) => {
    if (integerProducts === undefined) integers.push(`${x} * ${y}`);
    addProduct(products, fx, fy, size);
  };
  for (let i = low; i <= high; i++) {
    const j = k - i;
    if (!square) term(`a.v${i}`, `b.v${j}`, `fa${i}`, `fb${j}`, limitA * limitB);
    else if (i === j) term(`a.v${i}`, `a.v${i}`, `fa${i}`, `fa${i}`, limitA * limitB);
    else if (i < j) term(`d${i}`, `a.v${j}`, `fd${i}`, `fa${j}`, 2 * limitA * limitB);
  }
  for (let i = low; i <= high; i++) {
    const digit = digits[k - i];
    if (i >= k || digit === 0n) continue;
    integers.push(`q${i} * ${u32(digit)}`);
    addProduct(reduction, `fq${i}`, f32(digit), 2 ** 23 * Math.abs(Number(digit)));
  }
  return { integers, sum: joinChains(products, reduction) };
}

/** The carry of the column before is left out of the f32 sum: it is far below the error that a carry allows. */
function withoutCarry(sum, previousSize) {
  const carry = previousSize * 2 ** -24 + 1;
  return {
    ...sum,
    size: sum.size + carry,
    error: sum.error + carry,
    split: sum.split + carry,
  };
}

/** The lower half of the columns each yield a quotient digit that clears their low 24 bits. */
function quotientStep({ digits, n0 }, k, sum) {
  const head = 2 ** 23 * Math.abs(Number(digits[0]));
  const special = digits[0] === 1n;
  const quotient = special ? `((0u - l${k}) << 8u)` : `(l${k} * ${u32(n0 << 8n)})`;
  const lines = [
    `let q${k} = bitcast<u32>(bitcast<i32>(${quotient}) >> 8u); let fq${k} = f32(bitcast<i32>(q${k}));`,
    special
      ? // the f32 sum leaves out so small a number
        `let m${k} = l${k} + q${k}; let F${k} = ${sum.text};`
      : `let m${k} = l${k} + q${k} * ${u32(digits[0])}; let F${k} = fma(fq${k}, ${f32(digits[0])}, ${sum.text});`,
  ];
  const bound = { size: sum.size + head, error: sum.error, split: sum.split };
  bound.error += special ? head : rounding(bound.size + bound.error);
  bound.split += special ? head : rounding(bound.size + bound.split) + rounding(head);
  return { lines, bound };
}

/**
 * The body of a multiplication or squaring, column by column (product scanning).
 * Operand a may have limbs up to limitA (L form: 2^24, loose: 1.5·2^24), operand b up to limitB (N form: 2^23).
 */
function multiplierBody(field, square) {
  const { type, limbs, unit, levels } = field;
  const magic = 1.5 * 2 ** (23 + unit);
  const magicBits = BigInt((((127 + 23 + unit) << 23) | 0x400000) >>> 0);
  const correction = u32((magicBits << BigInt(unit - 24)) & 0xffffffffn);
  const lines = operandLines(limbs, square);
  const outputs = [];
  let integerProducts;
  if (!square && levels > 0) {
    const names = (operand) => range(limbs).map((i) => `${operand}.v${i}`);
    const product = karatsubaProduct(names('a'), names('b'), levels);
    lines.push(...product.lines);
    integerProducts = product.columns;
  }
  let previousSize = 0;
  const worst = { error: 0, split: 0, size: 0 };
  for (let k = 0; k < 2 * limbs - 1; k++) {
    const { integers, sum } = columnSums(field, square, k, integerProducts);
    if (k > 0) integers.push(`c${k - 1}`);
    let bound = withoutCarry(sum, previousSize);
    if (k < limbs) {
      lines.push(`let l${k} = ${integers.join(' + ')};`);
      const step = quotientStep(field, k, bound);
      lines.push(...step.lines);
      bound = step.bound;
    } else {
      lines.push(`let l${k} = ${integers.join(' + ')} + 0x800000u;`);
      lines.push(`let m${k} = l${k}; let F${k} = ${sum.text};`);
      lines.push(`let o${k - limbs} = (l${k} & 0xffffffu) - 0x800000u;`);
      outputs.push(`o${k - limbs}`);
    }
    lines.push(
      `let g${k} = bitcast<u32>(F${k} + ${f32(magic)}); ` +
        `let c${k} = (g${k} << ${unit - 24}u) + bitcast<u32>(bitcast<i32>(m${k} - (g${k} << ${unit}u)) >> 24u) - ${correction};`,
    );
    for (const key of ['error', 'split', 'size']) worst[key] = Math.max(worst[key], bound[key]);
    previousSize = bound.size;
  }
  outputs.push(`c${2 * limbs - 2}`);
  return {
    comment: requireBound(`${type}_${square ? 'sqr' : 'mul'}`, worst, unit),
    text: `${lines.map((line) => `  ${line}`).join('\n')}\n  return ${construct(type, outputs)};\n`,
  };
}

/** Refuses a bound that does not determine every carry; otherwise the comment that states it. */
function requireBound(name, worst, unit) {
  const budget = 2 ** 31 - 2 ** (unit - 1) - 2 ** 23 - 2 ** 24;
  const power = (value) => `2^${Math.log2(value).toFixed(2)}`;
  if (worst.split >= budget || worst.size >= 2 ** (22 + unit)) {
    throw new RangeError(
      `${name}: bound fails: error ${power(worst.split)} of ${power(budget)}, sum ${power(worst.size)} of 2^${22 + unit}`,
    );
  }
  return (
    `// bound: |S| < ${power(worst.size)}, f32 error < ${power(worst.error)}, ` +
    `with split fma < ${power(worst.split)}, of ${power(budget)} (round to nearest)\n`
  );
}

/**
 * WGSL of a field in 24-bit signed limbs. `prefix` names functions, `type` the struct. The integer products of mul are
 * halved `levels` times by Karatsuba, as integer multiplications are what a GPU has fewest units for.
 */
export function signed24Field({ type, prefix, modulus, limbs, words, unit, looseA, levels = 0 }) {
  const digits = balancedDigits(modulus, limbs, BITS);
  const field = {
    type,
    limbs,
    digits,
    n0: -invertMod(modulus, 1n << 24n) & 0xffffffn,
    unit,
    levels,
    limitA: looseA * 2 ** 24,
    limitB: 2 ** 23,
  };
  const mul = multiplierBody(field, false);
  const sqr = multiplierBody({ ...field, limitA: 2 ** 23 }, true);
  const multiplier =
    `${mul.comment}fn ${prefix}_mul(a: ${type}, b: ${type}) -> ${type} {\n${mul.text}}\n` +
    `${sqr.comment}fn ${prefix}_sqr(a: ${type}) -> ${type} {\n${sqr.text}}\n`;
  return signedLimbField({
    type,
    prefix,
    modulus,
    limbs,
    words,
    bits: BITS,
    topLimbs: 1,
    multiplier,
  });
}
