import { developmentBlinding } from '@cuzk/core/groth16/development-waste';
import { memoryReader } from '@cuzk/core/groth16/memory-reader';
import type { OpenedDevice } from '@cuzk/gpu/device/device';
import { uploadPartition } from '@cuzk/gpu/prover/prover';
import { loadStreamedCircuit, type StreamedCircuit } from '@cuzk/gpu/streaming/streamed-circuit';
import { playOutOfMemory } from '@cuzk/gpu/testing/out-of-memory';
import { makeSmall } from '@cuzk/gpu/testing/sample-circuits';
import { bytesInUse, halfResident, makeParamsFile } from '@cuzk/gpu/testing/small-params';
import { openTestDevice } from '@cuzk/gpu/testing/software-device';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type JoinedPartition, StreamedBatch } from './streamed-batch.ts';

const made = makeSmall('poseidon2');
const signal = new AbortController().signal;

let opened: OpenedDevice;
let circuit: StreamedCircuit;
beforeAll(async () => {
  opened = await openTestDevice();
  const params = await makeParamsFile(opened.context, made.shape);
  const plan = halfResident(made.shape);
  circuit = await loadStreamedCircuit(opened.context, made.shape, memoryReader(params), plan);
});
afterAll(() => {
  circuit.close();
  expect(bytesInUse(opened.context)).toBe(0);
  opened.close();
});

/** Two partitions in one pass; the device refuses something when `at` submits are done. */
async function proveTwo(at: number): Promise<{ outcomes: string[]; submits: number }> {
  const { context } = opened;
  const batch = new StreamedBatch(context, circuit);
  const joined = await Promise.all(
    [0, 1].map(async (k): Promise<JoinedPartition> => {
      const witness = await uploadPartition(context, circuit, made.witness);
      return { witness, blinding: developmentBlinding(k), signal, onBegun: () => {} };
    }),
  );
  for (const partition of joined) batch.join(partition);
  let submits = 0;
  context.news.onSubmitDone = () => {
    if (submits++ === at) playOutOfMemory(context.device);
  };
  const outcomes: string[] = [];
  for (const partition of joined) {
    await batch.prove(partition, { checkWitness: true, onPhase: () => {} }).then(
      () => outcomes.push('proved'),
      ({ code }) => outcomes.push(code),
    );
  }
  context.news.onSubmitDone = undefined;
  return { outcomes, submits };
}

it('what is refused in a pass makes none of its proofs good, wherever it comes', async () => {
  const { outcomes, submits } = await proveTwo(Number.POSITIVE_INFINITY);
  expect(outcomes).toEqual(['proved', 'proved']);
  const step = Math.max(1, Math.floor(submits / 8));
  for (let at = 0; at < submits; at += step) {
    const spoilt = await proveTwo(at);
    expect(spoilt.outcomes, `submit ${at} of ${submits}`).toEqual([
      'GPU_OUT_OF_MEMORY',
      'GPU_OUT_OF_MEMORY',
    ]);
  }
});
