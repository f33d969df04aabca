// Everything of a field in signed limbs except its multiplier: one function contract for every limb width.
//
// Forms of an element x = sum x_i 2^(bits i), limbs in two's complement u32:
//   N      limbs in [-2^(bits-1), 2^(bits-1)), the top limb holds the rest   (output of mul, sqr, norm, unpack_*)
//   L      limbs in [0, 2^bits), the top limb signed                        (output of unpack, digits)
//   loose  anything up to the stated bound of the multiplier                 (sums and differences)
// Stored form: two's complement words, |value| < 2^(32 words - 1).
// Constants that are operands of mul are stored biased (value + sum 2^(bits i + bits - 1)): unpack_biased then
// yields N form with one subtraction per limb. So are products on their way to another multiplication, of any sign:
// pack_carried has nothing to carry, and unpack_carried is its inverse.
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

/** Digits of `value` in base 2^bits, each in [-2^(bits-1), 2^(bits-1)) but the last. */
export function balancedDigits(value, count, bits) {
  const base = 1n << BigInt(bits);
  const digits = [];
  let rest = value;
  for (let i = 0; i < count - 1; i++) {
    let digit = rest & (base - 1n);
    if (digit >= base >> 1n) digit -= base;
    digits.push(digit);
    rest = (rest - digit) >> BigInt(bits);
  }
  digits.push(rest);
  return digits;
}

/** Sum of 2^(bits i + bits - 1) over all limbs but the top one. */
export const biasOf = (limbs, bits) =>
  range(limbs - 1).reduce((sum, i) => sum + (1n << BigInt(bits * i + bits - 1)), 0n);

/**
 * Refuses a variant whose products cannot be stored: mul yields |a b / R| + p/2 (1 + 2^(1-bits)), and every
 * kernel keeps |a| <= 8 p and |b| <= p.
 */
export function requireStorableProducts({ type, modulus, limbs, words, bits }) {
  const montgomery = 1n << BigInt(limbs * bits);
  const product =
    (8n * modulus * modulus) / montgomery + modulus / 2n + (modulus >> BigInt(bits - 1)) + 1n;
  if (product >= 1n << BigInt(32 * words - 1)) {
    throw new RangeError(`${type}: a product of 8p and p does not fit ${words} words`);
  }
  if (2n * modulus + biasOf(limbs, bits) >= 1n << BigInt(32 * words)) {
    throw new RangeError(`${type}: a biased constant does not fit ${words} words`);
  }
}

/** WGSL of struct, multiplier (given as text) and all other functions. `topLimbs` limbs estimate the size in red. */
export function signedLimbField({
  type,
  prefix,
  modulus,
  limbs,
  words,
  bits,
  topLimbs,
  multiplier,
}) {
  requireStorableProducts({ type, modulus, limbs, words, bits });
  const half = 1n << BigInt(bits - 1);
  const mask = u32((1n << BigInt(bits)) - 1n);
  const digits = balancedDigits(modulus, limbs, bits);
  const plain = range(limbs).map((i) => {
    const rest = modulus >> BigInt(bits * i);
    return i < limbs - 1 ? rest & ((1n << BigInt(bits)) - 1n) : rest;
  });
  const each = (text) => construct(type, range(limbs).map(text));
  const asr = (text) => `bitcast<u32>(bitcast<i32>(${text}) >> ${bits}u)`;
  let code = limbStruct(type, limbs) + multiplier;
  code += `fn ${prefix}_add(a: ${type}, b: ${type}) -> ${type} { return ${each((i) => `a.v${i} + b.v${i}`)}; }\n`;
  code += `fn ${prefix}_sub(a: ${type}, b: ${type}) -> ${type} { return ${each((i) => `a.v${i} - b.v${i}`)}; }\n`;
  code += `// mask 0 keeps, mask 0xffffffff negates\n`;
  code += `fn ${prefix}_neg_if(a: ${type}, mask: u32) -> ${type} { return ${each((i) => `(a.v${i} ^ mask) - mask`)}; }\n`;
  code += `// mask 0 gives zero, mask 0xffffffff keeps\n`;
  code += `fn ${prefix}_masked(a: ${type}, mask: u32) -> ${type} { return ${each((i) => `a.v${i} & mask`)}; }\n`;
  code += `fn ${prefix}_zero() -> ${type} { return ${each(() => '0u')}; }\n`;

  const carry = range(limbs - 1).map(
    (i) =>
      `  let t${i} = a.v${i} + ${i > 0 ? `c${i - 1} + ` : ''}${u32(half)}; let c${i} = ${asr(`t${i}`)};`,
  );
  code += `// carries to N form: limbs in [-2^${bits - 1}, 2^${bits - 1})\nfn ${prefix}_norm(a: ${type}) -> ${type} {\n${carry.join('\n')}\n  return ${each((i) => (i < limbs - 1 ? `(t${i} & ${mask}) - ${u32(half)}` : `a.v${i} + c${i - 1}`))};\n}\n`;

  code += redFunction({ type, prefix, modulus, limbs, bits, topLimbs, digits, each });

  const wordArgs = range(words)
    .map((i) => `w${i}: u32`)
    .join(', ');
  const topShift = (bits * (limbs - 1)) & 31;
  code += `// two's complement words to digits in [0, 2^${bits}), top limb signed: L form\nfn ${prefix}_unpack(${wordArgs}) -> ${type} {\n  return ${each((i) => (i < limbs - 1 ? limbOfWords(i, bits, words) : `bitcast<u32>(bitcast<i32>(w${words - 1}) >> ${topShift}u)`))};\n}\n`;
  code += `// biased words of a constant: N form\nfn ${prefix}_unpack_biased(${wordArgs}) -> ${type} {\n  return ${each((i) => (i < limbs - 1 ? `${limbOfWords(i, bits, words)} - ${u32(half)}` : `w${words - 1} >> ${topShift}u`))};\n}\n`;
  code += `// what pack_carried packed: N form\nfn ${prefix}_unpack_carried(${wordArgs}) -> ${type} {\n  return ${each((i) => (i < limbs - 1 ? `${limbOfWords(i, bits, words)} - ${u32(half)}` : `bitcast<u32>(bitcast<i32>(w${words - 1}) >> ${topShift}u)`))};\n}\n`;

  // balanced digits do not show the sign in the top limb; carried digits in [0, 2^bits) do
  const carried = (name) =>
    range(limbs)
      .map((i) =>
        i < limbs - 1
          ? `  let t${i} = ${name}.v${i}${i > 0 ? ` + c${i - 1}` : ''}; let d${i} = t${i} & ${mask}; let c${i} = ${asr(`t${i}`)};`
          : `  let d${i} = ${name}.v${i} + c${i - 1};`,
      )
      .join('\n');
  const packed = (names) =>
    `array<u32, ${words}>(${range(words)
      .map((w) => wordOfLimbs(w, bits, names))
      .join(', ')})`;
  const limbNames = range(limbs).map((i) => `a.v${i}`);
  code += `// carries to L form\nfn ${prefix}_digits(a: ${type}) -> ${type} {\n${carried('a')}\n  return ${each((i) => `d${i}`)};\n}\n`;
  code += `// stored words of an element in L form\nfn ${prefix}_pack_digits(a: ${type}) -> array<u32, ${words}> { return ${packed(limbNames)}; }\n`;
  code += `// stored words of any element\nfn ${prefix}_pack(a: ${type}) -> array<u32, ${words}> { return ${prefix}_pack_digits(${prefix}_digits(a)); }\n`;
  const biased = limbNames.map((name, i) => (i < limbs - 1 ? `(${name} + ${u32(half)})` : name));
  code += `// biased words of an element in N form as mul and norm leave it: nothing to carry\nfn ${prefix}_pack_carried(a: ${type}) -> array<u32, ${words}> { return ${packed(biased)}; }\n`;
  code += `// biased words of a constant, for |value| < modulus\nfn ${prefix}_pack_biased(a: ${type}) -> array<u32, ${words}> {\n  return ${prefix}_pack(${each((i) => (i < limbs - 1 ? `a.v${i} + ${u32(plain[i] + half)}` : `a.v${i} + ${u32(plain[i])}`))});\n}\n`;

  // zero test: the low 32 bits times p^-1 must be a small number k, then compare exactly with k·p
  const low = range(Math.ceil(32 / bits))
    .map((i) => (i === 0 ? 'a.v0' : `(a.v${i} << ${bits * i}u)`))
    .join(' + ');
  code += `// a ≡ 0, for |value| < 8·modulus\nfn ${prefix}_is_zero(a: ${type}) -> bool {\n  let k = (${low}) * ${u32(invertMod(modulus, 1n << 32n))};\n  if (k + 8u > 16u) { return false; }\n  let z = ${prefix}_norm(${each((i) => `a.v${i} - k * ${u32(plain[i])}`)});\n  return (${range(
    limbs,
  )
    .map((i) => `z.v${i}`)
    .join(' | ')}) == 0u;\n}\n`;
  code += `// canonical words in [0, modulus), for |value| < 256·modulus\nfn ${prefix}_canon(a: ${type}) -> array<u32, ${words}> {\n  let x = ${prefix}_red(${prefix}_norm(a));\n${carried('x')}\n  let s = 0u - (d${limbs - 1} >> 31u);\n  return ${prefix}_pack(${each((i) => `d${i} + (s & ${u32(plain[i])})`)});\n}\n`;
  return code;
}

function redFunction({ type, prefix, modulus, limbs, bits, topLimbs, digits, each }) {
  const top = limbs - topLimbs;
  const estimate = range(topLimbs)
    .map((i) => (i === 0 ? `a.v${top}` : `(a.v${top + i} << ${bits * i}u)`))
    .reverse()
    .join(' + ');
  const scale = Number((modulus << 24n) >> BigInt(bits * top)) / 2 ** 24;
  const k = `bitcast<u32>(f32(bitcast<i32>(${estimate})) * ${f32(Math.fround(1 / scale))} + 12582912.0f) - 0x4b400000u`;
  return `// subtracts the nearest multiple of the modulus, estimated from the top; limbs stay loose\nfn ${prefix}_red(a: ${type}) -> ${type} {\n  let k = ${k};\n  return ${each((i) => (digits[i] === 0n ? `a.v${i}` : `a.v${i} - k * ${u32(digits[i])}`))};\n}\n`;
}
