import { toHex } from '@cuzk/core/bytes';
import { developmentBlinding, developmentToxicWaste } from '@cuzk/core/groth16/development-waste';
import { memoryReader } from '@cuzk/core/groth16/memory-reader';
import { encodeProof } from '@cuzk/core/groth16/proof';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type CurveGroup, type PointSegments, readPoints } from '../curve/point-segments.ts';
import type { OpenedDevice } from '../device/device.ts';
import { seededWords } from '../field/seeded-words.ts';
import { provePartition } from '../prover/prover.ts';
import { type DeviceSrs, loadCircuit } from '../prover/proving-circuit.ts';
import { makeSample, makeSmall } from '../testing/sample-circuits.ts';
import { openTestDevice } from '../testing/software-device.ts';
import { spotCheckSrs } from '../testing/spot-check-srs.ts';
import { generateSrs } from './generate-srs.ts';
import { makeParamsInMemory } from './params-in-memory.ts';

const waste = developmentToxicWaste();
/** Every limit is met several times over. */
const SMALL = { pieceColumns: 64, segmentLength: 128, mostTerms: 16, mostPartials: 64 };

describe('a generated SRS', () => {
  let opened: OpenedDevice;
  beforeAll(async () => {
    opened = await openTestDevice();
  });
  afterAll(() => opened.close());
  const nothingInUse = (): boolean =>
    Object.values(opened.context.buffers.bytesInUse).every((bytes) => bytes === 0);

  it('is the one in the parameter file, in every vector and tail', async () => {
    const { context } = opened;
    const { shape } = makeSample(6, 4);
    const { params } = await makeParamsInMemory(context, shape, waste);
    const loaded = await loadCircuit(context, shape, memoryReader(params));
    const progress: [number, number][] = [];
    const generated = await generateSrs(context, shape, waste, {
      ...SMALL,
      pieceColumns: 32,
      onPoints: (done, total) => progress.push([done, total]),
    });
    expect(generated.vk).toEqual(loaded.vk);
    expect(generated.srs.tailCount).toBe(loaded.srs.tailCount);
    const read = (points: PointSegments<CurveGroup>) =>
      readPoints(context, points, 0, points.count);
    for (const name of ['h', 'l', 'a', 'bG1', 'bG2'] as const) {
      for (const pick of pointsOf(name)) {
        const [expected, found] = [pick(loaded.srs), pick(generated.srs)];
        expect(found.count).toBe(expected.count);
        expect(await read(found)).toEqual(await read(expected));
      }
    }
    const [done, total] = progress[progress.length - 1];
    expect(done).toBe(total);
    expect(progress.length).toBeGreaterThan(5);
    loaded.close();
    generated.close();
    expect(nothingInUse()).toBe(true);
  });

  it.each(['poseidon2', 'sha256-node'] as const)('proves %s to the golden bytes', async (name) => {
    const { context } = opened;
    const made = makeSmall(name);
    const circuit = await generateSrs(context, made.shape, waste, {
      ...SMALL,
      pieceColumns: 2 ** 13,
      segmentLength: 256,
    });
    const { proof } = await provePartition(context, circuit, made.witness, developmentBlinding(0), {
      checkWitness: true,
    });
    expect(toHex(encodeProof(proof))).toBe(made.golden.proof);
    const words = seededWords(name.length);
    const options = { each: 5, mostTerms: 200, below: (n: number) => words() % n };
    const { checked, wrong } = await spotCheckSrs(context, circuit, waste, options);
    expect(checked).toBeGreaterThan(20);
    expect(wrong).toEqual([]);
    // δ is in l and h alone
    const other = { ...waste, delta: waste.delta + 1n };
    const bad = await spotCheckSrs(context, circuit, other, options);
    expect(bad.wrong.every((point) => /^(h|l|tail of l) /.test(point))).toBe(true);
    expect(bad.wrong.length).toBeGreaterThan(0);
    circuit.close();
    expect(nothingInUse()).toBe(true);
  });

  it('leaves nothing behind when it is cancelled or refused halfway', async () => {
    const { context } = opened;
    const { shape } = makeSample(6, 4);
    const abort = new AbortController();
    const cancelled = generateSrs(context, shape, waste, {
      ...SMALL,
      signal: abort.signal,
      onPoints: (done, total) => {
        if (done > total / 2) abort.abort();
      },
    });
    await expect(cancelled).rejects.toMatchObject({ code: 'CANCELLED' });
    expect(nothingInUse()).toBe(true);
    const [first, template] = shape.segments;
    const loose = {
      ...shape,
      aux: shape.aux + template.instances,
      segments: [
        first,
        {
          ...template,
          aux: template.aux + 1,
          elementBitmap: Uint32Array.of(...template.elementBitmap, 0),
        },
      ],
    };
    await expect(generateSrs(context, loose, waste, SMALL)).rejects.toMatchObject({
      code: 'SETUP_FAILED',
    });
    expect(nothingInUse()).toBe(true);
  });
});

type Pick = (srs: DeviceSrs) => PointSegments<CurveGroup>;

const pointsOf = (name: 'h' | 'l' | 'a' | 'bG1' | 'bG2'): Pick[] =>
  name === 'h' ? [(srs) => srs.h] : [(srs) => srs[name].selected.points, (srs) => srs[name].tail];
