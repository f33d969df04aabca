import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';

/** Bytes of a golden vector, named relative to packages/core/vectors; `.gz` files are unpacked. */
export function goldenBytes(name: string): Uint8Array {
  const bytes = readFileSync(new URL(`../../../vectors/${name}`, import.meta.url));
  return name.endsWith('.gz') ? gunzipSync(bytes) : bytes;
}

export const goldenText = (name: string): string => new TextDecoder().decode(goldenBytes(name));

export const goldenJson = <T>(name: string): T => JSON.parse(goldenText(name)) as T;

/** A fresh BLAKE2s-256. */
export const blake2s = () => createHash('blake2s256');

export const sha256 = (bytes: Uint8Array): Uint8Array =>
  createHash('sha256').update(bytes).digest();

export const sha256Hex = (bytes: Uint8Array): string =>
  createHash('sha256').update(bytes).digest('hex');

/** A row of gadgets.json. */
export interface GoldenGadget {
  readonly circuit: string;
  readonly inputs: number;
  readonly aux: number;
  readonly constraints: number;
  readonly nonzero_terms: { readonly a: number; readonly b: number; readonly c: number };
  readonly r1cs_hash_blake2s256: string;
}

/** What is used of shape/<size>.json. */
export interface GoldenShape {
  readonly inputs: number;
  readonly aux: number;
  readonly constraints: number;
  readonly r1cs_hash_blake2s256: string;
  readonly checkpoint_rows: number;
  /** [rows, running BLAKE2s, SHA-256 of the block's rows]. */
  readonly checkpoints: readonly (readonly [number, string, string])[];
  readonly nonzero_terms: { readonly a: number; readonly b: number; readonly c: number };
  readonly longest_combination: { readonly a: number; readonly b: number; readonly c: number };
  readonly density: {
    readonly a_aux: number;
    readonly a_aux_bitmap_sha256: string;
    readonly b_aux: number;
    readonly b_aux_bitmap_sha256: string;
    readonly b_input: number;
    readonly b_input_bitmap_sha256: string;
  };
  readonly bits: {
    readonly boolean_row_bitmap_sha256: string;
    readonly boolean_row_count: number;
    readonly typed_bit_bitmap_sha256: string;
    readonly typed_bit_count: number;
  };
}

export const goldenGadgets = (): readonly GoldenGadget[] =>
  goldenJson<GoldenGadget[]>('shape/gadgets.json');
export const goldenShape = (size: string): GoldenShape =>
  goldenJson<GoldenShape>(`shape/${size}.json`);
