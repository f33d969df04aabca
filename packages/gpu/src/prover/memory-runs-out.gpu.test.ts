import { developmentBlinding, developmentToxicWaste } from '@cuzk/core/groth16/development-waste';
import { memoryReader } from '@cuzk/core/groth16/memory-reader';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { OpenedDevice } from '../device/device.ts';
import { faultsOf } from '../device/device-faults.ts';
import { generateSrs } from '../setup/generate-srs.ts';
import { proveStreamed } from '../streaming/prove-streamed.ts';
import { loadStreamedCircuit, type StreamedCircuit } from '../streaming/streamed-circuit.ts';
import { playOutOfMemory } from '../testing/out-of-memory.ts';
import { makeSmall } from '../testing/sample-circuits.ts';
import { bytesInUse, halfResident, makeParamsFile } from '../testing/small-params.ts';
import { openTestDevice } from '../testing/software-device.ts';
import { provePartition } from './prover.ts';
import { loadCircuit, type ProvingCircuit } from './proving-circuit.ts';

const made = makeSmall('poseidon2');
const { piecePoints, msmEntries } = halfResident(made.shape);
/** Queries of one that waits pass beside its h. */
const plan = halfResident(made.shape, { beside: [{ piecePoints, msmEntries }] });
/** So many places of each load are tried. */
const PLACES = 16;

let opened: OpenedDevice;
let params: Buffer;
let resident: ProvingCircuit;
let streamed: StreamedCircuit;
beforeAll(async () => {
  opened = await openTestDevice();
  params = await makeParamsFile(opened.context, made.shape);
  resident = await loadCircuit(opened.context, made.shape, memoryReader(params));
  streamed = await loadStreamedCircuit(opened.context, made.shape, memoryReader(params), plan);
});
afterAll(() => {
  resident.close();
  streamed.close();
  expect(bytesInUse(opened.context)).toBe(0);
  opened.close();
});

/** Runs `work`; memory runs out when `at` submits are done. Returns how many there were. */
async function submitsOf(work: () => Promise<unknown>, at = Number.POSITIVE_INFINITY) {
  const { news, device } = opened.context;
  let submits = 0;
  news.onSubmitDone = () => {
    if (submits++ === at) playOutOfMemory(device);
  };
  await work().finally(() => {
    news.onSubmitDone = undefined;
    faultsOf(opened.context.device).forget();
  });
  return submits;
}

const ways: { way: string; work(): Promise<unknown> }[] = [
  {
    way: 'a load from a file',
    work: async () => (await loadCircuit(opened.context, made.shape, memoryReader(params))).close(),
  },
  {
    way: 'a load to be streamed',
    work: async () =>
      (await loadStreamedCircuit(opened.context, made.shape, memoryReader(params), plan)).close(),
  },
  {
    way: 'an SRS made on the device',
    work: async () =>
      (await generateSrs(opened.context, made.shape, developmentToxicWaste())).close(),
  },
  { way: 'a parameter file made', work: () => makeParamsFile(opened.context, made.shape) },
  {
    way: 'a proof',
    work: () =>
      provePartition(opened.context, resident, made.witness, developmentBlinding(0), {
        checkWitness: true,
      }),
  },
  { way: 'two proofs in one pass', work: () => proveInOnePass(2) },
  { way: 'a proof whose queries pass beside h', work: () => proveInOnePass(1) },
];

async function proveInOnePass(count: number): Promise<void> {
  const waiting = Array.from({ length: count }, (_, k) => ({
    witness: made.witness,
    blinding: developmentBlinding(k),
  }));
  const options = { checkWitness: true };
  const results = await proveStreamed(opened.context, streamed, waiting, options);
  for (const result of results) if (result.status === 'rejected') throw result.reason;
}

describe.each(ways)('$way', ({ work }) => {
  it('leaves nothing on the device, wherever its memory runs out', async () => {
    const submits = await submitsOf(work);
    const leaks: string[] = [];
    for (let place = 0; place < submits - 1; place += Math.max(1, submits / PLACES)) {
      const at = Math.floor(place);
      const before = bytesInUse(opened.context);
      await expect(submitsOf(work, at), `submit ${at}`).rejects.toMatchObject({
        code: 'GPU_OUT_OF_MEMORY',
      });
      const left = bytesInUse(opened.context) - before;
      if (left !== 0) leaks.push(`${left} bytes at submit ${at} of ${submits}`);
    }
    expect(leaks).toEqual([]);
    await submitsOf(work);
  });
});
