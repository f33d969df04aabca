import { readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import { bigintFromBe, bigintFromLe, fromHex } from '../../bytes.ts';
import { g1Sum, g2Sum } from '../../curve/msm.ts';
import { decodeG1Uncompressed, decodeG2Uncompressed } from '../../curve/point-encoding.ts';
import type { G1Affine, G2Affine } from '../../curve/points.ts';
import type { QuerySums } from '../assemble.ts';

/** Bytes of a golden vector, named relative to packages/core/vectors. */
export const goldenBytes = (name: string): Uint8Array =>
  new Uint8Array(readFileSync(new URL(`../../../vectors/${name}`, import.meta.url)));

export const goldenText = (name: string): string =>
  new TextDecoder().decode(
    name.endsWith('.gz') ? gunzipSync(goldenBytes(name)) : goldenBytes(name),
  );

export const goldenJson = <T>(name: string): T => JSON.parse(goldenText(name)) as T;

export const fromBeHex = (text: string): bigint => bigintFromBe(fromHex(text));
export const fromLeHex = (text: string): bigint => bigintFromLe(fromHex(text));

const TRUSTED = { code: 'PARAMS_MALFORMED', what: 'golden point' } as const;
export const g1FromHex = (text: string): G1Affine => decodeG1Uncompressed(fromHex(text), TRUSTED);
export const g2FromHex = (text: string): G2Affine => decodeG2Uncompressed(fromHex(text), TRUSTED);

/** Uncompressed hex of the eight MSM results of spec §4.3. */
interface MsmHex {
  h: string;
  l: string;
  a_inputs: string;
  a_aux: string;
  b_g1_inputs: string;
  b_g1_aux: string;
  b_g2_inputs: string;
  b_g2_aux: string;
}

export interface ProofIntermediate {
  densities: { a_aux: number; a_inputs: number; b_aux: number; b_inputs: number };
  domain: number;
  msm_uncompressed: MsmHex;
  proof_with_r_s_zero: string;
}

export interface GoldenProof {
  case: string;
  proof_concatenated: string;
  partitions: {
    partition: number;
    proof: string;
    r_be_hex: string;
    s_be_hex: string;
    a_uncompressed: string;
    b_uncompressed: string;
    c_uncompressed: string;
    public_inputs_le_hex: string[];
    intermediate?: ProofIntermediate;
  }[];
}

export const GOLDEN_PROOF_CASES = [
  '2KiB-V1-a',
  '2KiB-V1_1-a',
  '2KiB-V1_1-b',
  '2KiB-Synthetic-a',
  '8MiB-V1_1-a',
] as const;

export const goldenProof = (name: (typeof GOLDEN_PROOF_CASES)[number]): GoldenProof =>
  goldenJson(`proofs/${name}.json`);

/** Bytes of the verifying key a proof case belongs to. */
export const goldenKeyOf = (name: string): Uint8Array =>
  goldenBytes(`params/${name.split('-')[0]}.vk`);

/** The golden MSM results, inputs and aux added: what a prover hands to assembleProof. */
export const querySumsOf = ({ msm_uncompressed: hex }: ProofIntermediate): QuerySums => ({
  h: g1FromHex(hex.h),
  l: g1FromHex(hex.l),
  a: g1Sum([g1FromHex(hex.a_inputs), g1FromHex(hex.a_aux)]),
  bG1: g1Sum([g1FromHex(hex.b_g1_inputs), g1FromHex(hex.b_g1_aux)]),
  bG2: g2Sum([g2FromHex(hex.b_g2_inputs), g2FromHex(hex.b_g2_aux)]),
});
