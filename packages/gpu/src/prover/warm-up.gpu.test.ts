import { developmentBlinding, developmentToxicWaste } from '@cuzk/core/groth16/development-waste';
import { expect, it } from 'vitest';
import { generateSrs } from '../setup/generate-srs.ts';
import { makeSmall } from '../testing/sample-circuits.ts';
import { openTestDevice } from '../testing/software-device.ts';
import { provePartition } from './prover.ts';
import { warmUp } from './warm-up.ts';

it('after warming up, a proof compiles nothing more', async () => {
  const { context, close } = await openTestDevice();
  const { shape, witness } = makeSmall('poseidon2');
  const circuit = await generateSrs(context, shape, developmentToxicWaste());
  const before = context.kernels.compiled.count;
  await warmUp(context, circuit, { checkWitness: true });
  const warm = context.kernels.compiled.count;
  expect(warm).toBeGreaterThan(before);
  await provePartition(context, circuit, witness, developmentBlinding(0), { checkWitness: true });
  expect(context.kernels.compiled.count).toBe(warm);
  circuit.close();
  expect(Object.values(context.buffers.bytesInUse).every((bytes) => bytes === 0)).toBe(true);
  close();
});
