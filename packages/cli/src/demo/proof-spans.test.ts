import { describe, expect, it } from 'vitest';
import type { PartitionView, ProofView } from '../proof-client.ts';
import { proofSpans, secondsByName } from './proof-spans.ts';

const at = (seconds: number): string => new Date(1_700_000_000_000 + 1000 * seconds).toISOString();
const partition = (index: number): PartitionView => ({
  index,
  state: 'proved',
  worker: 'gpu-worker',
  enteredAt: {
    queued: at(1),
    synthesizing: at(1.5),
    synthesized: at(4),
    proving: at(4.25),
    proved: at(10),
  },
  phases: [
    { name: 'cuzk.synthesize', startMs: Date.parse(at(1.5)), durationMs: 2500, clock: 'wall' },
    {
      name: 'cuzk.gpu.total',
      startMs: Date.parse(at(4.5)),
      durationMs: 5000,
      clock: 'wall',
    },
  ],
});
const proof = (partitions: readonly PartitionView[]): ProofView => ({
  proofId: 'prf_1',
  state: 'succeeded',
  sectorSize: '2KiB',
  circuitId: '00',
  parameters: 'insecure-development',
  createdAt: at(0),
  endedAt: at(11),
  enteredAt: { received: at(0), queued: at(0.5), finalizing: at(10), succeeded: at(11) },
  partitions,
  error: null,
});

describe('spans of a proof', () => {
  it('cover it from the request to the result, phases below their step', () => {
    expect(proofSpans(proof([partition(0)]))).toEqual([
      { name: 'ingest', startSeconds: 0, seconds: 0.5 },
      { name: 'wait for synthesis', startSeconds: 1, seconds: 0.5 },
      { name: 'synthesize', startSeconds: 1.5, seconds: 2.5 },
      { name: 'wait for device', startSeconds: 4, seconds: 0.25 },
      { name: 'prove', startSeconds: 4.25, seconds: 5.75 },
      { name: '  gpu.total', startSeconds: 4.5, seconds: 5 },
      { name: 'finalize', startSeconds: 10, seconds: 1 },
    ]);
  });

  it('leave out a step whose times are not on the record', () => {
    const names = proofSpans({ ...proof([]), enteredAt: { received: at(0) } });
    expect(names).toEqual([]);
  });

  it('add up over partitions', () => {
    const totals = secondsByName(proofSpans(proof([partition(0), partition(1)])));
    expect(totals).toMatchObject({ ingest: 0.5, synthesize: 5, 'gpu.total': 10 });
  });
});
