import { fromHex } from '../../bytes.ts';
import type { ErrorCode } from '../../errors.ts';
import { sealedC1, sealSector, type Tampering } from './seal-sector.ts';
import { readC1Case } from './vectors.ts';

/** A C1 that must be refused, and how. */
export interface BrokenC1 {
  readonly name: string;
  readonly make: () => Uint8Array;
  readonly code: ErrorCode;
  readonly pointer: string;
  /** Words of the message. */
  readonly message: string;
  readonly expected: string | RegExp;
  readonly found: string | RegExp;
}

// biome-ignore lint/suspicious/noExplicitAny: a document that is about to be broken has no type
export type Document = any;
type Facts = Pick<BrokenC1, 'code' | 'pointer' | 'message' | 'expected' | 'found'>;

const text = (): string => new TextDecoder().decode(readC1Case('2KiB-V1_1-a').c1);
export const bytes = (document: string): Uint8Array => new TextEncoder().encode(document);

export const KEY = 'StackedDrg2KiBV1';
export const PROOFS = `/vanilla_proofs/${KEY}`;
export const FIRST = `${PROOFS}/0/0`;
export const COLUMNS = `${FIRST}/replica_column_proofs`;

export const facts = (
  code: ErrorCode,
  pointer: string,
  message: string,
  expected: string | RegExp,
  found: string | RegExp,
): Facts => ({ code, pointer, message, expected, found });
export const malformed = (pointer: string, message: string, expected: string, found: string) =>
  facts('C1_MALFORMED', pointer, message, expected, found);
export const inconsistent = (
  pointer: string,
  message: string,
  expected: string | RegExp,
  found: string | RegExp,
) => facts('C1_INCONSISTENT', pointer, message, expected, found);

/** The golden document with its text changed. */
export const textual = (
  name: string,
  change: (document: string) => string,
  then: Facts,
): BrokenC1 => ({
  name,
  make: () => bytes(change(text())),
  ...then,
});

/** The golden document with one value changed; `first` is the first challenge's proof. */
export const changed = (
  name: string,
  change: (document: Document, first: Document) => void,
  then: Facts,
): BrokenC1 => ({
  name,
  make: () => {
    const document = JSON.parse(text());
    change(document, document.vanilla_proofs[KEY]?.[0]?.[0]);
    return bytes(JSON.stringify(document));
  },
  ...then,
});

/** A sector of zeros, sealed with the golden case's identity and one wrong step; all that follows is built on it. */
export function sealWrongly(tamper: Tampering, ticket?: Uint8Array): Uint8Array {
  const { expected } = readC1Case('2KiB-V1_1-a');
  const sector = sealSector({
    proof: expected.registeredProof,
    proverId: fromHex(expected.proverId),
    sectorId: BigInt(expected.sectorId),
    ticket: ticket ?? fromHex(expected.ticket),
    seed: fromHex(expected.seed),
    tamper,
  });
  return sealedC1(sector);
}

export const tampered = (name: string, tamper: Tampering, then: Facts): BrokenC1 => ({
  name,
  make: () => sealWrongly(tamper),
  ...then,
});

export const parse = (document: Uint8Array): Document =>
  JSON.parse(new TextDecoder().decode(document));

export const flip = (value: number[]): void => {
  value[0] ^= 1;
};
export const single = (merkle: Document): Document => merkle.data.Single;
export const zeros = new Array<number>(32).fill(0);
export const notZero = '32 bytes that are not all zero';
export const HEX = /^[0-9a-f]{64}$/;
export const byteRange = 'an integer in 0 … 255';
export const pathRoot = 'a path whose hashes end in its root';
