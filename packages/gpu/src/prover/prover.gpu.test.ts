import { bigintFromLe, toHex } from '@cuzk/core/bytes';
import type { CuzkError } from '@cuzk/core/errors';
import { developmentBlinding, developmentToxicWaste } from '@cuzk/core/groth16/development-waste';
import { memoryReader } from '@cuzk/core/groth16/memory-reader';
import { encodeProof } from '@cuzk/core/groth16/proof';
import { type ProofIntermediate, querySumsOf } from '@cuzk/core/groth16/testing/golden';
import { prepareVerifyingKey, verifyProof } from '@cuzk/core/groth16/verify';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { FieldVariants } from '../device/context.ts';
import type { OpenedDevice } from '../device/device.ts';
import { makeParamsInMemory } from '../setup/params-in-memory.ts';
import { withOverwritingPool } from '../testing/overwriting-pool.ts';
import { goldenVector, makeSmall, sha256Hex } from '../testing/sample-circuits.ts';
import { openTestDevice } from '../testing/software-device.ts';
import { provePartition, uploadPartition } from './prover.ts';
import { loadCircuit } from './proving-circuit.ts';

/**
 * Whole runs from R1CS to 192 bytes; the 13-bit forms at WebGPU's default limits too: some devices get nothing else.
 */
const runs: {
  name: 'poseidon2' | 'sha256-node';
  variants: FieldVariants;
  defaultLimits?: boolean;
}[] = [
  { name: 'poseidon2', variants: { fp: 'signed24', fr: 'signed24' } },
  { name: 'sha256-node', variants: { fp: 'signed24', fr: 'signed24' } },
  { name: 'poseidon2', variants: { fp: 'signed13', fr: 'karatsuba13' }, defaultLimits: true },
];

describe.each(runs)('$name with $variants.fp', ({ name, variants, defaultLimits }) => {
  let opened: OpenedDevice;
  const made = makeSmall(name);
  let params: Uint8Array;
  let vk: Uint8Array;
  const reader = () => memoryReader(params);
  beforeAll(async () => {
    opened = await openTestDevice({ variants, defaultLimits: defaultLimits === true });
  });
  afterAll(() => opened.close());

  it('makes the parameter file of the reference', async () => {
    const { context } = opened;
    ({ params, vk } = await makeParamsInMemory(context, made.shape, developmentToxicWaste()));
    expect(sha256Hex(params)).toBe(made.golden.params_sha256);
    expect(params.subarray(0, vk.length)).toEqual(vk);
  });

  it('proves to the bytes of the reference, twice, and leaves nothing on the device', async () => {
    const circuit = await loadCircuit(opened.context, made.shape, reader());
    for (let round = 0; round < 2; round++) {
      const { proof, phases, sums } = await provePartition(
        opened.context,
        circuit,
        made.witness,
        developmentBlinding(0),
        { checkWitness: true },
      );
      expect(sums).toEqual(
        querySumsOf(
          goldenVector<{ intermediate: ProofIntermediate }>(`small/${name}.json`).intermediate,
        ),
      );
      expect(toHex(encodeProof(proof))).toBe(made.golden.proof);
      expect(phases.map((phase) => phase.name)).toContain('cuzk.gpu.msm_h');
    }
    circuit.close();
    expect(Object.values(opened.context.buffers.bytesInUse).every((bytes) => bytes === 0)).toBe(
      true,
    );
  });

  it('gives no buffer back that recorded work still reads', async () => {
    const context = withOverwritingPool(opened.context);
    const circuit = await loadCircuit(context, made.shape, reader());
    const options = { checkWitness: true };
    const blinding = developmentBlinding(0);
    const { proof } = await provePartition(context, circuit, made.witness, blinding, options);
    expect(toHex(encodeProof(proof))).toBe(made.golden.proof);
    circuit.close();
  });

  it('a witness put on the device while another one is proved stays apart from it, good or bad', async () => {
    const circuit = await loadCircuit(opened.context, made.shape, reader());
    const elements = made.witness.elements.slice();
    elements[0] ^= 1;
    const following = [made.witness, { ...made.witness, elements }, made.witness];
    let next = uploadPartition(opened.context, circuit, made.witness);
    const outcomes: string[] = [];
    for (const witness of following) {
      const current = await next;
      let uploaded = false;
      const options = {
        checkWitness: true,
        onPhase: (phase: string) => {
          if (uploaded || phase !== 'cuzk.gpu.quotient') return;
          uploaded = true;
          next = uploadPartition(opened.context, circuit, witness);
        },
      };
      await provePartition(opened.context, circuit, current, developmentBlinding(0), options).then(
        ({ proof }) => outcomes.push(toHex(encodeProof(proof))),
        (error: CuzkError) => outcomes.push(error.code),
      );
      if (!uploaded) next = uploadPartition(opened.context, circuit, witness);
    }
    expect(outcomes).toEqual([made.golden.proof, made.golden.proof, 'WITNESS_UNSATISFIED']);
    (await next).close();
    circuit.close();
    expect(Object.values(opened.context.buffers.bytesInUse).every((bytes) => bytes === 0)).toBe(
      true,
    );
  });

  it('catches a flipped bit by the rows, and without that check the proof does not verify', async () => {
    const circuit = await loadCircuit(opened.context, made.shape, reader());
    const bitPlane = made.witness.bitPlane.slice();
    const elements = made.witness.elements.slice();
    if (name === 'poseidon2') elements[8 * 100] ^= 1;
    else bitPlane[200] ^= 1 << 7;
    const witness = { ...made.witness, bitPlane, elements };
    const prove = (checkWitness: boolean) =>
      provePartition(opened.context, circuit, witness, developmentBlinding(0), { checkWitness });
    await expect(prove(true)).rejects.toMatchObject({ code: 'WITNESS_UNSATISFIED' });
    const { proof } = await prove(false);
    const publicInputs = [bigintFromLe(made.witness.inputs.subarray(32, 64))];
    const key = prepareVerifyingKey(circuit.vk);
    expect(verifyProof(key, publicInputs, proof)).toBe(false);
    const good = await provePartition(
      opened.context,
      circuit,
      made.witness,
      developmentBlinding(1),
      {
        checkWitness: true,
      },
    );
    expect(verifyProof(key, publicInputs, good.proof)).toBe(true);
    circuit.close();
  });

  it.runIf(name === 'poseidon2')('refuses the parameters of another circuit', async () => {
    const { shape } = makeSmall('sha256-node');
    await expect(loadCircuit(opened.context, shape, reader())).rejects.toThrow(/PARAMS_MALFORMED/);
  });
});
