import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { FieldVariants } from '../device/context.ts';
import type { OpenedDevice } from '../device/device.ts';
import { seededWords } from '../field/seeded-words.ts';
import {
  generatorMultiples,
  tableOfMultiples,
  uploadPoints,
  uploadTestWords,
} from '../testing/curve-points.ts';
import { openTestDevice } from '../testing/software-device.ts';
import { openPacedCommands } from './curve-commands.ts';
import { NEGATE, openPairTree, recordCollectList } from './pair-tree.ts';
import { sumEqualGroups } from './pair-tree-equal.ts';
import { foldBuckets, foldedRows, foldSize } from './pair-tree-fold.ts';
import {
  readLargestGroup,
  recordCollectGroups,
  recordGroupOffsets,
  sumRaggedGroups,
} from './pair-tree-groups.ts';
import {
  HARDWARE_FORM,
  type PairForm,
  SOFTWARE_FORM,
  WIDE_SOFTWARE_FORM,
} from './pair-tree-kernels.ts';
import { allocatePoints, type CurveGroup, readPoints } from './point-segments.ts';

const BASES = 64;
const run = { phase: 'test' };

/** Multiple of the generator that a reference stands for; base point i is (i + 1)·G, the last one infinity. */
const multipleOf = (reference: number): bigint => {
  const index = reference & 0x07ffffff;
  const value = index === BASES ? 0n : BigInt(index + 1);
  return (reference & NEGATE) !== 0 ? -value : value;
};

/** References whose sums meet every case: equal, opposite, infinity on either side, and later in the tree. */
const HARD_GROUPS: readonly (readonly number[])[] = [
  [5, 5],
  [7, 7 | NEGATE],
  [9 | NEGATE, 9 | NEGATE],
  [BASES, 3],
  [3 | NEGATE, BASES],
  [BASES, BASES | NEGATE],
  [1, 2, 2, 1],
  [1, 2, 2 | NEGATE, 1 | NEGATE],
  [5, 5 | NEGATE, 8, 9],
  [4, 4, 4, 4, 4, 4, 4],
];

const FORMS: Readonly<Record<'software' | 'wide' | 'hardware' | 'short batches', PairForm>> = {
  software: SOFTWARE_FORM,
  wide: WIDE_SOFTWARE_FORM,
  hardware: HARDWARE_FORM,
  // several workgroups of several batches each, the last ones cut short
  'short batches': {
    ...SOFTWARE_FORM,
    round: {
      sums: 'batches',
      workgroupSize: 8,
      pairsPerInversion: 3,
      leastPairs: 50,
      maxWorkgroups: 4,
    },
  },
};

/** The form of the adapter at hand, others, and the field variant without floating point. */
const CONFIGURATIONS: readonly {
  group: CurveGroup;
  fp: FieldVariants['fp'];
  form: keyof typeof FORMS;
}[] = [
  { group: 'g1', fp: 'signed24', form: 'software' },
  { group: 'g1', fp: 'signed24', form: 'wide' },
  { group: 'g1', fp: 'signed24', form: 'hardware' },
  { group: 'g1', fp: 'signed24', form: 'short batches' },
  { group: 'g1', fp: 'signed13', form: 'software' },
  { group: 'g2', fp: 'signed24', form: 'short batches' },
  { group: 'g2', fp: 'signed13', form: 'hardware' },
];

describe.each(CONFIGURATIONS)(
  'pair tree over $group ($fp, $form form)',
  ({ group, fp, form: formName }) => {
    const form = FORMS[formName];
    let opened: OpenedDevice;
    beforeAll(async () => {
      opened = await openTestDevice({ variants: { fp, fr: 'signed24' } });
    });
    afterAll(() => opened.close());
    const exact = tableOfMultiples(group, 1000);
    it('sums groups of equal size, with equal, opposite and infinite points among them', async () => {
      const { context } = opened;
      const bases = uploadPoints(context, group, [...generatorMultiples(group, BASES), null]);
      const words = seededWords(7);
      const size = 7;
      const groups = HARD_GROUPS.map((list) =>
        Array.from({ length: size }, (_, i) => list[i] ?? BASES),
      );
      while (groups.length < 100) {
        groups.push(
          Array.from({ length: size }, () => (words() % (BASES + 1)) | (words() & 1 ? NEGATE : 0)),
        );
      }
      const tree = await openPairTree(
        context,
        group,
        {
          elements: groups.length * size,
          arenaPoints: groups.length * size,
          groups: 1,
        },
        form,
      );
      const rows = allocatePoints(context, group, groups.length, 'sums');
      const commands = openPacedCommands(context, run);
      const base = { points: bases.segments[0], start: 0 };
      const list = uploadTestWords(context, Uint32Array.from(groups.flat()));
      const left = await sumEqualGroups(tree, commands, base, {
        list,
        start: 0,
        groups: groups.length,
        size,
      });
      expect(left).toMatchObject({ groups: groups.length, size: 1 });
      recordCollectList(
        tree,
        commands,
        base,
        { list: left.list, listStart: 0, count: groups.length },
        { rows: rows.segments[0], firstRow: 0 },
      );
      await commands.flush();
      const sums = await readPoints(context, rows, 0, groups.length);
      groups.forEach((references, i) => {
        const expected = references.reduce((sum, reference) => sum + multipleOf(reference), 0n);
        expect(sums[i], `group ${i}`).toEqual(exact(expected));
      });
      tree.close();
    });

    it.each([
      { seeded: false, likelyRounds: 0 },
      { seeded: true, likelyRounds: 3 },
      { seeded: false, likelyRounds: 9 },
    ])('sums groups of any size: %o', async ({ seeded, likelyRounds }) => {
      const { context } = opened;
      const bases = uploadPoints(context, group, [...generatorMultiples(group, BASES), null]);
      const words = seededWords(11);
      const groups: number[][] = [...HARD_GROUPS.map((list) => [...list]), []];
      for (let i = 0; i < 1500; i++) {
        const size = i % 300 === 0 ? 150 : words() % 4;
        groups.push(
          Array.from({ length: size }, () => (words() % (BASES + 1)) | (words() & 1 ? NEGATE : 0)),
        );
      }
      const elements = groups.flat().length;
      const extra = seeded ? groups.length : 0;
      const tree = await openPairTree(
        context,
        group,
        {
          elements: elements + extra,
          arenaPoints: elements + 2 * extra,
          groups: groups.length,
        },
        form,
      );
      const seeds = groups.map((_, i) => (i % 5 === 0 ? 0n : BigInt((i % BASES) + 1)));
      const points = generatorMultiples(group, BASES);
      const seedRows = uploadPoints(
        context,
        group,
        seeds.map((seed) => (seed === 0n ? null : points[Number(seed) - 1])),
      );
      // the list leaves room for one seed after each group
      const list = uploadTestWords(
        context,
        Uint32Array.from(
          groups.flatMap((references) => (seeded ? [...references, 0] : references)),
        ),
      );
      const table = uploadTestWords(
        context,
        Uint32Array.from(groups.flatMap((references) => [0xdead, references.length])),
      );
      const commands = openPacedCommands(context, run);
      if (seeded) {
        commands.dispatch(
          tree.kernels.seedArena,
          [seedRows.segments[0], tree.arenaX, tree.arenaY],
          Math.ceil(groups.length / 64),
          [groups.length, 0, tree.size.arenaPoints],
        );
      }
      recordGroupOffsets(tree, commands, table, list, groups.length, seeded);
      await commands.send();
      const largest = readLargestGroup(tree);
      expect(await largest).toBe(150 + (seeded ? 1 : 0));
      const base = { points: bases.segments[0], start: 0 };
      const rows = allocatePoints(context, group, groups.length, 'sums');
      const left = await sumRaggedGroups(
        tree,
        commands,
        base,
        {
          list,
          table,
          groups: groups.length,
          elements: elements + extra,
          likelyRounds,
          largest,
        },
        extra,
      );
      recordCollectGroups(
        tree,
        commands,
        base,
        { ...left, groups: groups.length },
        { rows: rows.segments[0], firstRow: 0 },
      );
      await commands.flush();
      const sums = await readPoints(context, rows, 0, groups.length);
      groups.forEach((references, i) => {
        const expected = references.reduce(
          (sum, reference) => sum + multipleOf(reference),
          seeded ? seeds[i] : 0n,
        );
        expect(sums[i], `group ${i}`).toEqual(exact(expected));
      });
      tree.close();
    });

    it.each([
      { wide: 3, narrow: 0, logWide: 5 },
      { wide: 2, narrow: 3, logWide: 4 },
      { wide: 1, narrow: 0, logWide: 1 },
    ])('folds buckets to their sum and bit sums: %o', async (shape) => {
      const { context } = opened;
      const words = seededWords(3);
      const sizes = [
        ...Array.from({ length: shape.wide }, () => 2 ** shape.logWide),
        ...Array.from({ length: shape.narrow }, () => 2 ** (shape.logWide - 1)),
      ];
      const values = sizes.map((size) =>
        Array.from({ length: size }, () => (words() % 5 === 0 ? 0 : (words() % BASES) + 1)),
      );
      const points = generatorMultiples(group, BASES);
      const buckets = uploadPoints(
        context,
        group,
        values.flat().map((value) => (value === 0 ? null : points[value - 1])),
      );
      const size = foldSize(shape);
      const tree = await openPairTree(
        context,
        group,
        {
          elements: size.elements,
          arenaPoints: size.sums,
          groups: 1,
        },
        form,
      );
      const commands = openPacedCommands(context, run);
      const rows = allocatePoints(context, group, foldedRows(shape), 'folded');
      await foldBuckets(
        tree,
        commands,
        { buckets: buckets.segments[0], ...shape },
        { rows: rows.segments[0], firstRow: 0 },
      );
      await commands.flush();
      const folded = await readPoints(context, rows, 0, foldedRows(shape));
      const expected = values.flatMap((array) => {
        const bits = Math.log2(array.length);
        const sum = (pick: (k: number) => boolean): bigint =>
          array.reduce((total, value, k) => total + (pick(k) ? BigInt(value) : 0n), 0n);
        return [
          sum(() => true),
          ...Array.from({ length: bits }, (_, j) => sum((k) => ((k >> j) & 1) === 1)),
        ];
      });
      expect(folded).toEqual(expected.map(exact));
      tree.close();
    });
  },
);
