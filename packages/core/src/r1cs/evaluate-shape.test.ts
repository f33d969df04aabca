import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { bigintFromLe, fromHex, toHex } from '../bytes.ts';
import type { CuzkError } from '../errors.ts';
import { FR_MODULUS, frToBytes } from '../field/fr.ts';
import { poseidon2Circuit, sha256NodeCircuit } from '../gadgets/small-circuits.ts';
import { hasBit } from './bitmap.ts';
import { compactAssignment } from './compact-assignment.ts';
import type { CompactWitness } from './compact-witness.ts';
import { compileShape } from './compile-shape.ts';
import type { SegmentedCircuit } from './constraint-system.ts';
import { ElementWriter } from './element-writer.ts';
import { evaluateShape, firstUnsatisfiedRow } from './evaluate-shape.ts';
import { type CircuitShape, domainRows } from './shape.ts';
import { blake2s, goldenJson } from './testing/golden-shape.ts';
import { sampleCircuit } from './testing/sample-circuit.ts';
import { type ReferenceWitness, referenceWitness } from './witness-collector.ts';

interface Made {
  readonly shape: CircuitShape;
  readonly reference: ReferenceWitness;
  readonly witness: CompactWitness;
}

function make<Shared>(circuit: SegmentedCircuit<Shared>): Made {
  const shape = compileShape(circuit, blake2s());
  const reference = referenceWitness(circuit);
  return { shape, reference, witness: compactAssignment(shape, reference.inputs, reference.aux) };
}

function evaluate({ shape, witness }: Made, blockRows?: number): Record<'a' | 'b' | 'c', string[]> {
  const rows = { a: [] as string[], b: [] as string[], c: [] as string[] };
  evaluateShape(
    shape,
    witness,
    (block) => {
      expect(block.firstRow).toBe(rows.a.length);
      for (const matrix of ['a', 'b', 'c'] as const) {
        for (let i = 0; i < block.rows; i++) {
          rows[matrix].push(toHex(block[matrix].subarray(32 * i, 32 * i + 32)));
        }
      }
    },
    blockRows,
  );
  return rows;
}

const hexOf = (values: readonly bigint[]): string[] =>
  values.map((value) => toHex(frToBytes(value)));

interface GoldenSmall {
  readonly a_le: string;
  readonly b_le: string;
  readonly aux: { sha256: string };
  readonly row_values: Record<'a' | 'b' | 'c', { count: number; sha256: string }>;
  readonly row_values_le?: Record<'a' | 'b' | 'c', string[]>;
}

describe.each([
  ['poseidon2', poseidon2Circuit],
  ['sha256-node', sha256NodeCircuit],
] as const)('%s with the golden values', (name, circuitOf) => {
  const golden = goldenJson<GoldenSmall>(`small/${name}.json`);
  const secret = { a: bigintFromLe(fromHex(golden.a_le)), b: bigintFromLe(fromHex(golden.b_le)) };
  const made = make(circuitOf(secret));

  it('has the golden assignment', () => {
    const hash = createHash('sha256');
    for (const value of made.reference.aux) hash.update(frToBytes(value));
    expect(hash.digest('hex')).toBe(golden.aux.sha256);
  });

  it('has the golden rows', () => {
    const rows = evaluate(made);
    for (const matrix of ['a', 'b', 'c'] as const) {
      const { count, sha256 } = golden.row_values[matrix];
      expect(rows[matrix].length).toBe(count);
      const hash = createHash('sha256').update(fromHex(rows[matrix].join('')));
      expect(hash.digest('hex')).toBe(sha256);
      if (golden.row_values_le) expect(rows[matrix]).toEqual(golden.row_values_le[matrix]);
    }
    expect(firstUnsatisfiedRow(made.shape, made.witness)).toBeUndefined();
  });
});

describe.each([1, 2, 5, 6])('the sample circuit with seed %i', (seed) => {
  const made = make(sampleCircuit(4, seed));

  it.each([1, 7, 1000])('equals the reference collector in blocks of %i rows', (blockRows) => {
    const rows = evaluate(made, blockRows);
    expect(rows.a.length).toBe(domainRows(made.shape));
    expect(rows.a).toEqual(hexOf(made.reference.rows.a));
    expect(rows.b).toEqual(hexOf(made.reference.rows.b));
    expect(rows.c).toEqual(hexOf(made.reference.rows.c));
  });

  it('is satisfied', () => {
    expect(made.reference.firstUnsatisfiedRow).toBe(-1);
    expect(firstUnsatisfiedRow(made.shape, made.witness)).toBeUndefined();
  });

  it('with a wrong element is unsatisfied at the first row that reads it', () => {
    const elements = made.witness.elements.slice();
    // Element 0 is the preamble's, then three for each instance: this is `own` of instance 2.
    elements[8 * 7] ^= 1;
    expect(firstUnsatisfiedRow(made.shape, { ...made.witness, elements })).toEqual({
      row: 1 + 2 * 6,
      segment: 1,
      instance: 2,
      localRow: 0,
    });
  });
});

it('the bit-level check agrees with the reference on every flipped bit of a SHA-256 node', () => {
  const made = make(sha256NodeCircuit({ a: 5n, b: 6n }));
  for (let k = 300; k < made.shape.aux; k += 3001) {
    if (hasBit(made.shape.segments[0].elementBitmap, k)) continue;
    const bitPlane = made.witness.bitPlane.slice();
    bitPlane[k >>> 5] ^= 1 << (k & 31);
    expect(firstUnsatisfiedRow(made.shape, { ...made.witness, bitPlane })).toBeDefined();
  }
});

describe('a witness of another size', () => {
  const { shape, witness } = make(sampleCircuit(2));
  it.each([
    ['inputs', { ...witness, inputs: witness.inputs.subarray(32) }],
    ['bitPlane', { ...witness, bitPlane: new Uint32Array(0) }],
    ['elements', { ...witness, elements: new Uint32Array(witness.elements.length + 8) }],
  ])('is WITNESS_MALFORMED: %s', (_, wrong) => {
    for (const use of [
      () => firstUnsatisfiedRow(shape, wrong),
      () => evaluateShape(shape, wrong, () => {}),
    ]) {
      let code = '';
      try {
        use();
      } catch (error) {
        code = (error as CuzkError).code;
      }
      expect(code).toBe('WITNESS_MALFORMED');
    }
  });

  it('cannot be made from an assignment', () => {
    const { inputs, aux } = referenceWitness(sampleCircuit(2));
    expect(() => compactAssignment(shape, inputs, aux.slice(1))).toThrow(RangeError);
    expect(() => compactAssignment(shape, inputs, aux.with(1, 2n))).toThrow('to be a bit');
  });
});

it('integers of every size are written as their canonical element', () => {
  const numbers = [
    0,
    1,
    -1,
    2,
    -2,
    2 ** 31,
    2 ** 32 - 1,
    -(2 ** 32) + 1,
    -(2 ** 32),
    2 ** 52,
    -(2 ** 52),
  ];
  const bigints = [0n, -1n, FR_MODULUS, -FR_MODULUS - 3n, 5n * FR_MODULUS + 2n, 1n << 300n];
  const writer = new ElementWriter(1);
  for (const value of [...numbers, ...bigints]) {
    writer.write(0, value);
    const expected = ((BigInt(value) % FR_MODULUS) + FR_MODULUS) % FR_MODULUS;
    expect(bigintFromLe(writer.bytes)).toBe(expected);
  }
});
