import { readdirSync, readFileSync } from 'node:fs';
import { FR_MODULUS, frToBytes } from '@cuzk/core/field/fr';
import { frDomain } from '@cuzk/core/poly/domain';
import { ntt as plainNtt } from '@cuzk/core/poly/ntt';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { multipleOfGenerator } from '../curve/generator-multiple.ts';
import type { OpenedDevice } from '../device/device.ts';
import { generatorMultiples, scalarStream } from '../testing/curve-points.ts';
import { openTestDevice } from '../testing/software-device.ts';
import { type Circuit, compileCircuit, makeWitness, one, publicInputs } from './circuit.ts';
import { msm, openBases } from './msm.ts';
import { ntt } from './ntt.ts';
import { type Gpu, openGpu } from './open.ts';
import { openCircuit, prove } from './prove.ts';
import { setup } from './setup.ts';
import { verify } from './verify.ts';

const folder = new URL('../../kernels/', import.meta.url);
const kernels = Object.fromEntries(
  readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.wgsl'))
    .map((path) => [path, readFileSync(new URL(path, folder), 'utf8')]),
);
const bytesOf = (values: readonly bigint[]): Uint8Array =>
  Uint8Array.from(values.flatMap((value) => [...frToBytes(value)]));

/** A bit b and a secret x with b·x = y and x·x = z. */
const product =
  (b: boolean, x: bigint, z = x * x) =>
  ({ input, element, bit, row }: Circuit): void => {
    const [y, square] = [input(() => (b ? x : 0n)), input(() => z)];
    const [first, second] = [bit(() => b), element(() => x)];
    row([first], [second], [y]);
    row([one], [[2n, second]], [second, second]);
    row([second], [[1n, second]], [square]);
  };

describe('the library on a device with WebGPU default limits', () => {
  let opened: OpenedDevice;
  let gpu: Gpu;
  beforeAll(async () => {
    opened = await openTestDevice({ defaultLimits: true });
    gpu = await openGpu(opened.context.device, kernels);
  });
  afterAll(() => opened.close());

  it('adds multiples of points', async () => {
    const next = scalarStream(3);
    const scalars = Array.from({ length: 100 }, (_, i) => (i === 7 ? FR_MODULUS - 1n : next()));
    const bases = openBases(gpu, 'g1', generatorMultiples('g1', 100));
    const expected = scalars.reduce((sum, s, i) => sum + s * BigInt(i + 1), 0n);
    expect(await msm(gpu, bases, bytesOf(scalars))).toEqual(multipleOfGenerator('g1', expected));
    await expect(msm(gpu, bases, bytesOf(scalars.slice(1)))).rejects.toThrow(RangeError);
    const tooLarge = bytesOf(scalars);
    tooLarge.set(bytesOf([FR_MODULUS - 1n]));
    tooLarge[0] = 1;
    await expect(msm(gpu, bases, tooLarge)).rejects.toThrow('element 0 is not');
    bases.close();
  });

  it.each([1, 5, 12])('transforms 2^%i elements and back', async (logN) => {
    const next = scalarStream(logN);
    const values = Array.from({ length: 2 ** logN }, next);
    const transformed = await ntt(gpu, bytesOf(values), 'forward');
    expect(transformed).toEqual(bytesOf(plainNtt(values, frDomain(logN))));
    expect(await ntt(gpu, transformed, 'inverse')).toEqual(bytesOf(values));
    await expect(ntt(gpu, new Uint8Array(96), 'forward')).rejects.toThrow(RangeError);
  });

  it('makes parameters, proves and verifies a circuit of its user', async () => {
    const shape = compileCircuit('product', product(false, 0n));
    const { params, vk } = await setup(gpu, shape);
    const circuit = await openCircuit(gpu, shape, params);
    const witness = makeWitness(shape, product(true, 11n));
    expect(publicInputs(witness)).toEqual([11n, 121n]);
    const proof = await prove(gpu, circuit, witness);
    expect(verify(vk, [11n, 121n], proof)).toBe(true);
    expect(verify(vk, [0n, 121n], proof)).toBe(false);
    expect(() => makeWitness(shape, product(true, 11n, 120n))).toThrow('WITNESS_UNSATISFIED');
    expect((await setup(gpu, shape)).vk).not.toEqual(vk);
    circuit.close();
  });

  it('names a kernel that is missing', async () => {
    const { 'field/probe-rounding.wgsl': _, ...rest } = kernels;
    await expect(openGpu(opened.context.device, rest)).rejects.toThrow('field/probe-rounding.wgsl');
  });
});
