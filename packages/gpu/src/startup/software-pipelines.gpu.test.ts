import { writeFileSync } from 'node:fs';
import { developmentBlinding } from '@cuzk/core/groth16/development-waste';
import { memoryReader } from '@cuzk/core/groth16/memory-reader';
import { domainRows } from '@cuzk/core/r1cs/shape';
import { expect, it } from 'vitest';
import { compileOnly } from '../device/compile-only.ts';
import type { DeviceTraits } from '../device/context.ts';
import '../testing/software-device.ts';
import { openDevice } from '../device/device.ts';
import type { KernelSpec } from '../device/kernel.ts';
import { provePartition } from '../prover/prover.ts';
import { loadCircuit } from '../prover/proving-circuit.ts';
import { makeSample, makeSmall } from '../testing/sample-circuits.ts';
import { makeParamsFile } from '../testing/small-params.ts';
import { softwarePipelines } from './compile-ahead.ts';
import { openProver } from './open-prover.ts';

const update = process.env.UPDATE_PIPELINES === '1';
// read when the first device of the process is opened
if (update) process.env.MESA_SHADER_CACHE_DISABLE = 'true';
const LIST = new URL('../../kernels/generated/software-pipelines.json', import.meta.url);

/**
 * A device that is opened, tuned, and makes parameters and proofs of circuits with domains of an odd and an even
 * logarithm.
 */
async function pipelinesNeeded(): Promise<{
  traits: DeviceTraits;
  needed: readonly KernelSpec[];
}> {
  const nothingKept = { read: async () => null, write: async () => {}, warn: () => {} };
  const prover = await openProver('software', nothingKept);
  try {
    const { context } = prover;
    const circuits = [makeSmall('poseidon2'), makeSample(24, 1)];
    expect(
      new Set(circuits.map(({ shape }) => Math.ceil(Math.log2(domainRows(shape))) % 2)).size,
    ).toBe(2);
    for (const { shape, witness } of circuits) {
      const file = await makeParamsFile(context, shape);
      const circuit = await loadCircuit(context, shape, memoryReader(file));
      const options = { checkWitness: true };
      await provePartition(context, circuit, witness, developmentBlinding(0), options);
      circuit.close();
    }
    return { traits: context.traits, needed: context.kernels.asked };
  } finally {
    prover.close();
  }
}

/** Those that take longest to compile first: by the clock, with a driver that keeps nothing. */
async function longestFirst(specs: readonly KernelSpec[]): Promise<KernelSpec[]> {
  const { context, close } = await openDevice('software');
  const timed: { spec: KernelSpec; ms: number }[] = [];
  for (const spec of specs) {
    const startedAt = performance.now();
    await compileOnly(context, spec);
    timed.push({ spec, ms: performance.now() - startedAt });
  }
  close();
  return timed.toSorted((a, b) => b.ms - a.ms).map(({ spec }) => spec);
}

it('the pipelines that are compiled ahead are those that parameters and proofs need', async () => {
  const { traits, needed } = await pipelinesNeeded();
  if (update) {
    const lines = (await longestFirst(needed)).map((spec) => JSON.stringify(spec));
    writeFileSync(LIST, `[\n${lines.join(',\n')}\n]\n`);
  }
  const texts = (specs: readonly KernelSpec[]) => specs.map((spec) => JSON.stringify(spec)).sort();
  expect(texts(softwarePipelines(traits)), 'npm run pipelines writes them anew').toEqual(
    texts(needed),
  );
});
