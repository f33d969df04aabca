import { createHash } from 'node:crypto';
import { bigintFromLe } from '@cuzk/core/bytes';
import { developmentBlinding } from '@cuzk/core/groth16/development-waste';
import { memoryReader } from '@cuzk/core/groth16/memory-reader';
import { paramsCountsOf } from '@cuzk/core/groth16/params-layout';
import { prepareVerifyingKey, verifyProof } from '@cuzk/core/groth16/verify';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { OpenedDevice } from '../device/device.ts';
import { checkParamsPoints } from '../streaming/checked-pieces.ts';
import { loadStreamedCircuit } from '../streaming/streamed-circuit.ts';
import { damagedParams, forgedParams } from '../testing/damaged-params.ts';
import { makeSmall } from '../testing/sample-circuits.ts';
import { bytesInUse, halfResident, makeParamsFile } from '../testing/small-params.ts';
import { openTestDevice } from '../testing/software-device.ts';
import { provePartition } from './prover.ts';
import { loadCircuit, type ProvingCircuit } from './proving-circuit.ts';

const made = makeSmall('poseidon2');
const counts = paramsCountsOf(made.shape);
const plan = halfResident(made.shape);

let opened: OpenedDevice;
let params: Buffer;
beforeAll(async () => {
  opened = await openTestDevice();
  params = await makeParamsFile(opened.context, made.shape);
});
afterAll(() => opened.close());

/** Whatever reads a parameter file through the device. */
const ways: { way: string; take(bytes: Buffer): Promise<unknown> }[] = [
  {
    way: 'loaded as a whole',
    take: async (bytes) =>
      (await loadCircuit(opened.context, made.shape, memoryReader(bytes))).close(),
  },
  {
    way: 'loaded to be streamed',
    take: async (bytes) =>
      (await loadStreamedCircuit(opened.context, made.shape, memoryReader(bytes), plan)).close(),
  },
  {
    way: 'checked',
    take: (bytes) => checkParamsPoints(opened.context, made.shape, memoryReader(bytes)),
  },
];

describe.each(ways)('a parameter file that is $way', ({ take }) => {
  it('is refused with its section and point named, whatever is wrong with it, and nothing of it stays', async () => {
    for (const { what, bytes, refusal } of damagedParams(params, counts)) {
      await expect(take(bytes), what).rejects.toMatchObject({
        code: 'PARAMS_MALFORMED',
        message: expect.stringMatching(refusal),
      });
      expect(bytesInUse(opened.context), what).toBe(0);
    }
  });

  it('is taken where nothing is wrong', async () => {
    await take(params);
    expect(bytesInUse(opened.context)).toBe(0);
  });
});

describe('other points of the subgroup', () => {
  const verifies = async (circuit: ProvingCircuit): Promise<boolean> => {
    const blinding = developmentBlinding(0);
    const { proof } = await provePartition(opened.context, circuit, made.witness, blinding, {
      checkWitness: true,
    });
    const publicInputs = [bigintFromLe(made.witness.inputs.subarray(32, 64))];
    return verifyProof(prepareVerifyingKey(circuit.vk), publicInputs, proof);
  };
  const digest = (bytes: Buffer): string => createHash('blake2b512').update(bytes).digest('hex');

  it('are told by the digest alone; a proof made with them does not verify', async () => {
    const sound = await loadCircuit(opened.context, made.shape, memoryReader(params));
    expect(await verifies(sound)).toBe(true);
    sound.close();
    for (const { what, bytes } of forgedParams(params, counts)) {
      const circuit = await loadCircuit(opened.context, made.shape, memoryReader(bytes));
      expect(await verifies(circuit), what).toBe(false);
      expect(digest(bytes), what).not.toBe(digest(params));
      circuit.close();
    }
    expect(bytesInUse(opened.context)).toBe(0);
  });
});
