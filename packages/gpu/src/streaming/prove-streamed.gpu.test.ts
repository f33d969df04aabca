import { toHex } from '@cuzk/core/bytes';
import { developmentBlinding } from '@cuzk/core/groth16/development-waste';
import { layOutParams, paramsCountsOf } from '@cuzk/core/groth16/params-layout';
import { encodeProof } from '@cuzk/core/groth16/proof';
import { countingReader } from '@cuzk/core/groth16/testing/counting-reader';
import type { CircuitShape } from '@cuzk/core/r1cs/shape';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { BufferPool } from '../device/buffer-pool.ts';
import type { DeviceTraits } from '../device/context.ts';
import type { OpenedDevice } from '../device/device.ts';
import { ringBytesFor } from '../device/staging-ring.ts';
import { planMemory } from '../prover/memory-plan.ts';
import { provePartition } from '../prover/prover.ts';
import { loadCircuit } from '../prover/proving-circuit.ts';
import { makeSmall } from '../testing/sample-circuits.ts';
import { bytesInUse, halfResident, makeParamsFile } from '../testing/small-params.ts';
import { openTestDevice } from '../testing/software-device.ts';
import { type ProveStreamedOptions, proveStreamed } from './prove-streamed.ts';
import { mostOf, peakBeside, peaksOf, residentBytesOf } from './stream-memory.ts';
import { leastStreamingBytes, planStreaming, type StreamPlan } from './stream-plan.ts';
import { loadStreamedCircuit, type StreamedCircuit } from './streamed-circuit.ts';

const made = makeSmall('poseidon2');
const { sections } = layOutParams(paramsCountsOf(made.shape));
const H_PIECES = 8;
const piecePoints = { g1: (sections.h.count + 1) / H_PIECES, g2: (sections.h.count + 1) / 16 };
/** Smaller pieces, whose tails are cut. */
const besideH = {
  piecePoints: { g1: piecePoints.g1 / 2, g2: piecePoints.g2 / 2 },
  msmEntries: 2 ** 12,
};
const BESIDE = new Map([
  [0, 2],
  [sections.h.count, 1],
]);
/** Some pieces of h there, none, and all; queries pass beside h for none, for two, and for one that waits. */
const plans = [3 * piecePoints.g1, 0, sections.h.count].map((residentPoints) =>
  halfResident(made.shape, {
    piecePoints,
    residentPoints,
    segmentPoints: 2 * piecePoints.g1,
    msmEntries: 2 ** 13,
    largeTables: residentPoints !== 0,
    waiting: 3,
    reuse: residentPoints !== 0,
    beside: Array.from({ length: BESIDE.get(residentPoints) ?? 0 }, () => besideH),
  }),
);
const options: ProveStreamedOptions = { checkWitness: true };

let opened: OpenedDevice;
let params: Buffer;
beforeAll(async () => {
  opened = await openTestDevice();
  params = await makeParamsFile(opened.context, made.shape);
});
afterAll(() => opened.close());

/** The same witness with a bit of an element changed: no row of it need hold. */
const broken = () => {
  const elements = made.witness.elements.slice();
  elements[8 * 100] ^= 1;
  return { ...made.witness, elements };
};

describe.each(plans)('with $residentPoints points of h on the device', (plan) => {
  let circuit: StreamedCircuit;
  const reader = { ...countingReader(Buffer.alloc(0)) };

  it('holds those points and nothing else of the SRS', async () => {
    Object.assign(reader, countingReader(params));
    // the points of one of them are tested, which takes a while for small pieces
    const subgroupChecked = plan !== plans[0];
    circuit = await loadStreamedCircuit(opened.context, made.shape, reader, plan, {
      subgroupChecked,
    });
    expect(opened.context.buffers.bytesInUse.srs).toBe(96 * plan.residentPoints);
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
    const resident = await loadCircuit(opened.context, made.shape, countingReader(params), {
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

  it('submits the next proof before the host ends one, but the first, if no memory goes for it', async () => {
    const waiting = [0, 1, 2].map((k) => ({
      witness: made.witness,
      blinding: developmentBlinding(k),
    }));
    const nowMs = () => performance.now();
    const proofs = await proveStreamed(opened.context, circuit, waiting, { ...options, nowMs });
    const spans = proofs.map((proof) => {
      const phases = proof.status === 'fulfilled' ? proof.value.phases : [];
      const total = phases.find(({ name }) => name === 'cuzk.gpu.total');
      return { start: total?.startMs ?? 0, end: (total?.startMs ?? 0) + (total?.durationMs ?? 0) };
    });
    const overlaps = [1, 2].map((k) => spans[k].start < spans[k - 1].end);
    expect(overlaps).toEqual([false, plan.reuse]);
  });

  it('reads the queries once for all that wait, and of h what is not on the device for each', async () => {
    const [counted, before] = [countingReader(params), bytesInUse(opened.context)];
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
    const h = 96 * (sections.h.count - plan.residentPoints);
    expect(counted.bytesRead).toBe(queries + 2 * h);
    own.close();
    expect(bytesInUse(opened.context)).toBe(before);
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
    expect(bytesInUse(opened.context)).toBe(0);
  });
});

/** What no plan counts: tables of fixed size, and buffers of a few bytes. */
const SMALL = 2 ** 16;

describe('with a plan for so much memory', () => {
  const larger = makeSmall('sha256-node');
  const count = paramsCountsOf(larger.shape).h;
  let file: Buffer;
  beforeAll(async () => {
    file = await makeParamsFile(opened.context, larger.shape);
  });

  it.each([
    { stays: 'nothing', share: 0.02 },
    { stays: 'a part', share: 0.02 },
    { stays: 'all', share: 1 },
  ])(
    'where $stays of h stays, no phase takes more, and proofs are those of the reference',
    async ({ stays, share }) => {
      const { context, close } = await openTestDevice();
      const { buffers, traits } = context;
      const planOf = (bytes: number): StreamPlan => {
        const found = planStreaming(larger.shape, traits, bytes);
        if (found === undefined) throw new Error(`no plan for ${bytes} bytes`);
        return found;
      };
      const least = leastStreamingBytes(larger.shape, traits);
      const budget = Math.ceil(least + share * (mostOf(planOf(2 ** 40).peakBytes) - least));
      const planned = planOf(budget);
      const plan = stays === 'a part' ? withPart(larger.shape, traits, planned) : planned;
      const part = plan.residentPoints === 0 ? 'nothing' : 'a part';
      expect(plan.residentPoints === count ? 'all' : part).toBe(stays);
      expect(mostOf(planned.peakBytes)).toBeLessThanOrEqual(budget);
      const peaks = watchPeaks(buffers);
      const circuit = await loadStreamedCircuit(context, larger.shape, countingReader(file), plan, {
        subgroupChecked: stays !== 'all',
      });
      expect(Math.abs(bytesInUse({ buffers }) - plan.residentBytes)).toBeLessThan(SMALL);
      const waiting = Array.from({ length: Math.min(2, plan.waiting) }, () => ({
        witness: larger.witness,
        blinding: developmentBlinding(0),
      }));
      const proofs = await proveStreamed(context, circuit, waiting, {
        ...options,
        onPhase: peaks.begin,
      });
      for (const [phase, name] of PHASES) {
        const most = plan.peakBytes[phase] + SMALL - ringBytesFor(traits);
        expect(peaks.bytes[name], phase).toBeLessThanOrEqual(most);
        expect(peaks.bytes[name], phase).toBeGreaterThan(most / 4);
      }
      // with what is idle
      const allowed = Math.max(budget, mostOf(plan.peakBytes));
      expect(buffers.peakBytes + ringBytesFor(traits)).toBeLessThanOrEqual(allowed + SMALL);
      for (const result of proofs) {
        const proof = result.status === 'fulfilled' ? toHex(encodeProof(result.value.proof)) : '';
        expect(proof).toBe(larger.golden.proof);
      }
      circuit.close();
      close();
    },
  );
});

/** The plan with three pieces of h more on the device, where it would keep none or all. */
function withPart(shape: CircuitShape, traits: DeviceTraits, plan: StreamPlan): StreamPlan {
  const memory = planMemory(shape, traits);
  const holding = { ...plan, reuse: false, residentPoints: 3 * plan.piecePoints.g1 };
  const peakBytes = peaksOf({ shape, traits, memory }, holding);
  return { ...holding, peakBytes, residentBytes: residentBytesOf(holding, memory) };
}

const PHASES = [
  ['load', 'load'],
  ['queries', 'cuzk.gpu.stream'],
  ['quotient', 'cuzk.gpu.quotient'],
  ['msmH', 'cuzk.gpu.msm_h'],
] as const;

/** Most bytes in use by phase, as `begin` is told of them; and most in use and idle together. */
function watchPeaks(pool: BufferPool) {
  const bytes: Record<string, number> = {};
  let most = 0;
  let phase = 'load';
  const take = pool.take;
  pool.take = (...args) => {
    const buffer = take(...args);
    const inUse = bytesInUse({ buffers: pool });
    bytes[phase] = Math.max(bytes[phase] ?? 0, inUse);
    most = Math.max(most, inUse + pool.idleBytes);
    return buffer;
  };
  const begin = (name: string): void => {
    phase = name;
  };
  return { bytes, together: () => most, begin };
}

it('takes no more than planned where queries pass beside h', async () => {
  const { context, close } = await openTestDevice();
  const { buffers, traits } = context;
  const larger = makeSmall('sha256-node');
  const file = await makeParamsFile(context, larger.shape);
  const found = planStreaming(larger.shape, traits, 2 ** 40) as StreamPlan;
  const sizes = {
    piecePoints: { g1: found.piecePoints.g1 / 4, g2: found.piecePoints.g2 / 4 },
    msmEntries: found.msmEntries,
  };
  const planned = { shape: larger.shape, traits, memory: planMemory(larger.shape, traits) };
  const beside = peakBeside(planned, found, sizes, 1, 0);
  const peakBytes = { load: 0, queries: 0, quotient: 0, msmH: 0, beside };
  const plan = { ...found, reuse: true, beside: [sizes], peakBytes };
  const circuit = await loadStreamedCircuit(context, larger.shape, countingReader(file), plan, {
    subgroupChecked: true,
  });
  buffers.trim();
  const { bytes, together, begin } = watchPeaks(buffers);
  const waiting = [{ witness: larger.witness, blinding: developmentBlinding(0) }];
  const [result] = await proveStreamed(context, circuit, waiting, { ...options, onPhase: begin });
  const proof = result.status === 'fulfilled' ? toHex(encodeProof(result.value.proof)) : '';
  expect(proof).toBe(larger.golden.proof);
  const most = beside + SMALL - ringBytesFor(traits);
  expect(Math.max(...Object.values(bytes))).toBeLessThanOrEqual(most);
  expect(together()).toBeLessThanOrEqual(most);
  expect(together()).toBeGreaterThan(most / 2);
  circuit.close();
  close();
});

it('proves the same where there is never room, and sums work in memory of a vector', async () => {
  const none = { load: 0, queries: 0, quotient: 0, msmH: 0, beside: 0 };
  const plan = { ...plans[2], reuse: true, peakBytes: none } as StreamPlan;
  const circuit = await loadStreamedCircuit(
    opened.context,
    made.shape,
    countingReader(params),
    plan,
    {
      subgroupChecked: true,
    },
  );
  const { buffers } = opened.context;
  const take = buffers.take;
  const larger: string[] = [];
  buffers.take = (kind, sizeBytes, label) => {
    const buffer = take(kind, sizeBytes, label);
    if (buffer.size >= sizeBytes + 16) larger.push(label);
    return buffer;
  };
  try {
    const waiting = [1, 0].map((k) => ({
      witness: made.witness,
      blinding: developmentBlinding(k),
    }));
    const [, second] = await proveStreamed(opened.context, circuit, waiting, options);
    const proof = second.status === 'fulfilled' ? toHex(encodeProof(second.value.proof)) : '';
    expect(proof).toBe(made.golden.proof);
    expect(larger.length).toBeGreaterThan(0);
  } finally {
    buffers.take = take;
    circuit.close();
  }
});

describe('a file that is not as it should be', () => {
  const load = (bytes: Buffer, subgroupChecked = false) =>
    loadStreamedCircuit(opened.context, made.shape, countingReader(bytes), plans[0] as StreamPlan, {
      subgroupChecked,
    });

  it('that changed after its check fails the proofs that it would have spoilt', async () => {
    const changed = Buffer.from(params);
    const circuit = await loadStreamedCircuit(
      opened.context,
      made.shape,
      countingReader(changed),
      plans[1] as StreamPlan,
      { subgroupChecked: true },
    );
    changed[sections.a.offset + 96 * 5 + 90] ^= 4;
    const before = bytesInUse(opened.context);
    const waiting = [{ witness: made.witness, blinding: developmentBlinding(0) }];
    await expect(proveStreamed(opened.context, circuit, waiting, options)).rejects.toThrow(
      'section a: not on curve: point 5',
    );
    expect(bytesInUse(opened.context)).toBe(before);
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
    const before = bytesInUse(opened.context);
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
      expect(bytesInUse(opened.context)).toBe(before);
    }
    circuit.close();
  });
});
