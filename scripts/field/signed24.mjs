// Generator of the 24-bit signed-limb Montgomery multiplier (docs/kernels.md "Two sums"): every column sum
// is kept exactly modulo 2^32 in integers and approximately in f32; together they give it exactly.
// The generator proves the bound for round-to-nearest and refuses a variant that fails it.
import { balancedDigits, signedLimbField } from './signed-limbs.mjs';
import { construct, f32, invertMod, range, u32 } from './wgsl-text.mjs';

const BITS = 24;

/**
 * One chain of f32 multiply-adds with its error bounds in absolute terms, half a unit per rounding: `error` with
 * fused multiply-adds, `split` where each fma is a rounded product and a rounded sum.
 */
function openChain() {
  return { text: null, size: 0, error: 0, split: 0 };
}

function addProduct(chain, x, y, size) {
  const total = chain.size + size;
  chain.text = chain.text === null ? `${x} * ${y}` : `fma(${x}, ${y}, ${chain.text})`;
  const rounding = (chain.size === 0 ? size : total) * 2 ** -24;
  chain.error += rounding;
  chain.split += rounding + (chain.size === 0 ? 0 : size * 2 ** -24);
  chain.size = total;
}

/** Sums chains left to right; each addition rounds once. */
function joinChains(chains) {
  const used = chains.filter((chain) => chain.text !== null);
  return used.slice(1).reduce(
    (sum, chain) => {
      const size = sum.size + chain.size;
      const rounding = size * 2 ** -24;
      return {
        size,
        error: sum.error + chain.error + rounding,
        split: sum.split + chain.split + rounding,
      };
    },
    { size: used[0].size, error: used[0].error, split: used[0].split },
  );
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

/** The products of column k and of the quotients known so far: integer terms and f32 chains. */
function columnSums({ limbs, digits, chains, limitA, limitB }, square, k) {
  const low = Math.max(0, k - limbs + 1);
  const high = Math.min(k, limbs - 1);
  const integers = [];
  const products = range(chains).map(openChain);
  const reduction = openChain();
  let turn = 0;
  const term = (x, y, fx, fy, size) => {
    integers.push(`${x} * ${y}`);
    addProduct(products[turn++ % chains], fx, fy, size);
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
  return { integers, chains: [...products, reduction] };
}

/** Adds the carry of the column before to a bound. */
function boundWithCarry(bound, previous) {
  if (previous === null) return bound;
  const size = bound.size + previous.size * 2 ** -24;
  const rounding = size * 2 ** -24 + 1;
  return {
    size,
    error: bound.error + previous.error * 2 ** -24 + rounding,
    split: bound.split + previous.split * 2 ** -24 + rounding,
  };
}

/** The lower half of the columns each yield a quotient digit that clears their low 24 bits. */
function quotientStep({ digits, n0 }, k, sum, bound) {
  const head = 2 ** 23 * Math.abs(Number(digits[0]));
  const special = digits[0] === 1n;
  const quotient = special ? `((0u - l${k}) << 8u)` : `(l${k} * ${u32(n0 << 8n)})`;
  const size = bound.size + head;
  return {
    lines: [
      `let q${k} = bitcast<u32>(bitcast<i32>(${quotient}) >> 8u); let fq${k} = f32(bitcast<i32>(q${k}));`,
      special
        ? `let m${k} = l${k} + q${k}; let F${k} = (${sum}) + fq${k};`
        : `let m${k} = l${k} + q${k} * ${u32(digits[0])}; let F${k} = fma(fq${k}, ${f32(digits[0])}, ${sum});`,
    ],
    bound: {
      size,
      error: bound.error + size * 2 ** -24,
      split: bound.split + (size + head) * 2 ** -24,
    },
  };
}

/**
 * The body of a multiplication or squaring, column by column (product scanning).
 * Operand a may have limbs up to limitA (L form: 2^24, loose: 1.5·2^24), operand b up to limitB (N form: 2^23).
 */
function multiplierBody(field, square) {
  const { type, limbs, unit } = field;
  const magic = 1.5 * 2 ** (23 + unit);
  const magicBits = BigInt((((127 + 23 + unit) << 23) | 0x400000) >>> 0);
  const correction = u32((magicBits << BigInt(unit - 24)) & 0xffffffffn);
  const lines = operandLines(limbs, square);
  const outputs = [];
  let previous = null; // bounds of the column before
  const worst = { error: 0, split: 0, size: 0 };
  for (let k = 0; k < 2 * limbs - 1; k++) {
    const { integers, chains } = columnSums(field, square, k);
    const used = chains.filter((chain) => chain.text !== null);
    used.forEach((chain, i) => {
      lines.push(`let s${k}_${i} = ${chain.text};`);
    });
    let sum = used.map((_, i) => `s${k}_${i}`).join(' + ');
    if (previous !== null) {
      sum = `fma(F${k - 1}, ${f32(2 ** -24)}, ${sum})`;
      integers.push(`c${k - 1}`);
    }
    let bound = boundWithCarry(joinChains(chains), previous);
    if (k < limbs) {
      lines.push(`let l${k} = ${integers.join(' + ')};`);
      const step = quotientStep(field, k, sum, bound);
      lines.push(...step.lines);
      bound = step.bound;
    } else {
      lines.push(`let l${k} = ${integers.join(' + ')} + 0x800000u;`);
      lines.push(`let m${k} = l${k}; let F${k} = ${sum};`);
      lines.push(`let o${k - limbs} = (l${k} & 0xffffffu) - 0x800000u;`);
      outputs.push(`o${k - limbs}`);
    }
    lines.push(
      `let g${k} = bitcast<u32>(F${k} + ${f32(magic)}); ` +
        `let c${k} = (g${k} << ${unit - 24}u) + bitcast<u32>(bitcast<i32>(m${k} - (g${k} << ${unit}u)) >> 24u) - ${correction};`,
    );
    for (const key of ['error', 'split', 'size']) worst[key] = Math.max(worst[key], bound[key]);
    previous = bound;
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

/** WGSL of a field in 24-bit signed limbs. `prefix` names functions, `type` the struct. */
export function signed24Field({ type, prefix, modulus, limbs, words, unit, chains, looseA }) {
  const digits = balancedDigits(modulus, limbs, BITS);
  const field = {
    type,
    limbs,
    digits,
    n0: -invertMod(modulus, 1n << 24n) & 0xffffffn,
    unit,
    chains,
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
