import { expect, it } from 'vitest';
import { developmentBlinding, developmentToxicWaste } from './development-waste.ts';
import { fromBeHex, GOLDEN_PROOF_CASES, goldenJson, goldenProof } from './testing/golden.ts';

it('the toxic waste is that of the golden parameters', () => {
  const { toxic_waste } = goldenJson<{ toxic_waste: Record<string, string> }>(
    'params/2KiB-qap-at-tau.json',
  );
  const waste = developmentToxicWaste();
  for (const name of ['alpha', 'beta', 'gamma', 'delta', 'tau'] as const) {
    expect(waste[name]).toBe(fromBeHex(toxic_waste[name]));
  }
});

it('r and s are those of the golden proofs, and differ between partitions', () => {
  for (const name of GOLDEN_PROOF_CASES) {
    for (const { partition, r_be_hex, s_be_hex } of goldenProof(name).partitions) {
      expect(developmentBlinding(partition)).toEqual({
        r: fromBeHex(r_be_hex),
        s: fromBeHex(s_be_hex),
      });
    }
  }
  const values = Array.from({ length: 12 }, (_, k) => Object.values(developmentBlinding(k)));
  expect(new Set(values.flat()).size).toBe(24);
});
