import { describe, expect, it } from 'vitest';
import { fromHex, toHex } from '../bytes.ts';
import { g1Msm, g1Sum, g2Msm, g2Sum } from '../curve/msm.ts';
import { FR_MODULUS } from '../field/fr.ts';
import { mod } from '../field/modular.ts';
import { frDomainFor } from '../poly/domain.ts';
import { quotientBySixTransforms } from '../poly/quotient.ts';
import { type CircuitShape, domainRows } from '../r1cs/shape.ts';
import { assembleProof } from './assemble.ts';
import { developmentBlinding } from './development-waste.ts';
import { memoryReader } from './memory-reader.ts';
import { readG1Points, readG2Points, readParamsFile } from './params-file.ts';
import { encodeProof } from './proof.ts';
import {
  fromLeHex,
  g1FromHex,
  g2FromHex,
  goldenBytes,
  goldenJson,
  goldenText,
  type ProofIntermediate,
} from './testing/golden.ts';
import { shapeOfRows } from './testing/parse-rows.ts';
import { writeOutRows } from './testing/write-out.ts';

const golden = goldenJson<{
  public_inputs_le: string[];
  aux_le: string[];
  proof: string;
  row_values_le: Record<'a' | 'b' | 'c', string[]>;
  intermediate: ProofIntermediate;
}>('small/poseidon2.json');
const shape = shapeOfRows(goldenText('small/poseidon2-rows.txt.gz'), 'poseidon2', 2, 313);
const inputs = [1n, ...golden.public_inputs_le.map(fromLeHex)];
const aux = golden.aux_le.map(fromLeHex);

/** Values of one combination in every row, input rows included (spec §4.1, §4.3). */
function rowValues(circuit: CircuitShape, name: 'a' | 'b' | 'c'): bigint[] {
  const values = [...inputs, ...aux];
  const coefficient = (kind: number, index = -1): bigint => {
    if (kind <= 253) return 1n << BigInt(kind);
    return kind === 254 ? -1n : circuit.dictionary[index];
  };
  const rows = writeOutRows(circuit, name).map((row) =>
    row.reduce((sum, [column, kind, index]) => sum + values[column] * coefficient(kind, index), 0n),
  );
  return [...rows, ...inputs.map((value) => (name === 'a' ? value : 0n))].map((value) =>
    mod(value, FR_MODULUS),
  );
}

const dense = (values: readonly bigint[], bitmap: Uint32Array): bigint[] =>
  values.filter((_, i) => (bitmap[i >> 5] >>> (i & 31)) & 1);

async function proveByTheText() {
  const reader = memoryReader(goldenBytes('small/poseidon2.params'));
  const { vk, sections } = await readParamsFile(reader);
  const [a, b, c] = (['a', 'b', 'c'] as const).map((name) => rowValues(shape, name));
  const quotient = quotientBySixTransforms(a, b, c, frDomainFor(domainRows(shape)));
  const [{ aDensity, bDensity }] = shape.segments;
  const bInputs = dense(inputs, shape.bInputDensity);
  const bAux = dense(aux, bDensity);
  const g1 = async (name: 'h' | 'l' | 'a' | 'bG1', first: number, scalars: bigint[]) =>
    g1Msm(await readG1Points(reader, sections[name], first, scalars.length), scalars);
  const g2 = async (first: number, scalars: bigint[]) =>
    g2Msm(await readG2Points(reader, sections.bG2, first, scalars.length), scalars);
  const msm = {
    h: await g1('h', 0, quotient),
    l: await g1('l', 0, aux),
    aInputs: await g1('a', 0, inputs),
    aAux: await g1('a', inputs.length, dense(aux, aDensity)),
    bG1Inputs: await g1('bG1', 0, bInputs),
    bG1Aux: await g1('bG1', bInputs.length, bAux),
    bG2Inputs: await g2(0, bInputs),
    bG2Aux: await g2(bInputs.length, bAux),
  };
  const sums = {
    h: msm.h,
    l: msm.l,
    a: g1Sum([msm.aInputs, msm.aAux]),
    bG1: g1Sum([msm.bG1Inputs, msm.bG1Aux]),
    bG2: g2Sum([msm.bG2Inputs, msm.bG2Aux]),
  };
  return { msm, proof: toHex(encodeProof(assembleProof(vk, sums, developmentBlinding(0)))) };
}

describe('poseidon2, proved on the host step by step as spec §4.3 says', () => {
  it('the row values are those of the reference', () => {
    for (const name of ['a', 'b', 'c'] as const) {
      expect(rowValues(shape, name)).toEqual(golden.row_values_le[name].map(fromLeHex));
    }
  });

  it('the eight MSMs and the proof are those of the reference', async () => {
    const { msm, proof } = await proveByTheText();
    const hex = golden.intermediate.msm_uncompressed;
    expect(msm).toEqual({
      h: g1FromHex(hex.h),
      l: g1FromHex(hex.l),
      aInputs: g1FromHex(hex.a_inputs),
      aAux: g1FromHex(hex.a_aux),
      bG1Inputs: g1FromHex(hex.b_g1_inputs),
      bG1Aux: g1FromHex(hex.b_g1_aux),
      bG2Inputs: g2FromHex(hex.b_g2_inputs),
      bG2Aux: g2FromHex(hex.b_g2_aux),
    });
    expect(proof).toBe(golden.proof);
    expect(fromHex(proof).length).toBe(192);
  });
});
