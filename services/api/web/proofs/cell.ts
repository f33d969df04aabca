import type { PartitionView } from '../../src/status/status-types.ts';
import { formatMs, formatTight, shortWorker } from '../format.ts';

/** What a cell shows of a partition. */
export interface Cell {
  /** Names the look; never the only sign, the word says it too. */
  readonly stage: string;
  readonly word: string;
  readonly time: string;
  readonly device: string;
  /** All of it in one sentence, for screen readers and as title. */
  readonly sentence: string;
}

const WORDS: Readonly<Record<string, readonly [word: string, said: string]>> = {
  pending: ['waiting', 'waits for a permit'],
  queued: ['queued', 'waits for a synthesis slot'],
  synthesizing: ['synthesis', 'is synthesized'],
  synthesized: ['for GPU', 'waits for a GPU'],
  proving: ['proving', 'is proved'],
  proved: ['proved', 'is proved and verified'],
  failed: ['failed', 'has failed'],
  cancelled: ['cancelled', 'was cancelled'],
};

/** A partition at `nowMs` (clock of the API). */
export function cellOf(partition: PartitionView, nowMs: number): Cell {
  const { stage, index, worker, attempts, failures, losses } = partition;
  const [word, said] = WORDS[stage] ?? [stage, stage];
  const time = timeOf(partition, nowMs);
  const device = worker === null ? '' : shortWorker(worker);
  const facts = [
    time === '' ? '' : time,
    worker === null ? '' : `on ${worker}`,
    attempts > 2 ? `${attempts} attempts` : '',
    failures > 0 ? `${failures} failed` : '',
    losses > 0 ? `${losses} lost with their worker` : '',
    partition.error === null ? '' : `last error ${partition.error}`,
  ].filter((fact) => fact !== '');
  const sentence = `Partition ${index} ${said}${facts.length > 0 ? `: ${facts.join(', ')}` : ''}`;
  return { stage, word, time, device, sentence };
}

const timeOfProof = (ms: number | null): string => {
  if (ms === null) return '';
  return ms < 99_950 ? formatMs(ms) : formatTight(ms / 1_000);
};

const ENDED = new Set(['failed', 'cancelled']);

function timeOf({ stage, gpu_ms, entered_at }: PartitionView, nowMs: number): string {
  if (stage === 'proved') return timeOfProof(gpu_ms);
  if (entered_at === null || ENDED.has(stage)) return '';
  return formatTight((nowMs - Date.parse(entered_at)) / 1000);
}
