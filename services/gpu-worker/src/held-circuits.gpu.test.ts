import { mkdtempSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { readdir, readlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { bigintFromLe } from '@cuzk/core/bytes';
import type { CuzkError } from '@cuzk/core/errors';
import { developmentBlinding } from '@cuzk/core/groth16/development-waste';
import { layOutParams, paramsCountsOf } from '@cuzk/core/groth16/params-layout';
import { prepareVerifyingKey, verifyProof } from '@cuzk/core/groth16/verify';
import type { GpuContext } from '@cuzk/gpu/device/context';
import type { OpenedDevice } from '@cuzk/gpu/device/device';
import { provePartition } from '@cuzk/gpu/prover/prover';
import type { ProvingCircuit } from '@cuzk/gpu/prover/proving-circuit';
import { playOutOfMemory } from '@cuzk/gpu/testing/out-of-memory';
import { makeSmall } from '@cuzk/gpu/testing/sample-circuits';
import { bytesInUse, makeParamsFile } from '@cuzk/gpu/testing/small-params';
import { openTestDevice } from '@cuzk/gpu/testing/software-device';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { HeldCircuits } from './held-circuits.ts';

const made = makeSmall('poseidon2');
const { sections } = layOutParams(paramsCountsOf(made.shape));
const folder = mkdtempSync(join(tmpdir(), 'cuzk-held-'));
const paramsPath = join(folder, 'small.params');
const NAMED = { name: 'small', sectorBytes: 2048 };
const SOURCE = { kind: 'file', paramsPath, subgroupChecked: false } as const;
const noNews = (): void => {};

let sound: Buffer;
let opened: OpenedDevice;
beforeAll(async () => {
  opened = await openTestDevice();
  sound = await makeParamsFile(opened.context, made.shape);
  writeFileSync(paramsPath, sound);
});
afterEach(() => writeFileSync(paramsPath, sound));
afterAll(() => {
  opened.close();
  rmSync(folder, { recursive: true, force: true });
});

/** Descriptors of this process on the parameter file. */
async function openHandles(): Promise<number> {
  const targets = await Promise.all(
    (await readdir('/proc/self/fd')).map((fd) => readlink(`/proc/self/fd/${fd}`).catch(() => '')),
  );
  return targets.filter((target) => target === paramsPath).length;
}

/** Proves with what is held, and asks the verifier. */
async function provesWell(context: GpuContext, circuits: HeldCircuits): Promise<boolean> {
  const held = circuits.use(NAMED.sectorBytes);
  const circuit = held.circuit as ProvingCircuit;
  const { proof } = await provePartition(context, circuit, made.witness, developmentBlinding(0), {
    checkWitness: true,
  });
  held.done();
  const publicInputs = [bigintFromLe(made.witness.inputs.subarray(32, 64))];
  return verifyProof(prepareVerifyingKey(circuit.vk), publicInputs, proof);
}

describe('a load that fails', () => {
  it('leaves no circuit, no memory and no open file behind, and the next one is good', async () => {
    const circuits = new HeldCircuits();
    const load = (onBytes = noNews) =>
      circuits.load(opened.context, NAMED, made.shape, SOURCE, null, onBytes);
    const refusal = () =>
      load().then(
        () => 'loaded',
        (error: CuzkError) => error.message,
      );
    const nothingLeft = async () => {
      expect(() => circuits.use(NAMED.sectorBytes)).toThrow('GPU_UNAVAILABLE');
      expect([circuits.states(), bytesInUse(opened.context)]).toEqual([[], 0]);
      expect(await openHandles()).toBe(0);
    };
    writeFileSync(paramsPath, sound.subarray(0, sound.length - 1));
    expect(await refusal()).toContain('section bG2: truncated');
    await nothingLeft();
    const flipped = Buffer.from(sound);
    flipped[sections.bG2.offset + 3 * 192 + 100] ^= 1;
    writeFileSync(paramsPath, flipped);
    expect(await refusal()).toContain('section bG2: not on curve: point 3');
    await nothingLeft();
    writeFileSync(paramsPath, sound);
    // cut off behind the layout's back: it was whole when the load began
    let cut = false;
    const cutting = () => {
      if (!cut) truncateSync(paramsPath, sections.bG1.offset + 1000);
      cut = true;
    };
    await expect(load(cutting)).rejects.toThrow(/section bG1: truncated/);
    await nothingLeft();
    writeFileSync(paramsPath, sound);
    await load();
    expect(await provesWell(opened.context, circuits)).toBe(true);
    await circuits.evict(NAMED.sectorBytes);
    await nothingLeft();
  });

  it('for want of memory has begun nothing, and says the bytes needed and found', async () => {
    const circuits = new HeldCircuits();
    const budget = { bytes: 100_000, source: 'GPU_MEMORY_LIMIT=100000' };
    const before = [opened.context.buffers.peakBytes, await openHandles()];
    const error = await circuits
      .load(opened.context, NAMED, made.shape, SOURCE, budget, noNews)
      .catch((e: CuzkError) => e);
    expect(error).toMatchObject({
      code: 'GPU_OUT_OF_MEMORY',
      facts: {
        expected: expect.stringMatching(/^\d+ bytes; \d+ to hold all parameters$/),
        found: '100000 bytes: GPU_MEMORY_LIMIT=100000',
      },
    });
    expect(circuits.states()).toEqual([]);
    expect([opened.context.buffers.peakBytes, await openHandles()]).toEqual(before);
  });
});

it('a clock that is set ahead makes no circuit idle', async () => {
  const circuits = new HeldCircuits();
  await circuits.load(opened.context, NAMED, made.shape, SOURCE, null, noNews);
  vi.setSystemTime(Date.now() + 3_600_000);
  const [state] = circuits.states();
  vi.useRealTimers();
  expect(state?.idleSeconds).toBeLessThan(60);
  await circuits.evict(NAMED.sectorBytes);
});

it('a device that has less memory than it seemed ends the load, and nothing is held', async () => {
  const circuits = new HeldCircuits();
  // as a card says it whose memory another process took
  const outOfMemory = (): void => playOutOfMemory(opened.context.device);
  const load = circuits.load(opened.context, NAMED, made.shape, SOURCE, null, outOfMemory);
  await expect(load).rejects.toMatchObject({ code: 'GPU_OUT_OF_MEMORY' });
  expect([circuits.states(), bytesInUse(opened.context)]).toEqual([[], 0]);
  expect(await openHandles()).toBe(0);
});

describe('a device lost in the middle of a load', () => {
  // at the first bytes, in the third of five sections, and with the last bytes of the file
  it.each([0, 0.6, 1])('at %d of the file ends it, and another device loads it', async (share) => {
    const dying = await openTestDevice();
    const circuits = new HeldCircuits();
    let reached = false;
    await expect(
      circuits.load(dying.context, NAMED, made.shape, SOURCE, null, (done, total) => {
        if (reached || done < share * total * 0.99) return;
        reached = true;
        dying.context.device.destroy();
      }),
    ).rejects.toThrow();
    expect(reached).toBe(true);
    expect(await dying.lost).toContain('destroyed');
    expect([circuits.states(), bytesInUse(dying.context)]).toEqual([[], 0]);
    expect(await openHandles()).toBe(0);
    await circuits.load(opened.context, NAMED, made.shape, SOURCE, null, noNews);
    expect(await provesWell(opened.context, circuits)).toBe(true);
    await circuits.evict(NAMED.sectorBytes);
    expect(bytesInUse(opened.context)).toBe(0);
    expect(readFileSync(paramsPath).equals(sound)).toBe(true);
  });
});

it('a circuit asked for twice is loaded once', async () => {
  const circuits = new HeldCircuits();
  const load = () => circuits.load(opened.context, NAMED, made.shape, SOURCE, null, noNews);
  const first = await load();
  const bytes = bytesInUse(opened.context);
  const second = await load();
  expect([second.held.circuit === first.held.circuit, second.evicted]).toEqual([true, []]);
  expect(bytesInUse(opened.context)).toBe(bytes);
  await circuits.evict(NAMED.sectorBytes);
  expect(bytesInUse(opened.context)).toBe(0);
});
