import { beforeAll, describe, expect, it } from 'vitest';
import { bitmapBytes, countBits } from '../r1cs/bitmap.ts';
import { compileShape, compileTemplate, type UndigestedShape } from '../r1cs/compile-shape.ts';
import { expandBitmap, sumOverInstances } from '../r1cs/density.ts';
import { type ShapeSummary, summarizeShape } from '../r1cs/shape-collector.ts';
import { shapeDigestOf } from '../r1cs/shape-digest.ts';
import { TestCollector } from '../r1cs/test-collector.ts';
import {
  blake2s,
  goldenBytes,
  goldenGadgets,
  goldenJson,
  goldenShape,
  goldenText,
  sha256Hex,
} from '../r1cs/testing/golden-shape.ts';
import { parseSectorSize, type SectorShape, sectorShape } from './sector.ts';
import { stackedCircuit } from './stacked-circuit.ts';
import { type Checkpoint, withCheckpoints } from './testing/checkpointed-hash.ts';
import { OffsetCollector, type Offsets } from './testing/offset-collector.ts';

/** A shape of the small upstream tests: one challenge, two layers. */
const smallSector = (base: number, sub: number, top: number, nodes: number): SectorShape => ({
  ...sectorShape(2048),
  nodes,
  challengesPerPartition: 1,
  tree: { base, sub, top },
  basePathLength: Math.log2(8) / Math.log2(base),
  commDDepth: Math.log2(nodes),
});

const slow = process.env.SLOW === '1';
if (!slow) console.log('skipped: two more small tree shapes, the offsets of 32 GiB (SLOW=1)');

const SMALL_CIRCUITS = [
  ['stacked L=2, 1 challenge, 2-0-0, 8 nodes', smallSector(2, 0, 0, 8)],
  ['stacked L=2, 1 challenge, 8-4-2, 64 nodes', smallSector(8, 4, 2, 64)],
  ['stacked L=2, 1 challenge, 8-0-0, 8 nodes', smallSector(8, 0, 0, 8)],
  ['stacked L=2, 1 challenge, 8-4-0, 32 nodes', smallSector(8, 4, 0, 32)],
] as const;

describe('the small StackedDRG circuits', () => {
  it.each(SMALL_CIRCUITS.slice(0, slow ? 4 : 2))('%s', (name, sector) => {
    const golden = goldenGadgets().find(({ circuit }) => circuit === name);
    const found = compileShape(stackedCircuit(sector), blake2s());
    expect(found.shapeDigest).toBe(golden?.r1cs_hash_blake2s256);
    expect([found.inputs, found.aux, found.constraints]).toEqual([
      golden?.inputs,
      golden?.aux,
      golden?.constraints,
    ]);
  });
});

describe('the 2 KiB circuit', () => {
  const golden = goldenShape('2KiB');
  const circuit = stackedCircuit(sectorShape(2048));
  let summary: ShapeSummary;
  let template: UndigestedShape;
  let checkpoints: readonly Checkpoint[];
  beforeAll(() => {
    const run = withCheckpoints(golden.checkpoint_rows, (hash, at) =>
      summarizeShape(circuit, hash, at),
    );
    summary = run.result;
    checkpoints = run.checkpoints;
    template = compileTemplate(circuit);
  }, 120_000);

  it('has the golden rows up to every checkpoint, and the golden hash', () => {
    expect(checkpoints).toEqual(golden.checkpoints);
    expect(summary.shapeDigest).toBe(golden.r1cs_hash_blake2s256);
  });

  it('has the golden counts', () => {
    expect([summary.inputs, summary.aux, summary.constraints]).toEqual([
      golden.inputs,
      golden.aux,
      golden.constraints,
    ]);
    expect(summary.nonZeroTerms).toEqual(golden.nonzero_terms);
    expect(summary.longestCombination).toEqual(golden.longest_combination);
  });

  it('has the golden densities', () => {
    const { density } = golden;
    expect({
      a_aux: countBits(summary.aDensity),
      a_aux_bitmap_sha256: sha256Hex(bitmapBytes(summary.aDensity, summary.aux)),
      b_aux: countBits(summary.bDensity),
      b_aux_bitmap_sha256: sha256Hex(bitmapBytes(summary.bDensity, summary.aux)),
      b_input: countBits(summary.bInputDensity),
      b_input_bitmap_sha256: sha256Hex(bitmapBytes(summary.bInputDensity, summary.inputs)),
    }).toEqual({ ...density, params_a: undefined, params_b: undefined });
  });

  it('has the golden bits', () => {
    const typedBits = bitmapBytes(summary.typedBits, summary.aux);
    expect({
      boolean_row_bitmap_sha256: sha256Hex(bitmapBytes(summary.booleanRows, summary.aux)),
      boolean_row_count: summary.booleanRowCount,
      typed_bit_bitmap_sha256: sha256Hex(typedBits),
      typed_bit_count: countBits(summary.typedBits),
    }).toEqual(golden.bits);
    expect(Buffer.compare(typedBits, goldenBytes('shape/2KiB-typed-bits.bin.gz'))).toBe(0);
  });

  it('is its template: same rows up to every checkpoint, densities and kinds', () => {
    const run = withCheckpoints(golden.checkpoint_rows, (hash, at) =>
      shapeDigestOf(template, hash, at),
    );
    expect(run.result).toBe(summary.shapeDigest);
    expect(run.checkpoints).toEqual(golden.checkpoints);
    expect(expandBitmap(template, 'aDensity')).toEqual(summary.aDensity);
    expect(expandBitmap(template, 'bDensity')).toEqual(summary.bDensity);
    expect(template.bInputDensity).toEqual(summary.bInputDensity);
    const elements = sumOverInstances(template, ({ elementBitmap }) => countBits(elementBitmap));
    expect(elements).toBe(summary.aux - golden.bits.typed_bit_count);
    const kinds = expandBitmap(template, 'elementBitmap').map(
      (word, i) => word ^ summary.typedBits[i],
    );
    expect(countBits(kinds)).toBe(summary.aux);
  });

  it('begins with the golden rows', () => {
    const cs = new TestCollector();
    const rows = goldenText('shape/2KiB-rows-0-1999.txt.gz').trimEnd().split('\n');
    const enough = new Error('enough rows');
    const enforce = cs.enforce.bind(cs);
    cs.enforce = (...row) => {
      if (cs.constraints === rows.length) throw enough;
      enforce(...row);
    };
    const blank = (): bigint => 0n;
    const { allocElement, allocInput, allocBit } = cs;
    cs.allocElement = (_, name, index) => allocElement.call(cs, blank, name, index);
    cs.allocInput = (_, name, index) => allocInput.call(cs, blank, name, index);
    cs.allocBit = (_, name, index) => allocBit.call(cs, () => false, name, index);
    expect(() => {
      const shared = circuit.preamble(cs);
      circuit.instance(cs, shared, 0);
    }).toThrow(enough);
    expect(rows.map((_, row) => `${row}: ${cs.textOfRow(row)}`)).toEqual(rows);
  });
});

interface GoldenOffsets {
  readonly entries: readonly (readonly [string, ...number[]])[];
}

/** Where namespaces begin and end, golden and found, for the paths of at most two segments. */
function compareOffsets(file: string, sector: SectorShape, challenges: number): void {
  const cs = new OffsetCollector(2);
  const circuit = stackedCircuit(sector);
  const preamble = circuit.preamble(cs);
  for (let i = 0; i < challenges; i++) circuit.instance(cs, preamble, i);
  const entries = goldenJson<GoldenOffsets>(file)
    .entries.map(([path, ...offsets]) => [path.replace('(row) ', ''), offsets] as const)
    .filter(([path]) => path.split('/').length <= 2 && !path.startsWith('H_comm_c_comm_r_last/'))
    .filter(([path]) => Number(path.match(/^challenge_(\d+)/)?.[1] ?? 0) < challenges)
    .filter(([path]) => !path.startsWith('replica_id_bits/'));
  expect(entries.length).toBeGreaterThan(60);
  const found = entries.map(([path]) => [path, cs.offsets.get(path) as Offsets | undefined]);
  expect(found).toEqual(entries);
}

describe('gadgets lie where the Rust circuit has them', () => {
  it('in 2 KiB', () => {
    compareOffsets('shape/2KiB-offsets.json.gz', sectorShape(2048), 2);
  });

  it.skipIf(!slow)(
    'in the first challenge of 32 GiB',
    () => {
      compareOffsets('shape/32GiB-offsets.json', sectorShape(parseSectorSize('32GiB')), 1);
    },
    120_000,
  );
});
