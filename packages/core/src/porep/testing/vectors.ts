import { existsSync, readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';

const REPOSITORY = new URL('../../../../../', import.meta.url);

/** Bytes of a file of the repository; `.gz` files are unpacked. */
export function readRepositoryFile(path: string): Uint8Array {
  const bytes = readFileSync(new URL(path, REPOSITORY));
  return path.endsWith('.gz') ? gunzipSync(bytes) : bytes;
}

export const readVectorJson = <T>(path: string): T =>
  JSON.parse(new TextDecoder().decode(readRepositoryFile(`packages/core/vectors/${path}`)));

export const C1_CASES = [
  '2KiB-V1-a',
  '2KiB-V1_1-a',
  '2KiB-V1_1-b',
  '2KiB-Synthetic-a',
  '8MiB-V1_1-a',
  '512MiB-V1_1-a',
] as const;
export type C1CaseName = (typeof C1_CASES)[number];

/** What goes with a sealed C1; byte strings in hex. */
export interface C1Expected {
  readonly registeredProof: string;
  readonly miner: string;
  readonly sectorId: string;
  readonly proverId: string;
  readonly ticket: string;
  readonly seed: string;
  readonly commD: string;
  readonly commR: string;
  readonly replicaId: string;
  readonly dataLabel: string;
  /** Per partition, without ONE. */
  readonly publicInputs: readonly (readonly string[])[];
  readonly developmentProof?: { readonly proof: string };
}

/** One of the six C1 outputs of the Rust stack: the document itself and what must follow from it. */
export function readC1Case(name: C1CaseName): { c1: Uint8Array; expected: C1Expected } {
  const folder = name.startsWith('2KiB')
    ? `examples/c1/${name}`
    : `packages/core/vectors/c1/${name}`;
  const plain = `${folder}/c1.json`;
  const c1 = readRepositoryFile(existsSync(new URL(plain, REPOSITORY)) ? plain : `${plain}.gz`);
  const expected = new TextDecoder().decode(readRepositoryFile(`${folder}/expected.json`));
  return { c1, expected: JSON.parse(expected) };
}
