import { expect, it } from 'vitest';
import { circuitId, circuitIdentifier, parameterFileName } from './circuit-id.ts';
import { PRODUCTION_PARAMS } from './production-params.ts';
import { SECTOR_SHAPES, sectorShape } from './sector.ts';

const IDS: Record<string, string> = {
  '2KiB': '032d3138d22506ec0082ed72b2dcba18df18477904e35bafee82b3793b06832f',
  '4KiB': '71fadf776fff80d5977d027cdf5b4af941c75de6aafee6530ff15997f7173b9b',
  '16KiB': '5d6414be6742cfc2d41b04c9f12eacd8f78775cf01c1f5cdcf5b370808fe5b74',
  '32KiB': '2a21b24b412f71b8441648d2cd849229afd278d96964baf1a0f2712f4afbadfd',
  '8MiB': 'ecd683648512ab1765faa2a5f14bab48f676e633467f0aa8aad4b55dcb0652bb',
  '16MiB': '86c715b389cbfdcb1c84b73e4bf276474652288a6aefcaa9f9600c21b0cff44e',
  '512MiB': '6babf46ce344ae495d558e7770a585b2382d54f225af8ed0397b8be7c3fcd472',
  '1GiB': '002b03e3cbccd5d23c5f673a39ec4127ae31a1820be2faa32f72fdc75cf262c2',
  '32GiB': '82a357d2f2ca81dc61bb45f4a762807aedee1b0a53fd6c4e77b46a01bfef7820',
  '64GiB': '96f1b4a04c5c51e4759bbf224bbc2ef5a42c7100f16ec0637123f16a845ddfb2',
};

it('hashes the identifier of every sector size to the published circuit id', () => {
  const ids = Object.fromEntries(SECTOR_SHAPES.map((shape) => [shape.name, circuitId(shape)]));
  expect(ids).toEqual(IDS);
});

it('names a different circuit when any number of the shape changes', () => {
  const shape = sectorShape(2048);
  for (const other of [
    { ...shape, nodes: 128 },
    { ...shape, layers: 3 },
    { ...shape, challengesPerPartition: 3 },
    { ...shape, tree: { ...shape.tree, sub: 2 } },
  ]) {
    expect(circuitIdentifier(other)).not.toBe(circuitIdentifier(shape));
  }
});

it('gives the file name that the parameter cache uses', () => {
  expect(parameterFileName(sectorShape(2048), 'vk')).toBe(
    `v28-stacked-proof-of-replication-merkletree-poseidon_hasher-8-0-0-sha256_hasher-${IDS['2KiB']}.vk`,
  );
  expect(parameterFileName(sectorShape(2 ** 36), 'params')).toContain('-8-8-2-sha256_hasher-96f1');
});

it('lists published digests for the five registered sizes under their circuit ids', () => {
  const names = Object.entries(PRODUCTION_PARAMS).map(([id, entry]) => [entry.sectorName, id]);
  expect(Object.fromEntries(names)).toEqual(
    Object.fromEntries(
      ['2KiB', '8MiB', '512MiB', '32GiB', '64GiB'].map((name) => [name, IDS[name]]),
    ),
  );
  for (const entry of Object.values(PRODUCTION_PARAMS)) {
    for (const file of [entry.params, entry.vk]) {
      expect(file.digest).toMatch(/^[0-9a-f]{32}$/);
      expect(file.cid).toMatch(/^Qm[1-9A-HJ-NP-Za-km-z]{44}$/);
    }
  }
});
