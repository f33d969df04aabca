import { type Stretch, stretchesOf, type TimelineEvent } from '@cuzk/service-kit/record/timeline';
import {
  type ApiAddress,
  type PhaseView,
  type ProofView,
  readEvents,
  readProof,
} from '../proof-client.ts';

/** All that the record knows about where the time of a proof went. */
export interface ProofHistory {
  readonly proof: ProofView;
  readonly events: readonly TimelineEvent[];
  /** Waits and work, every attempt on its own, in order of start. */
  readonly stretches: readonly Stretch[];
  readonly originMs: number;
  /** End of the axis: the end of the run, or the time of reading. */
  readonly endMs: number;
}

/** Reads record and events from the API. Errors: PROOF_NOT_FOUND, API_UNAVAILABLE. */
export async function readHistory(api: ApiAddress, proofId: string): Promise<ProofHistory> {
  const proof = await readProof(api, proofId);
  return historyOf(proof, await readEvents(api, proofId), Date.now());
}

/** `nowMs` is the end of what goes on. */
export function historyOf(
  proof: ProofView,
  events: readonly TimelineEvent[],
  nowMs: number,
): ProofHistory {
  return {
    proof,
    events,
    stretches: stretchesOf(events),
    originMs: Date.parse(proof.createdAt),
    endMs: proof.endedAt === null ? nowMs : Date.parse(proof.endedAt),
  };
}

/** The stage that a phase was measured in. Phases are kept of the attempts whose results count. */
export const stageOfPhase = ({ name }: PhaseView): 'synthesize' | 'prove' =>
  name.startsWith('cuzk.synthesize') ? 'synthesize' : 'prove';

/** Worker whose result of a stage of a partition counts: that of the last attempt; null when there is none. */
export function workerOf(
  { stretches }: ProofHistory,
  partition: number,
  stage: 'synthesize' | 'prove',
): string | null {
  const last = stretches.findLast(
    (stretch) =>
      stretch.kind === 'work' && stretch.what === stage && stretch.partition === partition,
  );
  return last?.worker ?? null;
}
