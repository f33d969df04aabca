import { expect, it } from 'vitest';
import type { PartitionView } from '../../src/status/status-types.ts';
import { cellOf } from './cell.ts';

const AT = '2026-11-29T12:00:00.000Z';
const partition = (changes: Partial<PartitionView>): PartitionView => ({
  index: 3,
  state: 'gpu',
  stage: 'proving',
  synth_ms: 900,
  gpu_ms: null,
  worker: 'gpu-worker/gpu-a/0',
  entered_at: AT,
  attempts: 2,
  failures: 0,
  losses: 0,
  error: null,
  ...changes,
});

it('says phase, time and device of a partition that is worked on', () => {
  expect(cellOf(partition({}), Date.parse(AT) + 12_300)).toEqual({
    stage: 'proving',
    word: 'proving',
    time: '12 s',
    device: 'gpu-a/0',
    sentence: 'Partition 3 is proved: 12 s, on gpu-worker/gpu-a/0',
  });
});

it('says how long the proof took once it is there', () => {
  const cell = cellOf(partition({ stage: 'proved', gpu_ms: 1_420 }), Date.parse(AT) + 1e6);
  expect([cell.word, cell.time]).toEqual(['proved', '1.4 s']);
});

it('names what went wrong on the way', () => {
  const flawed = partition({
    stage: 'queued',
    worker: null,
    attempts: 3,
    losses: 1,
    failures: 1,
    error: 'GPU_HUNG',
  });
  expect(cellOf(flawed, Date.parse(AT)).sentence).toBe(
    'Partition 3 waits for a synthesis slot: 0 s, 3 attempts, 1 failed, 1 lost with their worker, last error GPU_HUNG',
  );
});

it('shows a stage that it does not know by its name', () => {
  expect(cellOf(partition({ stage: 'aggregating' }), 0).word).toBe('aggregating');
});
