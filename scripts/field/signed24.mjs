// Generator of the 24-bit signed-limb Montgomery multiplier (docs/kernels.md "Two sums"): every column sum
// is kept exactly modulo 2^32 in integers and approximately in f32; together they give it exactly.
// The generator proves the bound for round-to-nearest and refuses a variant that fails it.
import {
  construct,
  f32,
  invertMod,
  limbOfWords,
  limbStruct,
  range,
  u32,
  wordOfLimbs,
} from './wgsl-text.mjs';

const BITS = 24;

/** Digits of `value` in base 2^24, each in [−2^23, 2^23) but the last. */
export function balancedDigits(value, count) {
  const base = 1n << BigInt(BITS);
  const digits = [];
  let rest = value;
  for (let i = 0; i < count - 1; i++) {
    let digit = rest & (base - 1n);
    if (digit >= base >> 1n) digit -= base;
    digits.push(digit);
    rest = (rest - digit) >> BigInt(BITS);
  }
  digits.push(rest);
  return digits;
}

/** One chain of f32 multiply-adds with its error bound: `error` in absolute terms, half a unit per rounding. */
function openChain() {
  return { text: null, size: 0, error: 0 };
}

function addProduct(chain, x, y, size) {
  const total = chain.size + size;
  chain.text = chain.text === null ? `${x} * ${y}` : `fma(${x}, ${y}, ${chain.text})`;
  chain.error += (chain.size === 0 ? size : total) * 2 ** -24;
  chain.size = total;
}

/** Sums chains left to right; each addition rounds once. */
function joinChains(chains) {
  const used = chains.filter((chain) => chain.text !== null);
  return used.slice(1).reduce(
    (sum, chain) => {
      const size = sum.size + chain.size;
      return { size, error: sum.error + chain.error + size * 2 ** -24 };
    },
    { size: used[0].size, error: used[0].error },
  );
}

/**
 * The body of a multiplication or squaring, column by column (product scanning).
 * Operand a may have limbs up to limitA (L form: 2^24, loose: 1.5·2^24), operand b up to limitB (N form: 2^23).
 */
function multiplierBody(field, square) {
  const { type, limbs, digits, n0, special, unit, chains, limitA, limitB } = field;
  const magic = 1.5 * 2 ** (23 + unit);
  const magicBits = BigInt((((127 + 23 + unit) << 23) | 0x400000) >>> 0);
  const correction = (magicBits << BigInt(unit - 24)) & 0xffffffffn;
  const lines = [];
  for (const name of square ? ['a'] : ['a', 'b']) {
    lines.push(
      range(limbs)
        .map((i) => `let f${name}${i} = f32(bitcast<i32>(${name}.v${i}));`)
        .join(' '),
    );
  }
  if (square) {
    lines.push(
      range(limbs)
        .map((i) => `let d${i} = a.v${i} + a.v${i}; let fd${i} = f32(bitcast<i32>(d${i}));`)
        .join(' '),
    );
  }
  const outputs = [];
  let previous = null; // { error, size } of the column before
  let worst = { error: 0, size: 0 };
  for (let k = 0; k < 2 * limbs - 1; k++) {
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
    if (square) {
      for (let i = low; i <= high && i <= k - i; i++) {
        const j = k - i;
        if (i === j) term(`a.v${i}`, `a.v${i}`, `fa${i}`, `fa${i}`, limitA * limitB);
        else term(`d${i}`, `a.v${j}`, `fd${i}`, `fa${j}`, 2 * limitA * limitB);
      }
    } else {
      for (let i = low; i <= high; i++) {
        term(`a.v${i}`, `b.v${k - i}`, `fa${i}`, `fb${k - i}`, limitA * limitB);
      }
    }
    for (let i = low; i <= high; i++) {
      const j = k - i;
      if (j === 0 || i >= k || digits[j] === 0n) continue;
      integers.push(`q${i} * ${u32(digits[j])}`);
      addProduct(reduction, `fq${i}`, f32(digits[j]), 2 ** 23 * Math.abs(Number(digits[j])));
    }
    const parts = [...products, reduction].filter((chain) => chain.text !== null);
    parts.forEach((chain, i) => {
      lines.push(`let s${k}_${i} = ${chain.text};`);
    });
    const bound = joinChains([...products, reduction]);
    let sum = parts.map((_, i) => `s${k}_${i}`).join(' + ');
    if (previous !== null) {
      bound.size += previous.size * 2 ** -24;
      bound.error += previous.error * 2 ** -24 + bound.size * 2 ** -24 + 1;
      sum = `fma(F${k - 1}, ${f32(2 ** -24)}, ${sum})`;
      integers.push(`c${k - 1}`);
    }
    const below = k < limbs;
    lines.push(`let l${k} = ${integers.join(' + ')}${below ? '' : ' + 0x800000u'};`);
    if (below) {
      const quotient = special ? `((0u - l${k}) << 8u)` : `(l${k} * ${u32(n0 << 8n)})`;
      lines.push(
        `let q${k} = bitcast<u32>(bitcast<i32>(${quotient}) >> 8u); let fq${k} = f32(bitcast<i32>(q${k}));`,
      );
      const head = Math.abs(Number(digits[0]));
      lines.push(
        special
          ? `let m${k} = l${k} + q${k}; let F${k} = (${sum}) + fq${k};`
          : `let m${k} = l${k} + q${k} * ${u32(digits[0])}; let F${k} = fma(fq${k}, ${f32(digits[0])}, ${sum});`,
      );
      bound.size += 2 ** 23 * head;
      bound.error += bound.size * 2 ** -24;
    } else {
      lines.push(`let m${k} = l${k}; let F${k} = ${sum};`);
      lines.push(`let o${k - limbs} = (l${k} & 0xffffffu) - 0x800000u;`);
      outputs.push(`o${k - limbs}`);
    }
    lines.push(
      `let g${k} = bitcast<u32>(F${k} + ${f32(magic)}); ` +
        `let c${k} = (g${k} << ${unit - 24}u) + bitcast<u32>(bitcast<i32>(m${k} - (g${k} << ${unit}u)) >> 24u) - ${u32(correction)};`,
    );
    worst = { error: Math.max(worst.error, bound.error), size: Math.max(worst.size, bound.size) };
    previous = bound;
  }
  const budget = 2 ** 31 - 2 ** (unit - 1) - 2 ** 23 - 2 ** 24;
  const name = `${type}_${square ? 'sqr' : 'mul'}`;
  if (worst.error >= budget || worst.size >= 2 ** (22 + unit)) {
    throw new RangeError(
      `${name}: bound fails: error 2^${Math.log2(worst.error).toFixed(2)} of 2^${Math.log2(budget).toFixed(2)}, ` +
        `sum 2^${Math.log2(worst.size).toFixed(2)} of 2^${22 + unit}`,
    );
  }
  const comment =
    `// bound: |S| < 2^${Math.log2(worst.size).toFixed(2)}, f32 error < 2^${Math.log2(worst.error).toFixed(2)} ` +
    `of 2^${Math.log2(budget).toFixed(2)} (round to nearest)\n`;
  outputs.push(`c${2 * limbs - 2}`);
  return {
    comment,
    text: `${lines.map((line) => `  ${line}`).join('\n')}\n  return ${construct(type, outputs)};\n`,
  };
}

/** WGSL of a field in 24-bit signed limbs. `prefix` names functions, `type` the struct. */
export function signed24Field({ type, prefix, modulus, limbs, words, unit, chains, looseA }) {
  const digits = balancedDigits(modulus, limbs);
  const n0 = -invertMod(modulus, 1n << 24n) & 0xffffffn & 0xffffffn;
  const field = {
    type,
    limbs,
    digits,
    n0,
    special: digits[0] === 1n,
    unit,
    chains,
    limitA: looseA * 2 ** 24,
    limitB: 2 ** 23,
  };
  const each = (text) => construct(type, range(limbs).map(text));
  const mul = multiplierBody(field, false);
  const sqr = multiplierBody({ ...field, limitA: 2 ** 23 }, true);
  let code = limbStruct(type, limbs);
  code += `${mul.comment}fn ${prefix}_mul(a: ${type}, b: ${type}) -> ${type} {\n${mul.text}}\n`;
  code += `${sqr.comment}fn ${prefix}_sqr(a: ${type}) -> ${type} {\n${sqr.text}}\n`;
  code += `fn ${prefix}_add(a: ${type}, b: ${type}) -> ${type} { return ${each((i) => `a.v${i} + b.v${i}`)}; }\n`;
  code += `fn ${prefix}_sub(a: ${type}, b: ${type}) -> ${type} { return ${each((i) => `a.v${i} - b.v${i}`)}; }\n`;
  code += `// mask 0 keeps, mask 0xffffffff negates\n`;
  code += `fn ${prefix}_neg_if(a: ${type}, mask: u32) -> ${type} { return ${each((i) => `(a.v${i} ^ mask) - mask`)}; }\n`;
  code += `fn ${prefix}_zero() -> ${type} { return ${each(() => '0u')}; }\n`;
  const carry = range(limbs - 1).map(
    (i) =>
      `  let t${i} = a.v${i} + ${i > 0 ? `c${i - 1} + ` : ''}0x800000u; let c${i} = bitcast<u32>(bitcast<i32>(t${i}) >> 24u);`,
  );
  code += `// carries to N form: limbs in [-2^23, 2^23)\nfn ${prefix}_norm(a: ${type}) -> ${type} {\n${carry.join('\n')}\n  return ${each((i) => (i < limbs - 1 ? `(t${i} & 0xffffffu) - 0x800000u` : `a.v${i} + c${i - 1}`))};\n}\n`;
  const top = Number(modulus >> BigInt(BITS * (limbs - 2))) / 2 ** 24;
  const k = `bitcast<u32>(f32(bitcast<i32>(a.v${limbs - 1})) * ${f32(Math.fround(1 / top))} + 12582912.0f) - 0x4b400000u`;
  code += `// subtracts the nearest multiple of the modulus, estimated from the top limb; limbs stay loose\nfn ${prefix}_red(a: ${type}) -> ${type} {\n  let k = ${k};\n  return ${each((i) => (digits[i] === 0n ? `a.v${i}` : `a.v${i} - k * ${u32(digits[i])}`))};\n}\n`;
  const wordArgs = range(words)
    .map((i) => `w${i}: u32`)
    .join(', ');
  const topShift = (BITS * (limbs - 1)) & 31;
  code += `// two's complement words to digits in [0, 2^24), top limb signed: L form\nfn ${prefix}_unpack(${wordArgs}) -> ${type} {\n  return ${each((i) => (i < limbs - 1 ? limbOfWords(i, BITS, words) : `bitcast<u32>(bitcast<i32>(w${words - 1}) >> ${topShift}u)`))};\n}\n`;
  // balanced digits do not show the sign in the top limb; carried digits in [0, 2^24) do
  const carried = (name) =>
    range(limbs)
      .map((i) =>
        i < limbs - 1
          ? `  let t${i} = ${name}.v${i}${i > 0 ? ` + c${i - 1}` : ''}; let d${i} = t${i} & 0xffffffu; let c${i} = bitcast<u32>(bitcast<i32>(t${i}) >> 24u);`
          : `  let d${i} = ${name}.v${i} + c${i - 1};`,
      )
      .join('\n');
  const names = range(limbs).map((i) => `d${i}`);
  code += `fn ${prefix}_pack(a: ${type}) -> array<u32, ${words}> {\n${carried('a')}\n  return array<u32, ${words}>(${range(
    words,
  )
    .map((w) => wordOfLimbs(w, BITS, names))
    .join(', ')});\n}\n`;
  // zero test: the low 32 bits times p^-1 must be a small number k, then compare exactly with k·p
  const plain = range(limbs).map((i) =>
    i < limbs - 1 ? (modulus >> BigInt(BITS * i)) & 0xffffffn : modulus >> BigInt(BITS * i),
  );
  code += `// a ≡ 0, for |value| < 8·modulus\nfn ${prefix}_is_zero(a: ${type}) -> bool {\n  let k = (a.v0 + (a.v1 << 24u)) * ${u32(invertMod(modulus, 1n << 32n))};\n  if (k + 8u > 16u) { return false; }\n  let z = ${prefix}_norm(${each((i) => `a.v${i} - k * ${u32(plain[i])}`)});\n  return (${range(
    limbs,
  )
    .map((i) => `z.v${i}`)
    .join(' | ')}) == 0u;\n}\n`;
  code += `// canonical words in [0, modulus), for |value| < 256·modulus\nfn ${prefix}_canon(a: ${type}) -> array<u32, ${words}> {\n  let x = ${prefix}_red(${prefix}_norm(a));\n${carried('x')}\n  let s = 0u - (d${limbs - 1} >> 31u);\n  return ${prefix}_pack(${each((i) => `d${i} + (s & ${u32(plain[i])})`)});\n}\n`;
  return code;
}
