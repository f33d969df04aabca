import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { FR_MODULUS, frRootOfUnity } from '../field/fr.ts';
import { powMod } from '../field/modular.ts';
import { createDomain, type EvaluationDomain, frDomain, frDomainFor } from './domain.ts';
import { cosetNtt, inverseCosetNtt, inverseNtt, ntt } from './ntt.ts';

/** The toy field of spec §9.6. */
const TOY = createDomain(64513n, 3, 20201n, 5n);

/** Evaluates the definition, term by term. */
const evaluateAt = (coefficients: readonly bigint[], x: bigint, modulus: bigint): bigint =>
  coefficients.reduceRight((value, c) => (value * x + c) % modulus, 0n);
const valuesBy = (
  coefficients: readonly bigint[],
  domain: EvaluationDomain,
  first: bigint,
): bigint[] =>
  Array.from({ length: domain.size }, (_, i) => {
    const x = (first * powMod(domain.omega, BigInt(i), domain.modulus)) % domain.modulus;
    return evaluateAt(coefficients, x, domain.modulus);
  });

const domains = fc.oneof(
  fc.constant(TOY),
  fc.integer({ min: 0, max: 6 }).map((logN) => frDomain(logN)),
);
const polynomials = domains.chain((domain) =>
  fc.tuple(
    fc.constant(domain),
    fc.array(fc.bigInt({ min: 0n, max: domain.modulus - 1n }), { maxLength: domain.size }),
  ),
);
const paddedTo = (values: readonly bigint[], size: number): bigint[] =>
  Array.from({ length: size }, (_, i) => values[i] ?? 0n);

describe('transforms', () => {
  it('evaluate on the domain and on the coset, in natural order', () => {
    fc.assert(
      fc.property(polynomials, ([domain, p]) => {
        expect(ntt(p, domain)).toEqual(valuesBy(p, domain, 1n));
        expect(cosetNtt(p, domain)).toEqual(valuesBy(p, domain, domain.shift));
      }),
      { numRuns: 40 },
    );
  });

  it('invert each other', () => {
    fc.assert(
      fc.property(polynomials, ([domain, p]) => {
        const full = paddedTo(p, domain.size);
        expect(inverseNtt(ntt(p, domain), domain)).toEqual(full);
        expect(inverseCosetNtt(cosetNtt(p, domain), domain)).toEqual(full);
      }),
      { numRuns: 40 },
    );
  });

  it('turn pointwise products into products modulo X^m − 1 and X^m − shift^m', () => {
    const x3 = [0n, 0n, 0n, 1n];
    const x6 = paddedTo([0n, 0n, 0n, 0n, 0n, 0n, 1n], TOY.size);
    const cyclic = inverseNtt(
      ntt(x3, TOY).map((v, i) => (v * ntt(x6, TOY)[i]) % TOY.modulus),
      TOY,
    );
    expect(cyclic).toEqual(paddedTo([0n, 1n], TOY.size));
    const onCoset = cosetNtt(x3, TOY).map((v, i) => (v * cosetNtt(x6, TOY)[i]) % TOY.modulus);
    expect(inverseCosetNtt(onCoset, TOY)).toEqual(
      paddedTo([0n, powMod(5n, 8n, TOY.modulus)], TOY.size),
    );
  });

  it('refuse more values than the domain has', () => {
    expect(() => ntt(Array<bigint>(9).fill(1n), TOY)).toThrow(RangeError);
  });
});

describe('domains', () => {
  it('are as small as possible', () => {
    expect([1, 2, 3, 512, 513, 2_687_961, 130_278_869].map((n) => frDomainFor(n).logN)).toEqual([
      0, 1, 2, 9, 10, 22, 27,
    ]);
    expect(frDomainFor(2 ** 31).logN).toBe(31);
  });

  it('fail as the reference does from exponent 32 on, and on nonsense', () => {
    expect(() => frDomainFor(2 ** 31 + 1)).toThrow('polynomial degree is too large');
    for (const rows of [0, -1, 1.5, Number.NaN])
      expect(() => frDomainFor(rows)).toThrow(RangeError);
  });

  it('have a generator of the right order and a coset apart', () => {
    const domain = frDomain(5);
    expect(domain.omega).toBe(frRootOfUnity(5));
    expect((domain.shift * domain.shiftInverse) % FR_MODULUS).toBe(1n);
    expect(domain.vanishingOnCoset).toBe(powMod(7n, 32n, FR_MODULUS) - 1n);
    expect(() => createDomain(64513n, 2, 20201n, 5n)).toThrow(/order 2\^2/);
    expect(() => createDomain(64513n, 4, 20201n, 5n)).toThrow(/order 2\^4/);
    expect(() => createDomain(64513n, 3, 20201n, 20201n)).toThrow(/outside the domain/);
  });
});
