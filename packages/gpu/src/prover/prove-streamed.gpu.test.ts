import { toHex } from '@cuzk/core/bytes';
import { developmentBlinding, developmentToxicWaste } from '@cuzk/core/groth16/development-waste';
import { layOutParams, paramsCountsOf } from '@cuzk/core/groth16/params-layout';
import { encodeProof } from '@cuzk/core/groth16/proof';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { OpenedDevice } from '../device/device.ts';
import { makeParams } from '../setup/setup.ts';
import { makeSmall } from '../testing/sample-circuits.ts';
import { openTestDevice } from '../testing/software-device.ts';
import { type ProveStreamedOptions, proveStreamed } from './prove-streamed.ts';
import { provePartition } from './prover.ts';
import { loadCircuit } from './proving-circuit.ts';
import type { StreamPlan } from './stream-plan.ts';
import { loadStreamedCircuit, type StreamedCircuit } from './streamed-circuit.ts';

const made = makeSmall('poseidon2');
const { sections } = layOutParams(paramsCountsOf(made.shape));
const H_PIECES = 8;
const piecePoints = { g1: (sections.h.count + 1) / H_PIECES, g2: (sections.h.count + 1) / 16 };
/** Some pieces of h there, none, and all. */
const plans: StreamPlan[] = [3, 0, H_PIECES].map((residentPieces) => ({
  piecePoints,
  residentPieces,
  msmEntries: 2 ** 16,
  largeTables: residentPieces !== 0,
  waiting: 3,
  peakBytes: { queries: 0, quotient: 0, msmH: 0 },
  streamedBytes: { each: 0, alone: 0 },
}));
const options: ProveStreamedOptions = { checkWitness: true };

let opened: OpenedDevice;
let params: Buffer;
beforeAll(async () => {
  opened = await openTestDevice();
  const pieces: Uint8Array[] = [];
  await makeParams(opened.context, made.shape, developmentToxicWaste(), async (bytes) => {
    pieces.push(bytes.slice());
  });
  params = Buffer.concat(pieces);
});
afterAll(() => opened.close());

const readerOf = (bytes: Buffer) => {
  const reader = {
    sizeBytes: bytes.length,
    bytesRead: 0,
    read: async (offset: number, length: number) => {
      reader.bytesRead += length;
      return bytes.subarray(offset, offset + length);
    },
  };
  return reader;
};
const bytesInUse = (): number =>
  Object.values(opened.context.buffers.bytesInUse).reduce((sum, bytes) => sum + bytes, 0);

/** The same witness with a bit of an element changed: no row of it need hold. */
const broken = () => {
  const elements = made.witness.elements.slice();
  elements[8 * 100] ^= 1;
  return { ...made.witness, elements };
};

describe.each(plans)('with $residentPieces pieces of h on the device', (plan) => {
  let circuit: StreamedCircuit;
  const reader = { ...readerOf(Buffer.alloc(0)) };

  it('holds those pieces and nothing else of the SRS', async () => {
    Object.assign(reader, readerOf(params));
    // the points of one of them are tested, which takes a while for small pieces
    const subgroupChecked = plan.residentPieces !== 3;
    circuit = await loadStreamedCircuit(opened.context, made.shape, reader, plan, {
      subgroupChecked,
    });
    const points = Math.min(plan.residentPieces * piecePoints.g1, sections.h.count);
    expect(opened.context.buffers.bytesInUse.srs).toBe(96 * points);
    expect(opened.context.buffers.bytesInUse.staging).toBe(0);
  });

  it('proves to the bytes of the reference, one partition and three that wait', async () => {
    const waiting = [0, 1, 2].map((k) => ({
      witness: made.witness,
      blinding: developmentBlinding(k),
    }));
    const [one] = await proveStreamed(opened.context, circuit, waiting.slice(0, 1), options);
    const three = await proveStreamed(opened.context, circuit, waiting, options);
    const bytes = [one, ...three].map((result) =>
      result.status === 'fulfilled' ? toHex(encodeProof(result.value.proof)) : result.reason,
    );
    expect(bytes.slice(0, 2)).toEqual([made.golden.proof, made.golden.proof]);
    const resident = await loadCircuit(opened.context, made.shape, readerOf(params), {
      subgroupChecked: true,
    });
    for (const k of [1, 2]) {
      const { proof } = await provePartition(
        opened.context,
        resident,
        made.witness,
        developmentBlinding(k),
        { checkWitness: false },
      );
      expect(bytes[k + 1]).toBe(toHex(encodeProof(proof)));
    }
    resident.close();
  });

  it('reads the queries once for all that wait, and of h what is not on the device for each', async () => {
    const [counted, before] = [readerOf(params), bytesInUse()];
    const own = await loadStreamedCircuit(opened.context, made.shape, counted, plan, {
      subgroupChecked: true,
    });
    counted.bytesRead = 0;
    const witness = made.witness;
    const blinding = developmentBlinding(0);
    await proveStreamed(
      opened.context,
      own,
      [
        { witness, blinding },
        { witness, blinding },
      ],
      options,
    );
    const queries = 96 * (sections.l.count + sections.a.count + 3 * sections.bG1.count);
    const h = 96 * Math.max(0, sections.h.count - plan.residentPieces * piecePoints.g1);
    expect(counted.bytesRead).toBe(queries + 2 * h);
    own.close();
    expect(bytesInUse()).toBe(before);
  });

  it('a witness that breaks a row fails alone', async () => {
    const results = await proveStreamed(
      opened.context,
      circuit,
      [
        { witness: broken(), blinding: developmentBlinding(1) },
        { witness: made.witness, blinding: developmentBlinding(0) },
      ],
      options,
    );
    expect(results[0]).toMatchObject({ reason: { code: 'WITNESS_UNSATISFIED' } });
    const [, second] = results;
    const proof = second.status === 'fulfilled' ? toHex(encodeProof(second.value.proof)) : '';
    expect(proof).toBe(made.golden.proof);
  });

  it('gives everything back', () => {
    circuit.close();
    expect(bytesInUse()).toBe(0);
  });
});

describe('a file that is not as it should be', () => {
  const load = (bytes: Buffer, subgroupChecked = false) =>
    loadStreamedCircuit(opened.context, made.shape, readerOf(bytes), plans[0] as StreamPlan, {
      subgroupChecked,
    });

  it('that changed after its check fails the proofs that it would have spoilt', async () => {
    const changed = Buffer.from(params);
    const circuit = await loadStreamedCircuit(
      opened.context,
      made.shape,
      readerOf(changed),
      plans[1] as StreamPlan,
      { subgroupChecked: true },
    );
    changed[sections.a.offset + 96 * 5 + 90] ^= 4;
    const before = bytesInUse();
    const waiting = [{ witness: made.witness, blinding: developmentBlinding(0) }];
    await expect(proveStreamed(opened.context, circuit, waiting, options)).rejects.toThrow(
      'section a: not on curve: point 5',
    );
    expect(bytesInUse()).toBe(before);
    circuit.close();
  });

  it('more partitions than the plan has memory for are refused', async () => {
    const circuit = await load(params, true);
    const waiting = [0, 1, 2, 3].map((k) => ({
      witness: made.witness,
      blinding: developmentBlinding(k),
    }));
    await expect(proveStreamed(opened.context, circuit, waiting, options)).rejects.toThrow(
      'at most 3',
    );
    circuit.close();
  });

  it('a cancel ends all and gives back what was taken', async () => {
    const circuit = await load(params, true);
    const before = bytesInUse();
    const waiting = [{ witness: made.witness, blinding: developmentBlinding(0) }];
    for (const stop of ['cuzk.gpu.stream', 'cuzk.gpu.msm_h']) {
      const abort = new AbortController();
      const onPhase = (name: string): void => {
        if (name === stop) abort.abort();
      };
      await expect(
        proveStreamed(opened.context, circuit, waiting, {
          ...options,
          signal: abort.signal,
          onPhase,
        }),
      ).rejects.toMatchObject({ code: 'CANCELLED' });
      expect(bytesInUse()).toBe(before);
    }
    circuit.close();
  });
});
