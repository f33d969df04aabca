import { developmentBlinding } from '@cuzk/core/groth16/development-waste';
import { memoryReader } from '@cuzk/core/groth16/memory-reader';
import { beforeAll, expect, it } from 'vitest';
import type { GpuContext } from '../device/context.ts';
import { proveStreamed } from '../streaming/prove-streamed.ts';
import { loadStreamedCircuit } from '../streaming/streamed-circuit.ts';
import { makeSmall } from '../testing/sample-circuits.ts';
import { bytesInUse, halfResident, makeParamsFile } from '../testing/small-params.ts';
import { openTestDevice } from '../testing/software-device.ts';
import { provePartition } from './prover.ts';
import { loadCircuit } from './proving-circuit.ts';

const made = makeSmall('poseidon2');
const plan = halfResident(made.shape);
const options = { checkWitness: true };
const blinding = developmentBlinding(0);

let params: Buffer;
beforeAll(async () => {
  const { context, close } = await openTestDevice();
  params = await makeParamsFile(context, made.shape);
  close();
});

/** Prepares something on a device; what comes back is cut short, and then given back. */
type Prepare = (
  context: GpuContext,
) => Promise<{ readonly work: () => Promise<unknown>; readonly close: () => void }>;
const works: { what: string; prepare: Prepare }[] = [
  {
    what: 'a load to be streamed',
    prepare: async (context) => ({
      work: () => loadStreamedCircuit(context, made.shape, memoryReader(params), plan),
      close: () => {},
    }),
  },
  {
    what: 'a proof',
    prepare: async (context) => {
      const circuit = await loadCircuit(context, made.shape, memoryReader(params), {
        subgroupChecked: true,
      });
      const work = () => provePartition(context, circuit, made.witness, blinding, options);
      return { work, close: circuit.close };
    },
  },
  {
    what: 'a pass of streamed parameters',
    prepare: async (context) => {
      const checked = { subgroupChecked: true };
      const circuit = await loadStreamedCircuit(
        context,
        made.shape,
        memoryReader(params),
        plan,
        checked,
      );
      const waiting = [{ witness: made.witness, blinding }];
      const work = async () => {
        const [result] = await proveStreamed(context, circuit, waiting, options);
        if (result?.status === 'rejected') throw result.reason;
      };
      return { work, close: circuit.close };
    },
  },
];

it.each(works)(
  'a device lost in the middle of $what ends it, and nothing counts as in use',
  async ({ prepare }) => {
    const { context, lost } = await openTestDevice();
    const { work, close } = await prepare(context);
    let submits = 0;
    context.news.onSubmitDone = () => {
      if (++submits === 8) context.device.destroy();
    };
    await expect(work()).rejects.toThrow();
    expect(submits).toBeGreaterThanOrEqual(8);
    expect(await lost).toContain('destroyed');
    close();
    expect(bytesInUse(context)).toBe(0);
  },
);
