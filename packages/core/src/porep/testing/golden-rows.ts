import { type C1CaseName, readVectorJson } from './vectors.ts';

/** SHA-256 over the 32-byte LE values of the aux and of a, b and c, input rows included. */
export interface GoldenRows {
  readonly aux: string;
  readonly a: string;
  readonly b: string;
  readonly c: string;
}

interface GoldenPartition {
  readonly aux: { readonly sha256: string };
  readonly a: { readonly sha256: string };
  readonly b: { readonly sha256: string };
  readonly c: { readonly sha256: string };
}

/** What the Rust prover computed for the only partition of a case. */
export function readGoldenRows(name: C1CaseName): GoldenRows {
  const { partitions } = readVectorJson<{ partitions: GoldenPartition[] }>(
    `witness/${name}.json.gz`,
  );
  const [{ aux, a, b, c }] = partitions;
  return { aux: aux.sha256, a: a.sha256, b: b.sha256, c: c.sha256 };
}
