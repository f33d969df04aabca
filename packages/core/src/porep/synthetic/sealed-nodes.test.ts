import { describe, expect, it } from 'vitest';
import type { CuzkError } from '../../errors.ts';
import { type PorepVariant, partitionCount } from '../registered-proof.ts';
import { parseSectorSize, sectorShape } from '../sector.ts';
import { nodeHashes } from '../testing/node-hashes.ts';
import { type SealedNodes, sealedNodes } from './sealed-nodes.ts';
import { seededValues } from './seeded-values.ts';

const values = seededValues(3n, nodeHashes);

function choose(size: string, variant: PorepVariant): SealedNodes {
  const shape = sectorShape(parseSectorSize(size));
  const challenges = shape.challengesPerPartition * partitionCount(shape, variant);
  const challengesFor = () => (j: number) => [9, 5, 9, 1][j % 4];
  return sealedNodes({ shape, variant, challenges, challengesFor, values });
}

const refusal = expect.objectContaining({ code: 'REQUEST_INVALID' }) as CuzkError;

describe('challenges that are known before', () => {
  it.each(['2KiB', '64GiB'])('%s: they alone are sealed, in order and once each', (size) => {
    for (const variant of ['V1', 'V1_1'] as const) {
      const nodes = size === '2KiB' ? [5, 9] : [1, 5, 9];
      expect(choose(size, variant)).toEqual({ nodes, challenged: true });
    }
  });
});

describe('challenges that follow from comm_r', () => {
  it.each([
    ['2KiB', 64],
    ['32KiB', 1024],
    ['8MiB', 2048],
    ['512MiB', 2 ** 15],
    ['1GiB', 2 ** 16],
  ])('Synthetic %s: a run of %i nodes inside the sector is sealed', (size, count) => {
    const { nodes, challenged } = choose(size, 'Synthetic');
    expect(challenged).toBe(false);
    expect(nodes.length).toBe(count);
    expect(nodes[0]).toBeGreaterThanOrEqual(0);
    expect(nodes.every((node, i) => node === nodes[0] + i)).toBe(true);
    expect(nodes[count - 1]).toBeLessThan(parseSectorSize(size) / 32);
  });

  it.each(['2KiB', '32KiB', '16MiB'])('NonInteractive %s: every node is sealed', (size) => {
    const { nodes } = choose(size, 'NonInteractive');
    expect([nodes[0], nodes.length]).toEqual([0, parseSectorSize(size) / 32]);
  });

  it.each<[PorepVariant, string]>([
    ['Synthetic', '32GiB'],
    ['Synthetic', '64GiB'],
    ['NonInteractive', '512MiB'],
    ['NonInteractive', '1GiB'],
    ['NonInteractive', '32GiB'],
    ['NonInteractive', '64GiB'],
  ])('%s %s is refused', (variant, size) => {
    expect(() => choose(size, variant)).toThrow(refusal);
  });
});
