import { FR_MODULUS, frAdd, frInvert, frMul, frPow, frRootOfUnity } from '@cuzk/core/field/fr';
import { developmentToxicWaste } from '@cuzk/core/groth16/development-waste';
import { hExponents, keyExponents } from '@cuzk/core/groth16/key-exponents';
import { evaluateQapAtTau } from '@cuzk/core/groth16/qap-at-tau';
import { matrixOf } from '@cuzk/core/groth16/testing/write-out';
import { scalarBytes } from '@cuzk/core/poly/packed-scalars';
import { reverseBits } from '@cuzk/core/poly/reverse-bits';
import type { CircuitShape } from '@cuzk/core/r1cs/shape';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { FieldVariants } from '../device/context.ts';
import type { OpenedDevice } from '../device/device.ts';
import { elementBytes } from '../testing/fr-values.ts';
import { readPieces } from '../testing/read-scalars.ts';
import { makeSample, makeSmall } from '../testing/sample-circuits.ts';
import { openTestDevice } from '../testing/software-device.ts';
import { type ExponentOptions, openDeviceExponents } from './exponents-on-device.ts';

const waste = developmentToxicWaste();
const VARIANTS: FieldVariants[] = [
  { fp: 'signed24', fr: 'signed24' },
  { fp: 'signed13', fr: 'karatsuba13' },
];

describe.each(VARIANTS)('exponents with $fr', (variants) => {
  let opened: OpenedDevice;
  beforeAll(async () => {
    opened = await openTestDevice({ variants });
  });
  afterAll(() => opened.close());

  const CASES: { name: string; shape: CircuitShape; options: ExponentOptions }[] = [
    { name: 'a sample', shape: makeSample(7, 5).shape, options: {} },
    {
      name: 'a sample in small pieces',
      shape: makeSample(40, 5).shape,
      options: { pieceColumns: 32, segmentLength: 64, mostTerms: 3, mostPartials: 50 },
    },
    {
      name: 'poseidon2 in pieces',
      shape: makeSmall('poseidon2').shape,
      options: { pieceColumns: 128, segmentLength: 64 },
    },
  ];

  it.each(CASES)('of $name are those of the host', async ({ shape, options }) => {
    const { context } = opened;
    const qap = evaluateQapAtTau(shape, waste.tau);
    const plain = keyExponents(qap, shape.inputs, waste);
    const found = await openDeviceExponents(context, shape, waste, options);
    expect(found.ic).toEqual(plain.ic);
    for (const name of ['l', 'a', 'b'] as const) {
      const { bytes, counts } = await readPieces(context, found[name]());
      expect(Buffer.from(bytes).equals(scalarBytes(plain[name])), name).toBe(true);
      expect(bytes.length / 32).toBe(found.counts[name]);
      if (options.pieceColumns !== undefined)
        expect(Math.max(...counts)).toBeLessThanOrEqual(options.pieceColumns);
    }
    const { size, logN } = qap.domain;
    const h = [...hExponents(qap.domain, waste)];
    expect((await readPieces(context, found.h('natural'))).bytes).toEqual(elementBytes(h));
    const reversed = Array.from({ length: size }, (_, p) => h[reverseBits(p, logN)] ?? 0n);
    expect((await readPieces(context, found.h('bit-reversed'))).bytes).toEqual(
      elementBytes(reversed),
    );
    found.close();
    expect(Object.values(context.buffers.bytesInUse).every((bytes) => bytes === 0)).toBe(true);
  });
});

describe('a setup that cannot be', () => {
  let opened: OpenedDevice;
  beforeAll(async () => {
    opened = await openTestDevice();
  });
  afterAll(() => opened.close());
  const nothingInUse = (): void => {
    const { bytesInUse } = opened.context.buffers;
    expect(Object.values(bytesInUse).every((bytes) => bytes === 0)).toBe(true);
  };
  const { shape } = makeSample(3, 1);

  it.each(['gamma', 'delta'] as const)('is refused for %s = 0', async (name) => {
    const zero = { ...waste, [name]: name === 'delta' ? FR_MODULUS : 0n };
    await expect(openDeviceExponents(opened.context, shape, zero)).rejects.toThrow(
      `[SETUP_FAILED] setup: ${name} is zero`,
    );
    nothingInUse();
  });

  it('is refused for segments that do not add up', async () => {
    const odd = { ...shape, aux: shape.aux + 1 };
    await expect(openDeviceExponents(opened.context, odd, waste)).rejects.toThrow(
      '[SHAPE_MALFORMED]',
    );
    nothingInUse();
  });

  it('is refused for an aux variable in no constraint, which is named', async () => {
    const [first, template] = shape.segments;
    const loose = {
      ...shape,
      aux: shape.aux + template.instances,
      segments: [first, { ...template, aux: template.aux + 1 }],
    };
    const exponents = await openDeviceExponents(opened.context, loose, waste);
    const at = first.aux + template.aux;
    await expect(readPieces(opened.context, exponents.l())).rejects.toThrow(
      `[SETUP_FAILED] setup: unconstrained variable, aux ${at}`,
    );
    exponents.close();
    nothingInUse();
  });

  /** Aux 0 stands in rows 0 (once) and 1 (twice) of each matrix; ONE in row 2. */
  const two = (columns: 'a' | 'b'): CircuitShape => {
    const sparse = matrixOf([[[1, 0]], [[1, 1]], [[0, 0]]]);
    const bound = matrixOf([[[1, 3]], [], [[0, 0]]]);
    const bits = Uint32Array.of(1);
    return {
      circuitId: 'two',
      shapeDigest: '',
      inputs: 1,
      aux: 1,
      constraints: 3,
      dictionary: [],
      bInputDensity: bits,
      segments: [
        {
          instances: 1,
          rows: 3,
          inputs: 1,
          aux: 1,
          a: columns === 'a' ? sparse : bound,
          b: columns === 'b' ? sparse : bound,
          c: bound,
          elementBitmap: new Uint32Array(1),
          aDensity: bits,
          bDensity: bits,
        },
      ],
    };
  };
  /** L_0 + 2·L_1 is zero where (τ − w) + 2w(τ − 1) is. */
  const w = frRootOfUnity(2);
  const vanishingTau = frMul(frMul(3n, w), frInvert(frAdd(1n, frMul(2n, w))));

  it.each(['a', 'b'] as const)('is refused where a polynomial of %s vanishes', async (name) => {
    const circuit = two(name);
    const other = name === 'a' ? 'b' : 'a';
    expect(frPow(vanishingTau, 4n)).not.toBe(1n);
    const bad = { ...waste, tau: vanishingTau };
    // the plain twin has one exponent too few
    const plain = keyExponents(evaluateQapAtTau(circuit, bad.tau), 1, bad);
    expect([plain[name].length, plain[other].length]).toEqual([4, 8]);
    const exponents = await openDeviceExponents(opened.context, circuit, bad);
    await expect(readPieces(opened.context, exponents[name]())).rejects.toMatchObject({
      code: 'SETUP_FAILED',
      message: expect.stringContaining(`a polynomial of ${name} vanishes at tau`),
    });
    await readPieces(opened.context, exponents[other]());
    exponents.close();
    nothingInUse();
  });

  it('is refused where the density leaves out a column', async () => {
    const [segment] = two('a').segments;
    const circuit = { ...two('a'), segments: [{ ...segment, aDensity: new Uint32Array(1) }] };
    const exponents = await openDeviceExponents(opened.context, circuit, waste);
    await expect(readPieces(opened.context, exponents.a())).rejects.toThrow('SETUP_FAILED');
    exponents.close();
  });

  it('gives its buffers back when the reader stops early, and when it is cancelled', async () => {
    const abort = new AbortController();
    const options = { pieceColumns: 32, signal: abort.signal };
    const exponents = await openDeviceExponents(opened.context, shape, waste, options);
    for await (const { count } of exponents.l()) {
      expect(count).toBe(Math.min(32, shape.aux));
      break;
    }
    abort.abort();
    for (const pieces of [exponents.h('natural'), exponents.l(), exponents.a(), exponents.b()]) {
      await expect(readPieces(opened.context, pieces)).rejects.toMatchObject({
        code: 'CANCELLED',
      });
    }
    exponents.close();
    nothingInUse();
  });
});
