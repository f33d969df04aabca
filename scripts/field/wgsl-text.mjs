// Small pieces shared by the field generators: ranges, literals, modular inverse, packing between words and limbs.

export const range = (n) => Array.from({ length: n }, (_, i) => i);

/** u32 literal of a (possibly negative) integer, two's complement. */
export const u32 = (value) => `0x${BigInt.asUintN(32, BigInt(value)).toString(16)}u`;

/** f32 literal; throws where the value is not exactly representable. */
export function f32(value) {
  const number = Number(value);
  if (Math.fround(number) !== number) throw new RangeError(`f32 literal is not exact: ${value}`);
  const text = String(number);
  return /[.e]/.test(text) ? `${text}f` : `${text}.0f`;
}

export function invertMod(value, modulus) {
  let [r0, r1, s0, s1] = [modulus, ((value % modulus) + modulus) % modulus, 0n, 1n];
  while (r1 !== 0n) {
    const quotient = r0 / r1;
    [r0, r1] = [r1, r0 - quotient * r1];
    [s0, s1] = [s1, s0 - quotient * s1];
  }
  return ((s0 % modulus) + modulus) % modulus;
}

export const construct = (type, values) => `${type}(${values.join(', ')})`;

/** The struct of `count` u32 limbs. */
export const limbStruct = (type, count) =>
  `struct ${type} { ${range(count)
    .map((i) => `v${i}: u32`)
    .join(', ')} }\n`;

/** Expression for limb `index` of `bits` bits out of little-endian words w0…, zero-extended. */
export function limbOfWords(index, bits, wordCount) {
  const offset = index * bits;
  const word = offset >> 5;
  const shift = offset & 31;
  if (word >= wordCount) return '0u';
  let text = shift === 0 ? `w${word}` : `(w${word} >> ${shift}u)`;
  if (shift + bits > 32 && word + 1 < wordCount)
    text = `(${text} | (w${word + 1} << ${32 - shift}u))`;
  if (shift + bits === 32) return text;
  return `(${text} & ${u32((1n << BigInt(bits)) - 1n)})`;
}

/** Expression for 32-bit word `word` assembled from limb names of `bits` bits (top limb may be wider). */
export function wordOfLimbs(word, bits, names) {
  const parts = [];
  names.forEach((name, i) => {
    const offset = i * bits - 32 * word;
    const last = i === names.length - 1;
    if (offset >= 32 || (offset <= -bits && !last) || offset <= -32) return;
    if (offset === 0) parts.push(name);
    else parts.push(offset > 0 ? `(${name} << ${offset}u)` : `(${name} >> ${-offset}u)`);
  });
  return parts.length === 0 ? '0u' : parts.join(' | ');
}
