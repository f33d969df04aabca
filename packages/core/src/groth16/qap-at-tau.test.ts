import { describe, expect, it } from 'vitest';
import { g1 } from '../curve/g1.ts';
import { fromNobleG1, fromNobleG2, NobleG1Point, NobleG2Point } from '../curve/noble-points.ts';
import type { G1Affine } from '../curve/points.ts';
import { FR_MODULUS } from '../field/fr.ts';
import { createDomain, frDomain } from '../poly/domain.ts';
import { type PackedScalars, readScalar, scalarCount } from '../poly/packed-scalars.ts';
import {
  type CircuitShape,
  CLASS_DICTIONARY,
  CLASS_MINUS_ONE,
  GLOBAL_COLUMN,
  type ShapeSegment,
} from '../r1cs/shape.ts';
import { developmentToxicWaste } from './development-waste.ts';
import { hExponents, keyExponents, type ToxicWaste, verifyingKeyOf } from './key-exponents.ts';
import { memoryReader } from './memory-reader.ts';
import { readG1Points, readG2Points, readParamsFile } from './params-file.ts';
import { evaluateQapAtTau } from './qap-at-tau.ts';
import { fromBeHex, goldenBytes, goldenJson, goldenKeyOf, goldenText } from './testing/golden.ts';
import { shapeOfRows } from './testing/parse-rows.ts';
import { type Cell, matrixOf, writeOutRows } from './testing/write-out.ts';
import { decodeVerifyingKey } from './verifying-key.ts';

const unpack = (scalars: PackedScalars): bigint[] =>
  Array.from({ length: scalarCount(scalars) }, (_, i) => readScalar(scalars, i));
const g1Of = (scalar: bigint): G1Affine => fromNobleG1(NobleG1Point.BASE.multiplyUnsafe(scalar));

const segmentOf = (
  facts: { instances: number; inputs: number; aux: number },
  a: Cell[][],
  b: Cell[][],
  c: Cell[][],
): ShapeSegment => ({
  ...facts,
  rows: a.length,
  a: matrixOf(a),
  b: matrixOf(b),
  c: matrixOf(c),
  elementBitmap: new Uint32Array(1),
  aDensity: new Uint32Array(1),
  bDensity: new Uint32Array(1),
});
const circuitOf = (segments: ShapeSegment[], dictionary: bigint[]): CircuitShape => {
  const sum = (count: (s: ShapeSegment) => number): number =>
    segments.reduce((total, s) => total + s.instances * count(s), 0);
  return {
    circuitId: 'test',
    shapeDigest: '',
    inputs: sum((s) => s.inputs),
    aux: sum((s) => s.aux),
    constraints: sum((s) => s.rows),
    dictionary,
    segments,
    bInputDensity: Uint32Array.of(1),
  };
};

describe('the toy circuit of spec §9.6', () => {
  const domain = createDomain(64513n, 3, 20201n, 5n);
  const waste: ToxicWaste = {
    alpha: 48577n,
    beta: 22580n,
    gamma: 53332n,
    delta: 5481n,
    tau: 3673n,
  };
  // Columns ONE, c, a, b; rows (1−a)·a = 0, (1−b)·b = 0, 2a·b = a + b − c.
  const MINUS = CLASS_MINUS_ONE;
  const shape = circuitOf(
    [
      segmentOf(
        { instances: 1, inputs: 2, aux: 2 },
        [
          [
            [0, 0],
            [2, MINUS],
          ],
          [
            [0, 0],
            [3, MINUS],
          ],
          [[2, 1]],
        ],
        [[[2, 0]], [[3, 0]], [[3, 0]]],
        [
          [],
          [],
          [
            [2, 0],
            [3, 0],
            [1, MINUS],
          ],
        ],
      ),
    ],
    [],
  );
  const qap = evaluateQapAtTau(shape, waste.tau, domain);

  it('has the known QAP', () => {
    expect(unpack(qap.u)).toEqual([59158n, 48317n, 21767n, 10402n]);
    expect(unpack(qap.v)).toEqual([0n, 0n, 60619n, 30791n]);
    expect(unpack(qap.w)).toEqual([0n, 23320n, 41193n, 41193n]);
  });

  it('has the known exponents, and the proof made of them verifies', () => {
    const key = keyExponents(qap, shape.inputs, waste);
    const h = [...hExponents(domain, waste)];
    expect(h).toEqual([58897n, 16592n, 42144n, 28225n, 62547n, 4338n, 63276n]);
    expect(key.ic).toEqual([14034n, 58774n]);
    expect(unpack(key.l)).toEqual([43434n, 18602n]);
    expect(unpack(key.a)).toEqual([59158n, 48317n, 21767n, 10402n]);
    expect(unpack(key.b)).toEqual([60619n, 30791n]);

    const p = domain.modulus;
    const [r, s] = [27134n, 17146n];
    const quotient = [5040n, 11763n, 10755n, 63633n, 128n, 9747n, 8739n];
    const hMsm = quotient.reduce((sum, q, i) => sum + q * h[i], 0n);
    // The assignment is ONE = c = a = 1, b = 0.
    const aSum = readScalar(key.a, 0) + readScalar(key.a, 1) + readScalar(key.a, 2);
    const bSum = readScalar(key.b, 0);
    const { alpha, beta, gamma, delta } = waste;
    const proofA = (alpha + r * delta + aSum) % p;
    const proofB = (beta + s * delta + bSum) % p;
    const proofC =
      (s * (aSum + alpha) + r * (bSum + beta) + r * s * delta + hMsm + readScalar(key.l, 0)) % p;
    expect([proofA, proofB, proofC]).toEqual([3269n, 471n, 8383n]);
    const right = alpha * beta + (key.ic[0] + key.ic[1]) * gamma + proofC * delta;
    expect((proofA * proofB - right) % p).toBe(0n);
  });

  it('fails for a secret without inverse, for tau in the domain, for an unbound variable', () => {
    const setup = (change: Partial<ToxicWaste>) => () =>
      keyExponents(qap, shape.inputs, { ...waste, ...change });
    expect(setup({ gamma: 0n })).toThrow('[SETUP_FAILED] setup: gamma is zero');
    expect(setup({ delta: 64513n })).toThrow('[SETUP_FAILED] setup: delta is zero');
    expect(() => hExponents(domain, { ...waste, delta: 0n }).next()).toThrow('delta is zero');
    expect(() => hExponents(domain, { ...waste, tau: 20201n }).next()).toThrow('in the domain');
    expect(() => evaluateQapAtTau(shape, 20201n, domain)).toThrow(RangeError);
    const [segment] = shape.segments;
    const loose = circuitOf([{ ...segment, aux: 3 }], []);
    const looseQap = evaluateQapAtTau(loose, waste.tau, domain);
    expect(() => keyExponents(looseQap, 2, waste)).toThrow('unconstrained variable, aux 2');
  });
});

describe('a circuit of segments', () => {
  // A preamble with ONE, one input and two aux; then three instances that refer to it and to themselves.
  const preamble = segmentOf(
    { instances: 1, inputs: 2, aux: 2 },
    [
      [
        [0, 0],
        [GLOBAL_COLUMN | 3, 5],
      ],
    ],
    [[[2, CLASS_DICTIONARY, 0]]],
    [[[1, CLASS_MINUS_ONE]]],
  );
  const template = segmentOf(
    { instances: 3, inputs: 1, aux: 2 },
    [
      [
        [GLOBAL_COLUMN, 0],
        [0, 253],
      ],
      [[1, CLASS_DICTIONARY, 1]],
    ],
    [
      [
        [2, 17],
        [2, CLASS_MINUS_ONE],
      ],
      [[GLOBAL_COLUMN | 2, 0]],
    ],
    [[[GLOBAL_COLUMN | 1, 3]], [[0, CLASS_MINUS_ONE]]],
  );
  const dictionary = [FR_MODULUS - 2n, 0x1234567890abcdefn];
  const shape = circuitOf([preamble, template], dictionary);

  const { inputs, aux } = shape;
  const flat = circuitOf(
    [
      segmentOf(
        { instances: 1, inputs, aux },
        writeOutRows(shape, 'a'),
        writeOutRows(shape, 'b'),
        writeOutRows(shape, 'c'),
      ),
    ],
    dictionary,
  );

  it('has the QAP of the same circuit written out in one segment', () => {
    const tau = 987654321n;
    const [segmented, plain] = [evaluateQapAtTau(shape, tau), evaluateQapAtTau(flat, tau)];
    expect(shape.inputs).toBe(5);
    expect(unpack(segmented.u)).toEqual(unpack(plain.u));
    expect(unpack(segmented.v)).toEqual(unpack(plain.v));
    expect(unpack(segmented.w)).toEqual(unpack(plain.w));
    expect(unpack(plain.u).every((value) => value < FR_MODULUS)).toBe(true);
  });

  it('is refused where the segments do not add up', () => {
    expect(() => evaluateQapAtTau({ ...shape, aux: 9 }, 5n)).toThrow('[SHAPE_MALFORMED]');
    const twice = circuitOf([template, template], dictionary);
    expect(() => evaluateQapAtTau(twice, 5n)).toThrow('[SHAPE_MALFORMED]');
  });
});

describe('poseidon2', () => {
  const waste = developmentToxicWaste();
  const shape = shapeOfRows(goldenText('small/poseidon2-rows.txt.gz'), 'poseidon2', 2, 313);
  const qap = evaluateQapAtTau(shape, waste.tau);
  const key = keyExponents(qap, shape.inputs, waste);
  const reader = memoryReader(goldenBytes('small/poseidon2.params'));

  it('has all the points of the golden parameter file', async () => {
    const { vk, sections } = await readParamsFile(reader);
    expect(verifyingKeyOf(waste, key.ic)).toEqual(vk);
    const exponents = {
      h: [...hExponents(qap.domain, waste)],
      l: unpack(key.l),
      a: unpack(key.a),
      bG1: unpack(key.b),
    };
    for (const name of ['h', 'l', 'a', 'bG1'] as const) {
      const points = await readG1Points(reader, sections[name], 0, sections[name].count);
      expect(points).toEqual(exponents[name].map(g1Of));
    }
    const points = await readG2Points(reader, sections.bG2, 0, sections.bG2.count);
    expect(points).toEqual(
      unpack(key.b).map((k) => fromNobleG2(NobleG2Point.BASE.multiplyUnsafe(k))),
    );
  });

  it('has other points when one coefficient changes', () => {
    const [segment] = shape.segments;
    const terms = Uint32Array.from(segment.c.terms);
    terms[0] ^= 1 << 24;
    const altered = { ...shape, segments: [{ ...segment, c: { ...segment.c, terms } }] };
    const { l } = keyExponents(evaluateQapAtTau(altered, waste.tau), shape.inputs, waste);
    expect(unpack(l)).not.toEqual(unpack(key.l));
  });
});

describe.each(['2KiB', '8MiB'])('the golden %s parameters', (size) => {
  interface Sequence {
    count: number;
    first16_be_hex: string[];
  }
  const golden = goldenJson<{ domain: number; exponents_h: Sequence; exponents_ic: Sequence }>(
    `params/${size}-qap-at-tau.json`,
  );
  const waste = developmentToxicWaste();

  it('h begins with the golden exponents', () => {
    const domain = frDomain(Math.log2(golden.domain));
    const h = hExponents(domain, waste);
    const first = Array.from({ length: 16 }, () => h.next().value);
    expect(first).toEqual(golden.exponents_h.first16_be_hex.map(fromBeHex));
  });

  it('the key has the golden secrets and exponents', () => {
    const ic = golden.exponents_ic.first16_be_hex.map(fromBeHex);
    const expected = decodeVerifyingKey(goldenKeyOf(size));
    const vk = verifyingKeyOf(waste, ic);
    expect(vk).toEqual({ ...expected, ic: expected.ic.slice(0, 16) });
    expect(g1.equal(vk.ic[0], expected.ic[1])).toBe(false);
  });
});
