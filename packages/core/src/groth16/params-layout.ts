import { G1_UNCOMPRESSED_BYTES, G2_UNCOMPRESSED_BYTES } from '../curve/point-encoding.ts';
import { frDomainFor } from '../poly/domain.ts';
import { countBits } from '../r1cs/bitmap.ts';
import { sumOverInstances } from '../r1cs/density.ts';
import { type CircuitShape, domainRows } from '../r1cs/shape.ts';
import { verifyingKeyBytes } from './verifying-key.ts';

/** The five long vectors of a `.params` file, in file order (spec §4.5). */
export const PARAMS_SECTIONS = ['h', 'l', 'a', 'bG1', 'bG2'] as const;
export type ParamsSectionName = (typeof PARAMS_SECTIONS)[number];

export interface ParamsSection {
  readonly name: ParamsSectionName;
  /** File offset of the first point; the u32 count stands in the four bytes before. */
  readonly offset: number;
  readonly count: number;
  readonly pointBytes: number;
}

/** How many points each vector of a parameter file has. */
export interface ParamsCounts {
  /** ic points: inputs including ONE. */
  readonly inputs: number;
  /** Domain size − 1. */
  readonly h: number;
  /** Aux variables. */
  readonly l: number;
  /** Inputs, and aux that occur in A. */
  readonly a: number;
  /** Variables that occur in B; b_g1 and b_g2 have the same. */
  readonly b: number;
}

export const PARAMS_COUNT_BYTES = 4;

/** Bytes of one uncompressed point of a section. */
export const pointBytesOf = (name: ParamsSectionName): number =>
  name === 'bG2' ? G2_UNCOMPRESSED_BYTES : G1_UNCOMPRESSED_BYTES;

/** Where each section of a file with these counts begins, and how long the file is (spec §4.5, §4.7). */
export function layOutParams(counts: ParamsCounts): {
  readonly sections: Readonly<Record<ParamsSectionName, ParamsSection>>;
  readonly sizeBytes: number;
} {
  let end = verifyingKeyBytes(counts.inputs);
  const place = (name: ParamsSectionName, count: number): ParamsSection => {
    const section = {
      name,
      offset: end + PARAMS_COUNT_BYTES,
      count,
      pointBytes: pointBytesOf(name),
    };
    end = section.offset + section.pointBytes * count;
    return section;
  };
  const sections = {
    h: place('h', counts.h),
    l: place('l', counts.l),
    a: place('a', counts.a),
    bG1: place('bG1', counts.b),
    bG2: place('bG2', counts.b),
  };
  return { sections, sizeBytes: end };
}

/**
 * The counts a parameter file for this circuit must have (spec §4.2, §4.7): all inputs are in a because of
 * the input rows; b holds the inputs and aux with a coefficient in B.
 */
export function paramsCountsOf(shape: CircuitShape): ParamsCounts {
  const dense = (which: 'aDensity' | 'bDensity'): number =>
    sumOverInstances(shape, (segment) => countBits(segment[which]));
  const { size } = frDomainFor(domainRows(shape));
  return {
    inputs: shape.inputs,
    h: size - 1,
    l: shape.aux,
    a: shape.inputs + dense('aDensity'),
    b: countBits(shape.bInputDensity) + dense('bDensity'),
  };
}
