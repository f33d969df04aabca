import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { toHex } from '../bytes.ts';
import { FR_BYTES, FR_MODULUS } from '../field/fr.ts';
import { powMod } from '../field/modular.ts';
import { poseidon2Circuit, sha256NodeCircuit } from '../gadgets/small-circuits.ts';
import { frDomain } from '../poly/domain.ts';
import { lagrangeAt } from '../poly/lagrange.ts';
import { cosetNtt, inverseNtt } from '../poly/ntt.ts';
import {
  allocateScalars,
  type PackedScalars,
  scalarBytes,
  scalarCount,
  writeScalar,
} from '../poly/packed-scalars.ts';
import { quotientBySixTransforms } from '../poly/quotient.ts';
import { sectorShape } from '../porep/sector.ts';
import { stackedCircuit } from '../porep/stacked-circuit.ts';
import { compileTemplate } from '../r1cs/compile-shape.ts';
import type { SegmentedCircuit } from '../r1cs/constraint-system.ts';
import type { CircuitShape } from '../r1cs/shape.ts';
import { referenceWitness } from '../r1cs/witness-collector.ts';
import { developmentToxicWaste } from './development-waste.ts';
import { hExponents, keyExponents, verifyingKeyOf } from './key-exponents.ts';
import { layOutParams, paramsCountsOf } from './params-layout.ts';
import { evaluateQapAtTau } from './qap-at-tau.ts';
import { fromBeHex, fromLeHex, goldenBytes, goldenJson } from './testing/golden.ts';
import { encodeVerifyingKey } from './verifying-key.ts';

const waste = developmentToxicWaste();
const shapeOf = <Shared>(circuit: SegmentedCircuit<Shared>): CircuitShape => ({
  ...compileTemplate(circuit),
  shapeDigest: '',
});
/** Sequence digest: SHA-256 of the 32-byte LE encodings. */
function digestOf(values: Iterable<bigint>): string {
  const hash = createHash('sha256');
  const block = allocateScalars(1024);
  let filled = 0;
  const flush = (): void => {
    hash.update(scalarBytes(block).subarray(0, FR_BYTES * filled));
    filled = 0;
  };
  for (const value of values) {
    writeScalar(block, filled++, value);
    if (filled === scalarCount(block)) flush();
  }
  flush();
  return hash.digest('hex');
}
const packedDigest = (scalars: PackedScalars): string =>
  createHash('sha256').update(scalarBytes(scalars)).digest('hex');

describe.each([
  { name: 'poseidon2', circuit: poseidon2Circuit },
  { name: 'sha256-node', circuit: sha256NodeCircuit },
])('$name, from its gadget', ({ name, circuit }) => {
  interface Stage {
    count: number;
    sha256: string;
  }
  const golden = goldenJson<{
    a_le: string;
    b_le: string;
    params_bytes: number;
    row_values: Record<'a' | 'b' | 'c', Stage>;
    intermediate: { domain: number; stages: Record<string, Stage> };
  }>(`small/${name}.json`);
  const shape = shapeOf(circuit());

  it('has the counts and the verifying key of the golden parameters', () => {
    expect(layOutParams(paramsCountsOf(shape)).sizeBytes).toBe(golden.params_bytes);
    const key = keyExponents(evaluateQapAtTau(shape, waste.tau), shape.inputs, waste);
    const vk = encodeVerifyingKey(verifyingKeyOf(waste, key.ic));
    expect(toHex(vk)).toBe(toHex(goldenBytes(`small/${name}.vk`)));
  });

  it('has the golden coefficients, coset values and quotient', () => {
    const { rows } = referenceWitness(
      circuit({ a: fromLeHex(golden.a_le), b: fromLeHex(golden.b_le) }),
    );
    const { stages } = golden.intermediate;
    const domain = frDomain(Math.log2(golden.intermediate.domain));
    for (const side of ['a', 'b', 'c'] as const) {
      expect(digestOf(rows[side])).toBe(golden.row_values[side].sha256);
      const coefficients = inverseNtt(rows[side], domain);
      expect(digestOf(coefficients)).toBe(stages[`${side}_coefficients`].sha256);
      expect(digestOf(cosetNtt(coefficients, domain))).toBe(stages[`${side}_on_coset`].sha256);
    }
    const h = quotientBySixTransforms(rows.a, rows.b, rows.c, domain);
    expect(h.length).toBe(stages.h_coefficients.count);
    expect(digestOf(h)).toBe(stages.h_coefficients.sha256);
  });
});

const slow = process.env.SLOW === '1';
if (!slow)
  console.log(
    'the QAP of the 2 KiB and 8 MiB circuits is compared with SLOW=1 only (≈ 1 min each)',
  );

describe.skipIf(!slow).each([
  { size: '2KiB', sectorBytes: 2048 },
  { size: '8MiB', sectorBytes: 8 << 20 },
])('the $size circuit', ({ size, sectorBytes }) => {
  interface Sequence {
    count: number;
    sha256: string;
    nonzero: number;
  }
  type Sequences =
    | 'lagrange_at_tau'
    | 'u_at_tau_inputs_then_aux'
    | 'v_at_tau_inputs_then_aux'
    | 'w_at_tau_inputs_then_aux'
    | 'exponents_h'
    | 'exponents_ic'
    | 'exponents_l'
    | 'exponents_a_compacted'
    | 'exponents_b_compacted';
  const golden = goldenJson<
    Record<Sequences, Sequence> & { domain: number; tau_pow_m_minus_1: string }
  >(`params/${size}-qap-at-tau.json`);

  it('has the golden exponents in every section', { timeout: 600_000 }, () => {
    const shape = shapeOf(stackedCircuit(sectorShape(sectorBytes)));
    const started = performance.now();
    const lap = (what: string): void =>
      console.log(`${size} ${what}: ${((performance.now() - started) / 1000).toFixed(1)} s`);
    const qap = evaluateQapAtTau(shape, waste.tau);
    lap('QAP at tau');
    expect(packedDigest(qap.u)).toBe(golden.u_at_tau_inputs_then_aux.sha256);
    expect(packedDigest(qap.v)).toBe(golden.v_at_tau_inputs_then_aux.sha256);
    expect(packedDigest(qap.w)).toBe(golden.w_at_tau_inputs_then_aux.sha256);
    const key = keyExponents(qap, shape.inputs, waste);
    lap('key exponents');
    expect(digestOf(key.ic)).toBe(golden.exponents_ic.sha256);
    expect(packedDigest(key.l)).toBe(golden.exponents_l.sha256);
    expect(packedDigest(key.a)).toBe(golden.exponents_a_compacted.sha256);
    expect(packedDigest(key.b)).toBe(golden.exponents_b_compacted.sha256);
    expect(paramsCountsOf(shape)).toEqual({
      inputs: golden.exponents_ic.count,
      h: golden.exponents_h.count,
      l: golden.exponents_l.count,
      a: golden.exponents_a_compacted.count,
      b: golden.exponents_b_compacted.count,
    });
    expect(digestOf(hExponents(qap.domain, waste))).toBe(golden.exponents_h.sha256);
    lap('exponents of h');
    expect(digestOf(lagrangeAt(qap.domain, waste.tau))).toBe(golden.lagrange_at_tau.sha256);
    expect(powMod(waste.tau, BigInt(golden.domain), FR_MODULUS) - 1n).toBe(
      fromBeHex(golden.tau_pow_m_minus_1),
    );
    lap('all Lagrange values');
  });
});
