import { describe, expect, it } from 'vitest';
import type { PartitionView, PhaseView, ProofView } from '../proof-client.ts';
import {
  median,
  partitionTimes,
  secondsBetweenPartitions,
  summarizePhases,
} from './partition-times.ts';

const at = (seconds: number): string => new Date(1e12 + 1000 * seconds).toISOString();
const phase = (name: string, durationMs: number, clock: PhaseView['clock']): PhaseView => ({
  name,
  startMs: 0,
  durationMs,
  clock,
});

/** A partition that was queued at 0, and spent `proveSeconds` on its device. */
const partition = (index: number, proveSeconds: number): PartitionView => ({
  index,
  state: 'proved',
  worker: 'gpu-worker/host/0',
  enteredAt: {
    queued: at(0),
    synthesizing: at(0.5),
    synthesized: at(2.5),
    proving: at(3),
    proved: at(3 + proveSeconds),
  },
  phases: [
    phase('cuzk.synthesize.fill', 1900, 'wall'),
    phase('cuzk.gpu.msm_h', 1000 * proveSeconds, 'gpu'),
  ],
});

const proof = (...partitions: PartitionView[]): ProofView => ({
  proofId: 'prf_1',
  state: 'succeeded',
  sectorSize: '2KiB',
  circuitId: 'c',
  parameters: 'insecure-development',
  createdAt: at(0),
  endedAt: at(10),
  enteredAt: {},
  partitions,
  error: null,
});

describe('times of partitions', () => {
  it('are the waits and stages between states, and what was measured inside', () => {
    expect(partitionTimes(proof(partition(0, 1.5)))).toEqual([
      {
        index: 0,
        worker: 'gpu-worker/host/0',
        stageSeconds: { waitForSynthesis: 0.5, synthesize: 2, waitForDevice: 0.5, prove: 1.5 },
        phaseSeconds: { 'synthesize.fill': 1.9, 'gpu.msm_h': 1.5 },
      },
    ]);
  });

  it('tell how partitions follow each other, over all proofs', () => {
    const proofs = [
      proof(partition(0, 1), partition(1, 5)),
      proof(partition(0, 3), partition(1, 9)),
    ];
    expect(secondsBetweenPartitions(proofs)).toBeCloseTo(8 / 3, 5);
    expect(secondsBetweenPartitions([proof(partition(0, 1))])).toBeNull();
  });

  it('have no figure for a state that was never entered', () => {
    const reused = { ...partition(0, 1), enteredAt: { proved: at(1) } };
    const [times] = partitionTimes(proof(reused));
    expect(times?.stageSeconds).toEqual({
      waitForSynthesis: null,
      synthesize: null,
      waitForDevice: null,
      prove: null,
    });
  });

  it('are summarized over all partitions of all proofs', () => {
    const proofs = [proof(partition(0, 1), partition(1, 2)), proof(partition(0, 6))];
    expect(summarizePhases(proofs)).toEqual({
      'synthesize.fill': { medianSeconds: 1.9, maxSeconds: 1.9, clock: 'wall' },
      'gpu.msm_h': { medianSeconds: 2, maxSeconds: 6, clock: 'gpu' },
    });
  });
});

it.each([
  [[3], 3],
  [[3, 1, 2], 2],
  [[4, 1], 2.5],
  [[4, 3, 1, 10], 3.5],
])('the median of %j is %d', (values, expected) => {
  expect(median(values)).toBe(expected);
});
