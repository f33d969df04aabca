import type { Redis } from 'ioredis';
import { proofKey } from '../redis/keys.ts';
import { priorityOf } from './priority.ts';
import type {
  PartitionRecord,
  PartitionState,
  PhaseTiming,
  ProofRecord,
  ProofSource,
  RunState,
} from './types.ts';
import { asList } from './wire.ts';

type Fields = Readonly<Record<string, string>>;

const json = <T>(text: string | undefined): T | null => (text ? (JSON.parse(text) as T) : null);
const integer = (text: string | undefined): number | null => (text ? Number(text) : null);
const count = (text: string | undefined): number => (text ? Number(text) : 0);

/** Times of entry: `<prefix>at.<state>`. */
function enteredAt(fields: Fields, prefix: string): Record<string, number> {
  const start = `${prefix}at.`;
  const entries = Object.entries(fields).filter(([name]) => name.startsWith(start));
  return Object.fromEntries(entries.map(([name, at]) => [name.slice(start.length), Number(at)]));
}

function partitionOf(fields: Fields, index: number): PartitionRecord {
  const field = (name: string) => fields[`p${index}.${name}`];
  return {
    index,
    state: (field('state') ?? 'pending') as PartitionState,
    input: json(field('input')),
    witness: json(field('witness')),
    proofHex: field('proof') ?? null,
    owner: field('prove.owner') ?? field('synthesize.owner') ?? null,
    prover: field('prover') ?? null,
    attempts: {
      synthesize: count(field('synthesize.attempt')),
      prove: count(field('prove.attempt')),
    },
    failures: {
      synthesize: count(field('synthesize.failures')),
      prove: count(field('prove.failures')),
    },
    losses: count(field('losses')),
    phases: asList<PhaseTiming>(json(field('phases'))),
    problem: json(field('problem')),
    enteredAt: enteredAt(fields, `p${index}.`),
  };
}

/** A record from the fields of its hash; null for an absent one. */
function recordOf(proofId: string, fields: Fields): ProofRecord | null {
  const state = fields.state as RunState | undefined;
  const c1 = json<ProofRecord['c1']>(fields.c1);
  if (!state || !c1) return null;
  const partitions = Array.from({ length: count(fields.partitions) }, (_, k) =>
    partitionOf(fields, k),
  );
  return {
    proofId,
    kind: 'porep',
    state,
    run: count(fields.run),
    sequence: count(fields.sequence),
    priority: priorityOf(count(fields.priority)),
    deadlineAt: integer(fields.deadlineAt),
    tenant: fields.tenant ?? '',
    createdAt: count(fields.createdAt),
    updatedAt: count(fields.updatedAt),
    endedAt: integer(fields.endedAt),
    minerId: fields.minerId ?? '',
    sectorNumber: fields.sectorNumber ?? '',
    contentKey: fields.contentKey ?? '',
    c1,
    traceparent: fields.traceparent ?? null,
    circuitId: fields.circuitId ?? null,
    sectorBytes: integer(fields.sectorBytes),
    publicInputs: json(fields.publicInputs),
    parameters: (fields.parameters as ProofSource | undefined) ?? null,
    result: json(fields.result),
    problem: json(fields.problem),
    partitions,
    attempts: {
      ingest: count(fields['ingest.attempt']),
      finalize: count(fields['finalize.attempt']),
    },
    enteredAt: enteredAt(fields, ''),
  };
}

/** The whole record, or null when there is none. */
export async function readProof(redis: Redis, proofId: string): Promise<ProofRecord | null> {
  return recordOf(proofId, await redis.hgetall(proofKey(proofId)));
}

/** Bytes of one compact witness of this proof's circuit; 0 before ingest and for an absent record. */
export async function witnessBytesOf(redis: Redis, proofId: string): Promise<number> {
  return count((await redis.hget(proofKey(proofId), 'witnessBytes')) ?? undefined);
}
