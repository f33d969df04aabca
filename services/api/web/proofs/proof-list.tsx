import { pipelines, status } from '../state/status-store.ts';
import { EndedProofs } from './ended-proofs.tsx';
import { GridLegend } from './partition-grid.tsx';
import { ProofCard } from './proof-card.tsx';

/** Proofs that are under way, oldest first, and below them those that ended. */
export function ProofList() {
  const live = pipelines.value;
  const total = status.value?.counters.live ?? 0;
  const hidden = total - live.filter(({ ended_at }) => ended_at === null).length;
  return (
    <>
      <section aria-labelledby="under-way">
        <div class="section-head">
          <h2 id="under-way">Under way</h2>
          <GridLegend />
        </div>
        {live.length === 0 ? (
          <p class="empty">
            {status.value === null ? 'Waiting for the first word…' : 'No proof is under way.'}
          </p>
        ) : (
          live.map((proof) => <ProofCard key={proof.job_id} proof={proof} />)
        )}
        {hidden > 0 ? <p class="empty">{hidden} more wait behind these.</p> : null}
      </section>
      <EndedProofs />
    </>
  );
}
