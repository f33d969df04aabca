import { findSectorShape } from '@cuzk/core/porep/sector';
import type { Estimate } from '@cuzk/service-kit/fleet/estimate';
import type { ProofSummary } from '@cuzk/service-kit/record/list-proofs';
import type { PartitionRecord, ProofRecord } from '@cuzk/service-kit/record/types';
import type { WaitingReason } from '@cuzk/service-kit/record/why-waiting';
import { traceIdOf } from '@cuzk/service-kit/telemetry/trace-context';
import { problemDocument } from './plugins/problems.ts';

const iso = (unixMs: number | null | undefined): string | null =>
  unixMs === null || unixMs === undefined ? null : new Date(unixMs).toISOString();
const isoAll = (
  times: Readonly<Record<string, number | undefined>>,
): Record<string, string | null> =>
  Object.fromEntries(Object.entries(times).map(([name, at]) => [name, iso(at)]));
const sectorName = (bytes: number | null): string | null =>
  bytes === null ? null : (findSectorShape(bytes)?.name ?? `${bytes} bytes`);

/** When a proof will be ready, ISO times. */
export interface EstimateView {
  readonly p50: string;
  readonly p95: string;
}

export function estimateView(
  { p50Seconds, p95Seconds }: Estimate,
  nowMs: number = Date.now(),
): EstimateView {
  const at = (seconds: number): string => new Date(nowMs + seconds * 1000).toISOString();
  return { p50: at(p50Seconds), p95: at(p95Seconds) };
}

/** What the API says of one partition. */
function partitionView(partition: PartitionRecord): object {
  const { index, state, owner, prover, attempts, failures, losses, phases, problem } = partition;
  return {
    index,
    state,
    // The mark of the process behind "#" is for fences.
    worker: (owner ?? prover)?.split('#')[0] ?? null,
    attempts,
    failures,
    losses,
    phases,
    enteredAt: isoAll(partition.enteredAt),
    problem: problem === null ? null : problemDocument(problem),
  };
}

/** What the API says of one proof. Development parameters are named in every answer. */
export function proofView(
  proof: ProofRecord,
  waiting: WaitingReason,
  estimate: Estimate | null,
): object {
  const { proofId, kind, state, run, minerId, sectorNumber, circuitId, priority, tenant } = proof;
  return {
    proofId,
    kind,
    state,
    run,
    miner: `f0${minerId}`,
    sector: sectorNumber,
    sectorSize: sectorName(proof.sectorBytes),
    circuitId,
    priority,
    tenant: tenant || null,
    parameters: proof.parameters,
    traceId: traceIdOf(proof.traceparent),
    createdAt: iso(proof.createdAt),
    updatedAt: iso(proof.updatedAt),
    endedAt: iso(proof.endedAt),
    deadlineAt: iso(proof.deadlineAt),
    enteredAt: isoAll(proof.enteredAt),
    waiting,
    estimate: estimate === null ? null : estimateView(estimate),
    partitions: proof.partitions.map(partitionView),
    error: proof.problem === null ? null : problemDocument(proof.problem, proofId),
    links: linksOf(proofId),
  };
}

export function linksOf(proofId: string): Record<string, string> {
  const self = `/v1/proofs/${proofId}`;
  return { self, result: `${self}/result`, events: `${self}/events` };
}

/** One line of a list. */
export function summaryView(summary: ProofSummary): object {
  const { proofId, state, minerId, sectorNumber, partitions, priority, problem } = summary;
  return {
    proofId,
    state,
    miner: `f0${minerId}`,
    sector: sectorNumber,
    sectorSize: sectorName(summary.sectorBytes),
    partitions,
    priority,
    createdAt: iso(summary.createdAt),
    endedAt: iso(summary.endedAt),
    error: problem === null ? null : problemDocument(problem, proofId),
    links: linksOf(proofId),
  };
}
