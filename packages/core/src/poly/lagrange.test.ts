import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { FR_MODULUS } from '../field/fr.ts';
import { developmentToxicWaste } from '../groth16/development-waste.ts';
import { fromBeHex, goldenJson } from '../groth16/testing/golden.ts';
import { createDomain, frDomain } from './domain.ts';
import { lagrangeAt } from './lagrange.ts';
import { inverseNtt } from './ntt.ts';

/** The definition's other form: the inverse transform of 1, tau, tau², … (spec §4.2). */
function lagrangeByTransform(logN: number, tau: bigint): bigint[] {
  const domain = frDomain(logN);
  const powers = [1n];
  while (powers.length < domain.size) {
    powers.push((powers[powers.length - 1] * tau) % FR_MODULUS);
  }
  return inverseNtt(powers, domain);
}

describe('Lagrange values', () => {
  it('equal the inverse transform of the powers of tau', () => {
    const tau = fc.bigInt({ min: 2n, max: FR_MODULUS - 2n });
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 6 }), tau, (logN, point) => {
        expect([...lagrangeAt(frDomain(logN), point)]).toEqual(lagrangeByTransform(logN, point));
      }),
      { numRuns: 20 },
    );
  });

  it('equal it across the batches of the inversion', () => {
    const tau = 123456789n;
    expect([...lagrangeAt(frDomain(12), tau)]).toEqual(lagrangeByTransform(12, tau));
    expect([...lagrangeAt(frDomain(12), tau, 1025)]).toEqual(
      lagrangeByTransform(12, tau).slice(0, 1025),
    );
  });

  it.each(['2KiB', '8MiB'])('begin as those of the golden %s parameters', (size) => {
    const golden = goldenJson<{
      domain: number;
      lagrange_at_tau: { first16_be_hex: string[] };
    }>(`params/${size}-qap-at-tau.json`);
    const domain = frDomain(Math.log2(golden.domain));
    expect([...lagrangeAt(domain, developmentToxicWaste().tau, 16)]).toEqual(
      golden.lagrange_at_tau.first16_be_hex.map(fromBeHex),
    );
  });

  it('do not exist in the domain', () => {
    const toy = createDomain(64513n, 3, 20201n, 5n);
    expect(() => lagrangeAt(toy, 20201n).next()).toThrow(RangeError);
    expect(lagrangeAt(toy, 20202n).next().done).toBe(false);
  });
});
