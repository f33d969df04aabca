const HEX = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, '0'));

/** Lowercase hex, in byte order. */
export function toHex(bytes: Uint8Array): string {
  let text = '';
  for (const byte of bytes) text += HEX[byte];
  return text;
}

/** Bytes of an even-length hex string. Throws RangeError on anything else. */
export function fromHex(text: string): Uint8Array {
  if (text.length % 2 !== 0 || /[^0-9a-fA-F]/.test(text)) {
    throw new RangeError(
      `hex: expected an even number of hex digits, got ${text.length} characters`,
    );
  }
  const bytes = new Uint8Array(text.length / 2);
  for (let i = 0; i < bytes.length; i++)
    bytes[i] = Number.parseInt(text.slice(2 * i, 2 * i + 2), 16);
  return bytes;
}

/** Unsigned integer from big-endian bytes. */
export function bigintFromBe(bytes: Uint8Array): bigint {
  return bytes.length === 0 ? 0n : BigInt(`0x${toHex(bytes)}`);
}

/** Unsigned integer from little-endian bytes. */
export function bigintFromLe(bytes: Uint8Array): bigint {
  return bigintFromBe(Uint8Array.from(bytes).reverse());
}

/** Big-endian bytes of `value`. Throws RangeError if it needs more than `length` bytes or is negative. */
export function bigintToBe(value: bigint, length: number): Uint8Array {
  if (value < 0n || value >> BigInt(8 * length) !== 0n) {
    throw new RangeError(`value: expected 0 ≤ value < 2^${8 * length}`);
  }
  return fromHex(value.toString(16).padStart(2 * length, '0'));
}

/** Little-endian bytes of `value`. Throws as bigintToBe. */
export function bigintToLe(value: bigint, length: number): Uint8Array {
  return bigintToBe(value, length).reverse();
}

export function bytesEqual(a: Uint8Array, b: Uint8Array): boolean {
  return a.length === b.length && a.every((byte, i) => byte === b[i]);
}
