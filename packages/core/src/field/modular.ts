/** Plain modular arithmetic on bigints: the readable reference that faster code is compared with. */

/** value mod modulus, in [0, modulus). */
export function mod(value: bigint, modulus: bigint): bigint {
  const rest = value % modulus;
  return rest < 0n ? rest + modulus : rest;
}

/** base^exponent mod modulus, exponent ≥ 0. */
export function powMod(base: bigint, exponent: bigint, modulus: bigint): bigint {
  let result = 1n;
  let square = mod(base, modulus);
  for (let rest = exponent; rest > 0n; rest >>= 1n) {
    if (rest & 1n) result = (result * square) % modulus;
    square = (square * square) % modulus;
  }
  return result;
}

/** Inverse by the extended Euclidean algorithm. Throws RangeError where none exists. */
export function invertMod(value: bigint, modulus: bigint): bigint {
  let [r0, r1] = [modulus, mod(value, modulus)];
  let [s0, s1] = [0n, 1n];
  while (r1 !== 0n) {
    const quotient = r0 / r1;
    [r0, r1] = [r1, r0 - quotient * r1];
    [s0, s1] = [s1, s0 - quotient * s1];
  }
  if (r0 !== 1n) throw new RangeError('invertMod: value has no inverse');
  return mod(s0, modulus);
}
