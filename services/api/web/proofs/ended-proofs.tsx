import { signal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { ProofActions } from '../actions/proof-actions.tsx';
import { formatMs, formatTime, shortId } from '../format.ts';
import { getJson, problemText } from '../net/api.ts';
import { proofAddress } from '../state/route.ts';
import { status } from '../state/status-store.ts';
import { isLive, StateChip } from './state-chip.tsx';

interface Summary {
  readonly proofId: string;
  readonly state: string;
  readonly miner: string;
  readonly sector: string;
  readonly sectorSize: string | null;
  readonly partitions: number;
  readonly createdAt: string;
  readonly endedAt: string | null;
  readonly error: { readonly code: string } | null;
}
interface Page {
  readonly proofs: readonly Summary[];
}

const SHOWN = 50;
const ended = signal<readonly Summary[] | null>(null);
const failure = signal<string | null>(null);

async function load(): Promise<void> {
  try {
    const { proofs } = await getJson<Page>(`/v1/proofs?limit=${2 * SHOWN}`);
    ended.value = proofs.filter(({ state }) => !isLive(state)).slice(0, SHOWN);
    failure.value = null;
  } catch (error) {
    failure.value = problemText(error);
  }
}

/** Proofs that have ended, newest first. Read again whenever one ends. */
export function EndedProofs() {
  const {
    total_completed = 0,
    total_failed = 0,
    cancelled = 0,
    expired = 0,
  } = status.value?.counters ?? {};
  const runs = total_completed + total_failed + cancelled + expired;
  // The number of runs that ended is what makes it read again.
  useEffect(() => void load(), [runs]);
  return (
    <section aria-labelledby="ended">
      <div class="section-head">
        <h2 id="ended">Ended</h2>
      </div>
      {failure.value === null ? null : <p class="empty">{failure.value}</p>}
      {ended.value === null || ended.value.length === 0 ? (
        <p class="empty">None yet.</p>
      ) : (
        <div class="scroll-x card">
          <table class="plain ended">
            <thead>
              <tr>
                <th scope="col">Proof</th>
                <th scope="col">State</th>
                <th scope="col">Sector</th>
                <th scope="col" class="number">
                  Partitions
                </th>
                <th scope="col" class="number">
                  Took
                </th>
                <th scope="col">Ended</th>
                <th scope="col">
                  <span class="sr-only">Actions</span>
                </th>
              </tr>
            </thead>
            <tbody>
              {ended.value.map((proof) => (
                <EndedRow key={proof.proofId} proof={proof} />
              ))}
            </tbody>
          </table>
        </div>
      )}
    </section>
  );
}

function EndedRow({ proof }: { proof: Summary }) {
  const { proofId, state, createdAt, endedAt } = proof;
  const took = endedAt === null ? '' : formatMs(Date.parse(endedAt) - Date.parse(createdAt));
  return (
    <tr data-proof={proofId}>
      <td>
        <a href={proofAddress(proofId)} title={proofId}>
          {shortId(proofId)}
        </a>
      </td>
      <td>
        <StateChip state={state} />{' '}
        {proof.error === null ? null : <code class="muted">{proof.error.code}</code>}
      </td>
      <td>
        {proof.miner} / {proof.sector} {proof.sectorSize ?? ''}
      </td>
      <td class="number">{proof.partitions}</td>
      <td class="number">{took}</td>
      <td>{endedAt === null ? '' : formatTime(endedAt)}</td>
      <td>
        <ProofActions proofId={proofId} state={state} />
      </td>
    </tr>
  );
}
