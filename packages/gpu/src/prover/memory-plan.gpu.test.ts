import { developmentBlinding, developmentToxicWaste } from '@cuzk/core/groth16/development-waste';
import { expect, it } from 'vitest';
import { generateSrs } from '../setup/generate-srs.ts';
import { makeSmall } from '../testing/sample-circuits.ts';
import { openTestDevice } from '../testing/software-device.ts';
import { planMemory } from './memory-plan.ts';
import { provePartition } from './prover.ts';

it('says what a circuit takes: points exactly, shape closely, a proof from above', async () => {
  const { context, close } = await openTestDevice();
  const { shape, witness } = makeSmall('poseidon2');
  const plan = planMemory(shape, context.traits);
  const circuit = await generateSrs(context, shape, developmentToxicWaste());
  const loaded = { ...context.buffers.bytesInUse };
  expect(loaded.srs).toBe(plan.srsBytes);
  // Small tables of fixed size are not counted.
  expect(Math.abs(loaded.shape - plan.shapeBytes)).toBeLessThan(2 ** 16);
  await provePartition(context, circuit, witness, developmentBlinding(0), { checkWitness: true });
  // Nothing that was given back is destroyed, so that this is all that the proof had at once.
  const taken = loaded.srs + loaded.shape + context.buffers.idleBytes;
  expect(plan.provingBytes).toBeGreaterThanOrEqual(taken);
  expect(plan.provingBytes).toBeLessThan(1.5 * taken);
  circuit.close();
  close();
});
