import { computed } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { ProofActions } from '../actions/proof-actions.tsx';
import { formatMs, formatSeconds, formatTime, withShortIds } from '../format.ts';
import { PartitionGrid } from '../proofs/partition-grid.tsx';
import { StateChip } from '../proofs/state-chip.tsx';
import { FLEET_ADDRESS } from '../state/route.ts';
import { clock, pipelines } from '../state/status-store.ts';
import { VerifyHere } from '../verify/verify-here.tsx';
import { partitionViews } from './partition-views.ts';
import { events, failure, followProof, type ProofDocument, record } from './proof-data.ts';
import { WaterfallView } from './waterfall.tsx';
import { waterfallOf } from './waterfall-rows.ts';

const waterfall = computed(() =>
  record.value === null
    ? null
    : waterfallOf(
        events.value,
        record.value.partitions,
        // An ended proof does not move with the clock.
        record.value.endedAt === null ? clock.value : 0,
      ),
);

/** Everything about one proof. */
export function ProofDetail({ proofId }: { proofId: string }) {
  useEffect(() => followProof(proofId), [proofId]);
  const proof = record.value;
  return (
    <section aria-labelledby="proof-title" class="detail">
      <p>
        <a href={FLEET_ADDRESS}>← All proofs</a>
      </p>
      <h2 id="proof-title" class="mono">
        {proofId}
      </h2>
      {failure.value === null ? null : (
        <p class="problem" role="alert">
          {failure.value}
        </p>
      )}
      {proof === null ? <p class="empty">Reading…</p> : <Loaded proof={proof} />}
    </section>
  );
}

function Loaded({ proof }: { proof: ProofDocument }) {
  const { proofId, state } = proof;
  const listed = pipelines.value.find(({ job_id }) => job_id === proofId);
  return (
    <>
      <div class="card">
        <header class="proof-head">
          <StateChip state={listed?.state ?? state} />
          <span class="facts" />
          <ProofActions proofId={proofId} state={listed?.state ?? state} />
        </header>
        <Facts proof={proof} />
        {proof.error === null ? null : <ProofError error={proof.error} />}
        <p class="waiting">
          {proof.endedAt === null ? withShortIds(proof.waiting.reason ?? '') : ''}
        </p>
        <PartitionGrid
          partitions={listed?.partitions ?? partitionViews(proof)}
          label={`Partitions of ${proofId}`}
        />
      </div>
      <div class="card" id="waterfall">
        <h3>Waterfall</h3>
        {waterfall.value === null ? (
          <p class="empty">No events yet.</p>
        ) : (
          <WaterfallView waterfall={waterfall.value} />
        )}
      </div>
      <div class="card">
        <h3>Verify here</h3>
        <VerifyHere proofId={proofId} ready={state === 'succeeded'} />
      </div>
    </>
  );
}

function Facts({ proof }: { proof: ProofDocument }) {
  const { createdAt, endedAt, deadlineAt, parameters, circuitId } = proof;
  const startMs = Date.parse(createdAt);
  const took =
    endedAt === null
      ? formatSeconds((clock.value - startMs) / 1000)
      : formatMs(Date.parse(endedAt) - startMs);
  const facts: [string, string][] = [
    ['Sector', `${proof.miner} / ${proof.sector}`],
    ['Size', proof.sectorSize ?? 'not known yet'],
    ['Parameters', parameters ?? 'not used yet'],
    ['Priority', proof.priority],
    ['Submitted', formatTime(createdAt)],
    [endedAt === null ? 'Since then' : 'Took', took],
    ['Run', String(proof.run)],
    ['Deadline', deadlineAt === null ? 'none' : formatTime(deadlineAt)],
    ['Circuit', circuitId === null ? 'not known yet' : `${circuitId.slice(0, 16)}…`],
  ];
  return (
    <dl class="fact-list">
      {facts.map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}

function ProofError({ error }: { error: NonNullable<ProofDocument['error']> }) {
  const rows: [string, string | undefined][] = [
    ['Expected', error.expected],
    ['Found', error.found],
    ['Where', error.pointer],
    ['What to do', error.action],
  ];
  return (
    <div class="problem-box">
      <p>
        <strong>{error.code}</strong> {error.detail}
      </p>
      <dl class="fact-list">
        {rows.map(([name, value]) =>
          value === undefined ? null : (
            <div key={name}>
              <dt>{name}</dt>
              <dd>{value}</dd>
            </div>
          ),
        )}
      </dl>
    </div>
  );
}
