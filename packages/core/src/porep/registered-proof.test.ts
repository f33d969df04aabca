import { expect, it } from 'vitest';
import { toHex } from '../bytes.ts';
import { REGISTERED_PROOFS, registeredProof, sectorBytesOfSizeKey } from './registered-proof.ts';

it('lists twenty proofs in id order with the names of the registry', () => {
  expect(REGISTERED_PROOFS.map((proof) => proof.id)).toEqual(
    Array.from({ length: 20 }, (_, i) => i),
  );
  expect(REGISTERED_PROOFS[0]?.name).toBe('StackedDrg2KiBV1');
  expect(REGISTERED_PROOFS[8]?.name).toBe('StackedDrg32GiBV1_1');
  expect(REGISTERED_PROOFS[11]?.name).toBe('StackedDrg8MiBV1_1_Feat_SyntheticPoRep');
  expect(REGISTERED_PROOFS[19]?.name).toBe('StackedDrg64GiBV1_2_Feat_NonInteractivePoRep');
});

it('gives synthetic proofs api version 1.2.0 despite their name', () => {
  const versions = ['V1', 'V1_1', 'V1_1_Feat_SyntheticPoRep', 'V1_2_Feat_NonInteractivePoRep'].map(
    (suffix) => registeredProof(`StackedDrg2KiB${suffix}`).apiVersion,
  );
  expect(versions).toEqual(['1.0.0', '1.1.0', '1.2.0', '1.2.0']);
});

it('uses the plain V1 size key for every variant', () => {
  const keys = new Set(REGISTERED_PROOFS.map((proof) => proof.sizeKey));
  expect([...keys]).toEqual(
    ['2KiB', '8MiB', '512MiB', '32GiB', '64GiB'].map((size) => `StackedDrg${size}V1`),
  );
  for (const proof of REGISTERED_PROOFS) {
    expect(sectorBytesOfSizeKey(proof.sizeKey)).toBe(proof.sectorBytes);
  }
  expect(sectorBytesOfSizeKey('StackedDrg2KiBV1_1')).toBeUndefined();
});

it('gives 13 or 126 partitions to non-interactive proofs, 1 or 10 to others', () => {
  const counts = (suffix: string) =>
    ['2KiB', '512MiB', '32GiB', '64GiB'].map((size) => {
      const proof = registeredProof(`StackedDrg${size}${suffix}`);
      return [proof.partitions, proof.minimumChallenges];
    });
  expect(counts('V1_1')).toEqual([
    [1, 2],
    [1, 2],
    [10, 176],
    [10, 176],
  ]);
  expect(counts('V1_2_Feat_NonInteractivePoRep')).toEqual([
    [13, 26],
    [13, 26],
    [126, 2253],
    [126, 2253],
  ]);
});

it('derives porep ids from proof ids', () => {
  expect(toHex(registeredProof('StackedDrg64GiBV1_2_Feat_NonInteractivePoRep').porepId)).toBe(
    `13${'00'.repeat(31)}`,
  );
});

it('refuses an unknown proof type with a pointer', () => {
  expect(() => registeredProof('StackedDrg4KiBV1')).toThrow(
    expect.objectContaining({
      code: 'C1_UNSUPPORTED',
      facts: expect.objectContaining({ pointer: '/registered_proof', found: 'StackedDrg4KiBV1' }),
    }),
  );
});
