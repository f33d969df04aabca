import { toHex } from '../../bytes.ts';

/**
 * A value with every byte array in it written as hex: quick to compare and readable where it differs. (The
 * test runner's own comparison of views looks at the whole buffer behind each.)
 */
export function hexed(value: unknown): unknown {
  if (value instanceof Uint8Array) return toHex(value);
  if (Array.isArray(value)) return value.map(hexed);
  if (value === null || typeof value !== 'object') return value;
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, hexed(inner)]));
}
