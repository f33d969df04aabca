import { FR_MODULUS, frToBytes } from '@cuzk/core/field/fr';
import { frDomain } from '@cuzk/core/poly/domain';
import { ntt as plainNtt } from '@cuzk/core/poly/ntt';
import type { CompactWitness } from '@cuzk/core/r1cs/compact-witness';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { multipleOfGenerator } from '../curve/generator-multiple.ts';
import type { GpuContext } from '../device/context.ts';
import type { OpenedDevice } from '../device/device.ts';
import { openQuotient } from '../prover/quotient.ts';
import { generatorMultiples } from '../testing/curve-points.ts';
import { withMissingKernel } from '../testing/missing-kernel.ts';
import { playOutOfMemory } from '../testing/out-of-memory.ts';
import { bytesInUse } from '../testing/small-params.ts';
import { openTestDevice } from '../testing/software-device.ts';
import { compileCircuit, makeWitness, one, publicInputs, type Rows } from './circuit.ts';
import { msm, openBases } from './msm.ts';
import { ntt } from './ntt.ts';
import type { Gpu } from './open.ts';
import { openCircuit, prove } from './prove.ts';
import { setup } from './setup.ts';
import { verify } from './verify.ts';

const bytesOf = (values: readonly bigint[]): Uint8Array =>
  Uint8Array.from(values.flatMap((value) => [...frToBytes(value)]));

let opened: OpenedDevice;
let gpu: Gpu;
beforeAll(async () => {
  opened = await openTestDevice();
  gpu = { context: opened.context };
});
afterEach(() => expect(bytesInUse(opened.context)).toBe(0));
afterAll(() => opened.close());

const VALUES = [7n, FR_MODULUS - 1n, 0n, 1n];
const SUM = multipleOfGenerator('g1', 7n + 2n * (FR_MODULUS - 1n) + 4n);
const TRANSFORMED = bytesOf(plainNtt(VALUES, frDomain(2)));

/** Sum and transform of VALUES. */
async function sumOfValues(own = gpu) {
  const bases = openBases(own, 'g1', generatorMultiples('g1', VALUES.length));
  try {
    return await msm(own, bases, bytesOf(VALUES));
  } finally {
    bases.close();
  }
}
const transformOfValues = () => ntt(gpu, bytesOf(VALUES), 'forward');

const bitsRows: Rows = ({ input, bit, element, row }) => {
  const [y, b, x] = [input(() => 3n), bit(() => true), element(() => 3n)];
  row([b], [x], [y]);
};
/** Of a circuit whose parameters were made elsewhere. */
async function proofOfBits(context: GpuContext, params: Uint8Array): Promise<Uint8Array> {
  const shape = compileCircuit('bits', bitsRows);
  const circuit = await openCircuit({ context }, shape, params);
  try {
    return await prove({ context }, circuit, makeWitness(shape, bitsRows));
  } finally {
    circuit.close();
  }
}

const smallest: [string, Rows][] = [
  ['neither rows nor inputs', () => {}],
  ['a public input and no rows', ({ input }) => void input(() => -5n)],
  [
    'no secrets, and a row of zeros',
    ({ input, row }) => {
      const x = input(() => 3n);
      row([], [], []);
      row([x], [x], [[9n, one]]);
    },
  ],
  ['bits only', ({ bit }) => [true, false].forEach((value) => void bit(() => value))],
];

it.each(smallest)('proves a circuit of %s', async (name, rows) => {
  const shape = compileCircuit(name, rows);
  const { params, vk } = await setup(gpu, shape);
  const circuit = await openCircuit(gpu, shape, params);
  const witness = makeWitness(shape, rows);
  const inputs = publicInputs(witness);
  const proof = await prove(gpu, circuit, witness);
  circuit.close();
  expect(verify(vk, inputs, proof)).toBe(true);
  if (inputs.length > 0) expect(verify(vk, [inputs[0] - 1n], proof)).toBe(false);
});

it('refuses a witness that is none, and proves the next one', async () => {
  const rows: Rows = ({ input, bit, element, row }) => {
    const [y, b, x] = [input(() => 3n), bit(() => true), element(() => 3n)];
    row([b], [x], [y]);
  };
  const shape = compileCircuit('chosen', rows);
  const { params, vk } = await setup(gpu, shape);
  const circuit = await openCircuit(gpu, shape, params);
  const good = makeWitness(shape, rows);
  const words = (value: bigint) => new Uint32Array(bytesOf([value]).buffer);
  const beyondR = new Uint32Array(bytesOf([2n ** 254n]).buffer).map((word, i) =>
    i === 7 ? word + 0x34000000 : word,
  );
  const cases: [Partial<CompactWitness>, string][] = [
    [{ inputs: bytesOf([2n, 3n]) }, 'WITNESS_MALFORMED'],
    [{ bitPlane: Uint32Array.of(3) }, 'WITNESS_MALFORMED'],
    [{ bitPlane: Uint32Array.of(5) }, 'WITNESS_MALFORMED'],
    [{ elements: beyondR }, 'WITNESS_MALFORMED'],
    [{ elements: words(2n) }, 'WITNESS_UNSATISFIED'],
    [{ bitPlane: Uint32Array.of(0) }, 'WITNESS_UNSATISFIED'],
    [{ elements: new Uint32Array(16) }, 'WITNESS_MALFORMED'],
    [{ circuitId: 'another' }, 'WITNESS_MALFORMED'],
  ];
  for (const [change, code] of cases) {
    const bad = prove(gpu, circuit, { ...good, ...change });
    await expect(bad, JSON.stringify(change)).rejects.toMatchObject({ code });
  }
  expect(verify(vk, [3n], await prove(gpu, circuit, good))).toBe(true);
  circuit.close();
});

it('adds up nothing, one point and infinities', async () => {
  const cases = [
    { points: [], scalars: [], sum: null },
    { points: generatorMultiples('g1', 1), scalars: [FR_MODULUS - 1n], sum: FR_MODULUS - 1n },
    { points: [null, null], scalars: [5n, 1n], sum: null },
    { points: Array(4).fill(generatorMultiples('g1', 1)[0]), scalars: VALUES, sum: 7n },
  ];
  for (const { points, scalars, sum } of cases) {
    const bases = openBases(gpu, 'g1', points);
    const expected = sum === null ? null : multipleOfGenerator('g1', sum);
    expect(await msm(gpu, bases, bytesOf(scalars))).toEqual(expected);
    bases.close();
  }
});

it('transforms one element to itself, in bytes of its own', async () => {
  const element = Buffer.from(bytesOf([5n]));
  const transformed = await ntt(gpu, element, 'inverse');
  expect(transformed).toEqual(bytesOf([5n]));
  expect(transformed.buffer).not.toBe(element.buffer);
});

it('takes bytes at any offset, and no other arrays', async () => {
  const odd = new Uint8Array(129);
  odd.set(bytesOf(VALUES), 1);
  expect(await ntt(gpu, odd.subarray(1), 'forward')).toEqual(TRANSFORMED);
  expect(await ntt(gpu, Buffer.from(odd).subarray(1), 'forward')).toEqual(TRANSFORMED);
  const words = new Uint32Array(64) as unknown as Uint8Array;
  await expect(ntt(gpu, words, 'forward')).rejects.toThrow('expected a Uint8Array');
  const bases = openBases(gpu, 'g1', [null, null]);
  await expect(msm(gpu, bases, words)).rejects.toThrow('expected a Uint8Array');
  bases.close();
  expect(() => openBases(gpu, 'g1', [undefined as unknown as null])).toThrow(TypeError);
});

it('bases are closed once, and not used again', async () => {
  const first = openBases(gpu, 'g1', generatorMultiples('g1', VALUES.length));
  first.close();
  // the next ones get the same memory
  const second = openBases(gpu, 'g1', generatorMultiples('g1', VALUES.length));
  first.close();
  const third = openBases(
    gpu,
    'g1',
    VALUES.map(() => null),
  );
  expect(await msm(gpu, second, bytesOf(VALUES))).toEqual(SUM);
  await expect(msm(gpu, first, bytesOf(VALUES))).rejects.toThrow('they are closed');
  second.close();
  third.close();
});

it('keeps memory for calls of the last size only', async () => {
  const { buffers } = gpu.context;
  const idleAfter = async (count: number): Promise<number> => {
    const bases = openBases(gpu, 'g1', Array(count).fill(null));
    await msm(gpu, bases, new Uint8Array(32 * count));
    bases.close();
    return buffers.idleBytes;
  };
  const alone = await idleAfter(1000);
  for (const count of [600, 700, 800, 900]) await idleAfter(count);
  expect(await idleAfter(1000)).toBe(alone);
  expect(await idleAfter(1000)).toBe(alone);
});

it('calls at the same time give what they give alone', async () => {
  const rows: Rows = ({ input, element, row }) => {
    const [y, x] = [input(() => 9n), element(() => 3n)];
    row([x], [x], [y]);
  };
  const shape = compileCircuit('square', rows);
  const [one, other] = await Promise.all([setup(gpu, shape), setup(gpu, shape)]);
  const circuits = await Promise.all(
    [one, other].map(({ params }) => openCircuit(gpu, shape, params)),
  );
  const witness = makeWitness(shape, rows);
  const [values, sum, ...proofs] = await Promise.all([
    transformOfValues(),
    sumOfValues(),
    ...[0, 1, 0].map((i) => prove(gpu, circuits[i], witness)),
  ]);
  for (const circuit of circuits) circuit.close();
  expect([values, sum]).toEqual([TRANSFORMED, SUM]);
  expect(proofs.map((proof) => verify(one.vk, [9n], proof))).toEqual([true, false, true]);
  expect(proofs.map((proof) => verify(other.vk, [9n], proof))).toEqual([false, true, false]);
});

const slow = process.env.SLOW === '1';
/** Of so many pipelines of a proof one is left out. */
const PROOF_STEP = slow ? 1 : 16;
if (!slow)
  console.log('a proof without its pipelines: every 16th only, all take two minutes; set SLOW=1');

it.each([
  ['a sum', 1, (context: GpuContext) => sumOfValues({ context })],
  ['a transform', 1, (context: GpuContext) => ntt({ context }, bytesOf(VALUES), 'inverse')],
  [
    'opening a quotient',
    1,
    async (context: GpuContext) => (await openQuotient(context, 2)).close(),
  ],
  ['a proof', PROOF_STEP, proofOfBits],
])('%s without one of its pipelines leaves nothing in use', async (_, step, work) => {
  const { params } = await setup(gpu, compileCircuit('bits', bitsRows));
  const whole = withMissingKernel(opened.context, Number.POSITIVE_INFINITY);
  await work(whole.context, params);
  expect(whole.asked()).toBeGreaterThan(2);
  for (let missing = 0; missing < whole.asked(); missing += step) {
    const { context } = withMissingKernel(opened.context, missing);
    await expect(work(context, params)).rejects.toThrow('no pipeline');
    expect(bytesInUse(opened.context), `kernel ${missing}`).toBe(0);
  }
});

describe('a device that refuses something', () => {
  const outOfMemory = { code: 'GPU_OUT_OF_MEMORY' };

  it('to its owner does not spoil calls', async () => {
    const { device } = gpu.context;
    device.createBuffer({ size: 16, usage: GPUBufferUsage.MAP_READ | GPUBufferUsage.STORAGE });
    await device.queue.onSubmittedWorkDone();
    expect(await sumOfValues()).toEqual(SUM);
    device.createBuffer({ size: 16, usage: GPUBufferUsage.MAP_READ | GPUBufferUsage.STORAGE });
    await device.queue.onSubmittedWorkDone();
    expect(await transformOfValues()).toEqual(TRANSFORMED);
  });

  it('to a call fails that call and those beside it, and none after', async () => {
    const { news, device } = gpu.context;
    news.onSubmitDone = () => {
      news.onSubmitDone = undefined;
      playOutOfMemory(device);
    };
    const calls = [sumOfValues(), transformOfValues(), sumOfValues()];
    const results = await Promise.allSettled(calls);
    expect(results.map(({ status }) => status)).toEqual(Array(3).fill('rejected'));
    await expect(calls[0]).rejects.toMatchObject(outOfMemory);
    expect(await Promise.all([sumOfValues(), transformOfValues()])).toEqual([SUM, TRANSFORMED]);
  });

  it('to bases fails sums with them, and no others', async () => {
    const { context } = gpu;
    const tooLarge = 2 * context.device.limits.maxBufferSize;
    const take: typeof context.buffers.take = (kind, _, label) =>
      context.buffers.take(kind, tooLarge, label);
    const buffers = Object.assign(Object.create(context.buffers), { take });
    const bases = openBases({ context: { ...context, buffers } }, 'g1', [null]);
    await expect(bases.accepted).rejects.toMatchObject({ code: 'INTERNAL' });
    await expect(msm(gpu, bases, bytesOf([1n]))).rejects.toMatchObject({ code: 'INTERNAL' });
    expect(await sumOfValues()).toEqual(SUM);
    bases.close();
    context.buffers.trim();
  });
});

it('calls of a device that is lost say so, those under way and those after, and leave nothing in use', async () => {
  const own = await openTestDevice();
  const { context } = own;
  const bases = openBases({ context }, 'g1', generatorMultiples('g1', VALUES.length));
  context.news.onSubmitDone = () => context.device.destroy();
  for (let call = 0; call < 2; call++) {
    const sum = msm({ context }, bases, bytesOf(VALUES));
    await expect(sum).rejects.toMatchObject({ code: 'GPU_DEVICE_LOST' });
    const transform = ntt({ context }, bytesOf(VALUES), 'inverse');
    await expect(transform).rejects.toMatchObject({ code: 'GPU_DEVICE_LOST' });
  }
  bases.close();
  expect(bytesInUse(context)).toBe(0);
  own.close();
});
