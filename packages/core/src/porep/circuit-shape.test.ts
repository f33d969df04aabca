import { describe, expect, it } from 'vitest';
import type { CuzkError } from '../errors.ts';
import { bitmapBytes } from '../r1cs/bitmap.ts';
import { compileTemplate } from '../r1cs/compile-shape.ts';
import { countCircuit } from '../r1cs/counting-collector.ts';
import { expandBitmap } from '../r1cs/density.ts';
import { summarizeShape } from '../r1cs/shape-collector.ts';
import { shapeDigestOf } from '../r1cs/shape-digest.ts';
import { blake2s, goldenShape, sha256Hex } from '../r1cs/testing/golden-shape.ts';
import { compileStackedShape, requirePinnedShape } from './circuit-shape.ts';
import { PINNED_CIRCUITS } from './pinned-circuits.ts';
import { SECTOR_SHAPES, sectorShape } from './sector.ts';
import { stackedCircuit } from './stacked-circuit.ts';
import { withCheckpoints } from './testing/checkpointed-hash.ts';

const slow = process.env.SLOW === '1';
if (!slow) {
  console.log('skipped: circuits other than 2 KiB, the largest hash 33 GB of rows each (SLOW=1)');
}

describe('the pinned shape of 2 KiB', () => {
  const sector = sectorShape(2048);

  it('is compiled with its digest, and nothing else is taken for it', () => {
    const shape = compileStackedShape(sector, blake2s());
    expect(shape.shapeDigest).toBe(goldenShape('2KiB').r1cs_hash_blake2s256);
    for (const wrong of [
      { ...shape, shapeDigest: '00'.repeat(32) },
      { ...shape, aux: shape.aux + 1 },
      { ...shape, inputs: 328 },
    ]) {
      let code = '';
      try {
        requirePinnedShape(sector, wrong);
      } catch (error) {
        code = (error as CuzkError).code;
      }
      expect(code).toBe('SHAPE_MALFORMED');
    }
    expect(() => requirePinnedShape({ ...sector, sectorBytes: 1 }, shape)).toThrow(RangeError);
  });

  it('is not that of another size', () => {
    const other = { ...sectorShape(4096), sectorBytes: 2048 };
    expect(() => compileStackedShape(other, blake2s())).toThrow('not the pinned one');
  });
});

describe('every sector size', () => {
  it('has a pinned circuit, the golden one', () => {
    expect([...PINNED_CIRCUITS.keys()]).toEqual(
      SECTOR_SHAPES.map(({ sectorBytes }) => sectorBytes),
    );
    for (const { name, sectorBytes } of SECTOR_SHAPES) {
      const golden = goldenShape(name);
      expect(PINNED_CIRCUITS.get(sectorBytes)).toEqual({
        inputs: golden.inputs,
        aux: golden.aux,
        constraints: golden.constraints,
        shapeDigest: golden.r1cs_hash_blake2s256,
      });
    }
  });

  it.each(SECTOR_SHAPES.slice(3, 8).map((sector) => [sector.name, sector] as const))(
    '%s has the pinned counts',
    (_, sector) => {
      const { shapeDigest: __, ...counts } = PINNED_CIRCUITS.get(sector.sectorBytes) ?? {};
      expect(countCircuit(stackedCircuit(sector))).toEqual(counts);
    },
  );

  it.skipIf(!slow).each(SECTOR_SHAPES.slice(1).map((sector) => [sector.name, sector] as const))(
    '%s has the golden rows up to every checkpoint, densities and bits',
    (name, sector) => {
      const golden = goldenShape(name);
      const template = compileTemplate(stackedCircuit(sector));
      const run = withCheckpoints(golden.checkpoint_rows, (hash, at) =>
        shapeDigestOf(template, hash, at),
      );
      expect(run.result).toBe(golden.r1cs_hash_blake2s256);
      expect(run.checkpoints).toEqual(golden.checkpoints);
      const { density, bits } = golden;
      const digestOf = (which: 'aDensity' | 'bDensity'): string =>
        sha256Hex(bitmapBytes(expandBitmap(template, which), template.aux));
      expect(digestOf('aDensity')).toBe(density.a_aux_bitmap_sha256);
      expect(digestOf('bDensity')).toBe(density.b_aux_bitmap_sha256);
      const typedBits = expandBitmap(template, 'elementBitmap').map((word) => ~word);
      const unused = 32 * typedBits.length - template.aux;
      if (unused > 0) typedBits[typedBits.length - 1] &= 0xffffffff >>> unused;
      expect(sha256Hex(bitmapBytes(typedBits, template.aux))).toBe(bits.typed_bit_bitmap_sha256);
    },
    1_200_000,
  );

  it.skipIf(!slow).each(SECTOR_SHAPES.slice(1, 8).map((sector) => [sector.name, sector] as const))(
    '%s equals the golden shape when every gadget is run',
    (name, sector) => {
      const golden = goldenShape(name);
      const summary = summarizeShape(stackedCircuit(sector), blake2s());
      expect(summary.shapeDigest).toBe(golden.r1cs_hash_blake2s256);
      expect(summary.nonZeroTerms).toEqual(golden.nonzero_terms);
      expect(summary.longestCombination).toEqual(golden.longest_combination);
      expect(sha256Hex(bitmapBytes(summary.booleanRows, summary.aux))).toBe(
        golden.bits.boolean_row_bitmap_sha256,
      );
    },
    600_000,
  );
});
