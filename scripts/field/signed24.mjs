// Generator of the 24-bit signed-limb Montgomery multiplier (docs/kernels.md "Two sums"): every column sum
// is kept exactly modulo 2^32 in integers and approximately in f32; together they give it exactly.
// The generator proves the bound for round-to-nearest and refuses a variant that fails it.
import { boundInAnyOrder, chainText, joinBounds, leavingOut } from './f32-chains.mjs';
import { karatsubaProduct } from './karatsuba-product.mjs';
import { balancedDigits, signedLimbField } from './signed-limbs.mjs';
import { construct, f32, invertMod, range, u32 } from './wgsl-text.mjs';

const BITS = 24;

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

/** The products of column k and of the quotients known so far: integer terms and those of an f32 chain of each. */
function columnTerms({ limbs, digits, limitA, limitB }, square, k, integerProducts) {
  const low = Math.max(0, k - limbs + 1);
  const high = Math.min(k, limbs - 1);
  const integers = integerProducts === undefined ? [] : [integerProducts[k]];
  const products = [];
  const quotients = [];
  const term = (x, y, fx, fy, size) => {
    if (integerProducts === undefined) integers.push(`${x} * ${y}`);
    products.push({ x: fx, y: fy, size });
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
    quotients.push(quotientTerm(`fq${i}`, digit));
  }
  return { integers, products, quotients };
}

const quotientTerm = (x, digit) => ({ x, y: digit, size: 2 ** 23 * Math.abs(Number(digit)) });

/** The lower half of the columns each yield a quotient digit that clears their low 24 bits. */
function quotientLine({ digits, n0 }, k) {
  const special = digits[0] === 1n;
  const quotient = special ? `((0u - l${k}) << 8u)` : `(l${k} * ${u32(n0 << 8n)})`;
  const product = special ? `q${k}` : `q${k} * ${u32(digits[0])}`;
  return (
    `let q${k} = bitcast<u32>(bitcast<i32>(${quotient}) >> 8u); ` +
    `let fq${k} = f32(bitcast<i32>(q${k})); let m${k} = l${k} + ${product};`
  );
}

/**
 * The f32 sum F of a column as text of F / 2^(shift − 1), with the bounds of F. Compilers may change the order of sums
 * (Mesa does from version 26), so bounds are of any order, and a sum times a power of two is a term like any other to
 * the sum that it goes into. That is done to F in carryLine, and where one sum of all would be off by too much, to
 * products and quotients too: by two factors, as a common one would be taken out again. The column's own quotient is
 * the last term, since it is known last.
 */
function columnSum({ products, quotients }, fits) {
  const inOne = boundInAnyOrder([...products, ...quotients]);
  if (fits(inOne) || quotients.length === 0) {
    return { text: chainText([...products, ...quotients]), bound: inOne, shift: 1 };
  }
  return {
    text: `fma(${chainText(products)}, 0.5f, (${chainText(quotients, 2)}) * 0.25f)`,
    bound: joinBounds(boundInAnyOrder(products), boundInAnyOrder(quotients)),
    shift: 2,
  };
}

/**
 * The body of a multiplication or squaring, column by column (product scanning).
 * Operand a may have limbs up to limitA (L form: 2^24, loose: 1.5·2^24), operand b up to limitB (N form: 2^23).
 */
function multiplierBody(field, square) {
  const { type, limbs, unit, levels } = field;
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
    const { integers, products, quotients } = columnTerms(field, square, k, integerProducts);
    if (k > 0) integers.push(`c${k - 1}`);
    // far below the error that a carry allows: the carry of the column before, and a quotient times 1
    let leftOut = previousSize * 2 ** -BITS + 1;
    if (k < limbs) {
      lines.push(`let l${k} = ${integers.join(' + ')};`, quotientLine(field, k));
      const own = quotientTerm(`fq${k}`, field.digits[0]);
      if (field.digits[0] === 1n) leftOut += own.size;
      else quotients.push(own);
    } else {
      lines.push(`let l${k} = ${integers.join(' + ')} + 0x800000u;`);
      lines.push(`let m${k} = l${k}; let o${k - limbs} = (l${k} & 0xffffffu) - 0x800000u;`);
      outputs.push(`o${k - limbs}`);
    }
    const fits = (bound) => leavingOut(bound, leftOut).split < errorBudget(unit);
    const sum = columnSum({ products, quotients }, fits);
    lines.push(`let F${k} = ${sum.text};`, carryLine(k, unit, sum.shift));
    const bound = leavingOut(sum.bound, leftOut);
    for (const key of ['error', 'split', 'size']) worst[key] = Math.max(worst[key], bound[key]);
    previousSize = bound.size;
  }
  outputs.push(`c${2 * limbs - 2}`);
  return {
    comment: requireBound(`${type}_${square ? 'sqr' : 'mul'}`, worst, unit),
    text: `${lines.map((line) => `  ${line}`).join('\n')}\n  return ${construct(type, outputs)};\n`,
  };
}

/** The carry floor(S / 2^24) of a column: round(F / 2^unit), the low bits of a sum with a power of two, and m give it. */
function carryLine(k, unit, shift) {
  const magic = 1.5 * 2 ** (23 + unit - shift);
  const magicBits = BigInt((((127 + 23 + unit - shift) << 23) | 0x400000) >>> 0);
  const correction = u32((magicBits << BigInt(unit - BITS)) & 0xffffffffn);
  return (
    `let g${k} = bitcast<u32>(fma(F${k}, 0.5f, ${f32(magic)})); ` +
    `let c${k} = (g${k} << ${unit - BITS}u) + bitcast<u32>(bitcast<i32>(m${k} - (g${k} << ${unit}u)) >> ${BITS}u) - ${correction};`
  );
}

/** What an f32 sum may be off so that its carry is exact. */
const errorBudget = (unit) => 2 ** 31 - 2 ** (unit - 1) - 2 ** 23 - 2 ** 24;

/** Refuses a bound that does not determine every carry; otherwise the comment that states it. */
function requireBound(name, worst, unit) {
  const budget = errorBudget(unit);
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
