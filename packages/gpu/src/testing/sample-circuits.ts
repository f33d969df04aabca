import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import { bigintFromLe, fromHex } from '@cuzk/core/bytes';
import { poseidon2Circuit, sha256NodeCircuit } from '@cuzk/core/gadgets/small-circuits';
import { compactAssignment } from '@cuzk/core/r1cs/compact-assignment';
import type { CompactWitness } from '@cuzk/core/r1cs/compact-witness';
import { compileShape } from '@cuzk/core/r1cs/compile-shape';
import type { SegmentedCircuit } from '@cuzk/core/r1cs/constraint-system';
import type { CircuitShape } from '@cuzk/core/r1cs/shape';
import { sampleCircuit } from '@cuzk/core/r1cs/testing/sample-circuit';
import { type ReferenceWitness, referenceWitness } from '@cuzk/core/r1cs/witness-collector';

/** A compiled circuit with a witness in both forms. */
export interface MadeCircuit {
  readonly shape: CircuitShape;
  readonly witness: CompactWitness;
  readonly reference: ReferenceWitness;
}

function makeCircuit<Shared>(circuit: SegmentedCircuit<Shared>): MadeCircuit {
  const shape = compileShape(circuit, createHash('blake2s256'));
  const reference = referenceWitness(circuit);
  return { shape, reference, witness: compactAssignment(shape, reference.inputs, reference.aux) };
}

/** Terms of every kind, two templates, any number of instances. */
export const makeSample = (instances: number, seed: number): MadeCircuit =>
  makeCircuit(sampleCircuit(instances, seed));

export interface SequenceDigest {
  readonly count: number;
  readonly sha256: string;
}

/** What is used of small/<name>.json: row values and the stages of the quotient. */
export interface GoldenSmall {
  /** 192 bytes, hex, for the development blinding of partition 0. */
  readonly proof: string;
  readonly params_sha256: string;
  readonly a_le: string;
  readonly b_le: string;
  readonly row_values: Readonly<Record<'a' | 'b' | 'c', SequenceDigest>>;
  readonly intermediate: {
    readonly domain: number;
    readonly stages: Readonly<
      Record<
        | 'a_coefficients'
        | 'b_coefficients'
        | 'c_coefficients'
        | 'a_on_coset'
        | 'b_on_coset'
        | 'c_on_coset'
        | 'h_on_coset'
        | 'h_coefficients',
        SequenceDigest
      >
    >;
  };
}

export type SmallName = 'poseidon2' | 'sha256-node';

/** A small circuit of the golden set with its golden witness. */
export function makeSmall(name: SmallName): MadeCircuit & { golden: GoldenSmall } {
  const golden = goldenVector<GoldenSmall>(`small/${name}.json`);
  const secret = { a: bigintFromLe(fromHex(golden.a_le)), b: bigintFromLe(fromHex(golden.b_le)) };
  const circuit = name === 'poseidon2' ? poseidon2Circuit(secret) : sha256NodeCircuit(secret);
  return { ...makeCircuit(circuit), golden };
}

/** A JSON file of core's golden vectors, plain or gzipped. */
export function goldenVector<T>(path: string): T {
  const bytes = readFileSync(new URL(`../../../core/vectors/${path}`, import.meta.url));
  return JSON.parse((path.endsWith('.gz') ? gunzipSync(bytes) : bytes).toString()) as T;
}

export const sha256Hex = (bytes: Uint8Array): string =>
  createHash('sha256').update(bytes).digest('hex');
