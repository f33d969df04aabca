import { blake2s as nobleBlake2s } from '@noble/hashes/blake2.js';
import { describe, expect, it } from 'vitest';
import { bigintToBe, toHex } from '../bytes.ts';
import { poseidon2Circuit, sha256NodeCircuit } from '../gadgets/small-circuits.ts';
import { bitmapBytes } from './bitmap.ts';
import { compileShape, compileTemplate } from './compile-shape.ts';
import { unknownValue } from './constraint-system.ts';
import { countCircuit } from './counting-collector.ts';
import { expandBitmap } from './density.ts';
import { ShapeCollector, summarizeShape } from './shape-collector.ts';
import { shapeDigestOf } from './shape-digest.ts';
import { TestCollector } from './test-collector.ts';
import { blake2s, goldenJson } from './testing/golden-shape.ts';
import { sampleCircuit } from './testing/sample-circuit.ts';

/** The R1CS hash by the letter of spec §5.3, from the readable rows. */
function plainDigest(instances: number): string {
  const cs = new TestCollector();
  const circuit = sampleCircuit(instances);
  const shared = circuit.preamble(cs);
  for (let i = 0; i < instances; i++) circuit.instance(cs, shared, i);
  const parts: Uint8Array[] = [cs.inputs.length, cs.aux.length, cs.constraints].map((count) =>
    bigintToBe(BigInt(count), 8),
  );
  for (let row = 0; row < cs.constraints; row++) {
    for (const combination of cs.textOfRow(row).match(/\{[^}]*\}/g) ?? []) {
      const terms = combination.slice(1, -1).split(', ').filter(Boolean);
      parts.push(bigintToBe(BigInt(terms.length), 8), ...terms.map(serialiseTerm));
    }
  }
  return toHex(nobleBlake2s(Uint8Array.from(parts.flatMap((part) => [...part]))));
}

const R = 0x73eda753299d7d483339d80809a1d80553bda402fffe5bfeffffffff00000001n;

function serialiseTerm(term: string): Uint8Array {
  const [name, text] = term.split(':');
  const coefficient = text.startsWith('-') ? R + BigInt(text) : BigInt(text);
  const index = name === 'ONE' ? 0n : BigInt(name.slice(1));
  const tag = name.startsWith('w') ? 0x41 : 0x49;
  return Uint8Array.of(tag, ...bigintToBe(index, 8), ...bigintToBe(coefficient, 32));
}

describe('the R1CS hash', () => {
  it.each([0, 1, 4])('with %i instances is what the text says, both ways', (instances) => {
    const circuit = sampleCircuit(instances);
    const expected = plainDigest(instances);
    expect(summarizeShape(circuit, blake2s()).shapeDigest).toBe(expected);
    expect(compileShape(circuit, blake2s()).shapeDigest).toBe(expected);
  });

  it.each([
    ['poseidon2', poseidon2Circuit()],
    ['sha256-node', sha256NodeCircuit()],
  ])('of %s is the golden one', (name, circuit) => {
    const golden = goldenJson<{
      r1cs_hash_blake2s256: string;
      inputs: number;
      constraints: number;
      nonzero_terms: object;
      intermediate: { densities: { a_aux: number; b_aux: number; b_inputs: number } };
    }>(`small/${name}.json`);
    const summary = summarizeShape(circuit, blake2s());
    expect(summary.shapeDigest).toBe(golden.r1cs_hash_blake2s256);
    expect([summary.inputs, summary.constraints]).toEqual([golden.inputs, golden.constraints]);
    expect(summary.nonZeroTerms).toEqual(golden.nonzero_terms);
    expect(compileShape(circuit, blake2s()).shapeDigest).toBe(golden.r1cs_hash_blake2s256);
  });

  it('has checkpoints after every so many rows and after the last', () => {
    const circuit = sampleCircuit(3);
    const { constraints } = countCircuit(circuit);
    const direct: [number, string][] = [];
    const template: [number, string][] = [];
    const into = (list: [number, string][]) => ({
      rows: 8,
      onCheckpoint: (rows: number, running: string) => list.push([rows, running]),
    });
    const { shapeDigest } = summarizeShape(circuit, blake2s(), into(direct));
    shapeDigestOf(compileTemplate(circuit), blake2s(), into(template));
    expect(template).toEqual(direct);
    expect(direct.map(([rows]) => rows)).toEqual([8, 16, constraints]);
    expect(direct.at(-1)?.[1]).toBe(shapeDigest);
  });

  it('refuses a circuit that has not the announced size', () => {
    const totals = { ...countCircuit(sampleCircuit(1)), constraints: 1 };
    const collector = new ShapeCollector(totals, blake2s());
    expect(() => collector.finish()).toThrow(RangeError);
  });
});

describe('a template', () => {
  it('has the densities and kinds of the whole circuit', () => {
    const circuit = sampleCircuit(5);
    const summary = summarizeShape(circuit, blake2s());
    const template = compileTemplate(circuit);
    const { inputs, aux, constraints } = summary;
    expect(template).toMatchObject({ inputs, aux, constraints, circuitId: 'sample-5' });
    expect(expandBitmap(template, 'aDensity')).toEqual(summary.aDensity);
    expect(expandBitmap(template, 'bDensity')).toEqual(summary.bDensity);
    expect(template.bInputDensity).toEqual(summary.bInputDensity);
    const isElement = bitmapBytes(expandBitmap(template, 'elementBitmap'), aux);
    const isBit = bitmapBytes(summary.typedBits, aux);
    for (let k = 0; k < aux; k++) {
      const bit = 1 << (k & 7);
      expect((isElement[k >> 3] & bit) === 0).toBe((isBit[k >> 3] & bit) !== 0);
    }
  });

  it('of one segment stands for a circuit without repetition', () => {
    const template = compileTemplate(poseidon2Circuit());
    expect(template.segments.map(({ instances, rows }) => [instances, rows])).toEqual([[1, 312]]);
  });

  it('is compiled from one instance, whatever their number', () => {
    const few = compileTemplate(sampleCircuit(2));
    const many = compileTemplate(sampleCircuit(1_000_000));
    expect(many.segments[1]).toEqual({ ...few.segments[1], instances: 1_000_000 });
    expect(many.aux - few.aux).toBe(999_998 * few.segments[1].aux);
  });

  it('keeps only coefficients that occur in rows', () => {
    const { dictionary } = compileTemplate(sampleCircuit(1));
    expect(new Set(dictionary).size).toBe(dictionary.length);
    expect(dictionary).not.toContain(1n);
    expect(dictionary).toContain(7n);
  });

  it('asks for no value', () => {
    expect(() =>
      compileTemplate({
        ...poseidon2Circuit(),
        preamble: (cs) => cs.valueOf(cs.allocElement(unknownValue, 'x')),
      }),
    ).toThrow('a value was asked for');
  });
});
