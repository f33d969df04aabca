import { FR_BYTES } from '@cuzk/core/field/fr';
import { paramsCountsOf } from '@cuzk/core/groth16/params-layout';
import { countBits } from '@cuzk/core/r1cs/bitmap';
import { sumOverInstances } from '@cuzk/core/r1cs/density';
import type { CircuitShape, TemplateMatrix } from '@cuzk/core/r1cs/shape';
import { POINT_BYTES } from '../curve/point-segments.ts';
import type { DeviceTraits } from '../device/context.ts';
import { frSegmentLength } from '../field/fr-vector.ts';
import { plainTableLogs } from '../ntt/ntt-plain.ts';
import { planNtt } from '../ntt/ntt-plan.ts';
import { domainLog } from '../r1cs/device-shape.ts';
import { msmBytes, selectedBytes } from './scratch-bytes.ts';

/** Device memory that proofs of a circuit take, in bytes. What is scratch is bounded from above, the rest is exact. */
export interface MemoryPlan {
  /** Points by vector of the parameters, those of its tail included. */
  readonly srs: Readonly<Record<'h' | 'l' | 'a' | 'bG1' | 'bG2', number>>;
  readonly srsBytes: number;
  /** Row programs, densities, tables of the transforms. */
  readonly shapeBytes: number;
  /** Two witnesses: one that is proved, and the next one, uploaded ahead. */
  readonly witnessBytes: number;
  /** Two vectors of the evaluation domain. */
  readonly evaluationBytes: number;
  /** Of all sums, each with memory of its own: they run side by side, and what is idle is kept. */
  readonly scratchBytes: number;
  /** SRS and shape: what stays between proofs. */
  readonly residentBytes: number;
  /** All together: what must fit. */
  readonly provingBytes: number;
  /** Large tables of the transforms, part of `shapeBytes`; without them these are a little slower. */
  readonly tableBytes: number;
  /** One witness of `witnessBytes`. */
  readonly oneWitnessBytes: number;
  /** Scalars of a tail: inputs and elements. */
  readonly tailCount: number;
}

const WORD_BYTES = 4;
const WITNESSES = 2;

/** A GPU as Vulkan drivers present large ones; for plans without a device at hand. */
export const LARGE_GPU: DeviceTraits = {
  description: 'a large GPU',
  software: false,
  maxBindingBytes: 2 ** 31 - 4,
  maxBufferBytes: 2 ** 40,
  workgroupBytes: 48 * 1024,
  workgroupInvocations: 1024,
  storageBuffersPerStage: 16,
  timestamps: true,
};

/** What a circuit takes on a device with these traits; from counts alone, so it is quick. */
export function planMemory(shape: CircuitShape, traits: DeviceTraits): MemoryPlan {
  const counts = paramsCountsOf(shape);
  const domain = 2 ** domainLog(shape);
  const elements = sumOverInstances(shape, ({ elementBitmap }) => countBits(elementBitmap));
  const tail = shape.inputs + elements;
  const srs = {
    h: domain * POINT_BYTES.g1,
    l: (counts.l + tail) * POINT_BYTES.g1,
    a: (counts.a + tail) * POINT_BYTES.g1,
    bG1: (counts.b + tail) * POINT_BYTES.g1,
    bG2: (counts.b + tail) * POINT_BYTES.g2,
  };
  const srsBytes = Object.values(srs).reduce((sum, bytes) => sum + bytes, 0);
  const { plainBytes, tableBytes } = transformTables(shape, traits);
  const shapeBytes = programBytes(shape) + densityBytes(shape) + plainBytes + tableBytes;
  const oneWitnessBytes = Math.ceil(shape.aux / 8) + tail * FR_BYTES;
  const witnessBytes = WITNESSES * oneWitnessBytes;
  const evaluationBytes = 2 * domain * FR_BYTES;
  const scratchBytes =
    msmBytes(domain, 1, 'g1', traits) +
    msmBytes(tail, 2, 'g1', traits) +
    msmBytes(tail, 1, 'g2', traits) +
    selectedBytes(traits, 'g1', { sums: 3, points: counts.l, bits: shape.aux }) +
    selectedBytes(traits, 'g2', { sums: 1, points: counts.b, bits: shape.aux });
  const residentBytes = srsBytes + shapeBytes;
  return {
    srs,
    srsBytes,
    shapeBytes,
    witnessBytes,
    evaluationBytes,
    scratchBytes,
    residentBytes,
    provingBytes: residentBytes + witnessBytes + evaluationBytes + scratchBytes,
    tableBytes,
    oneWitnessBytes,
    tailCount: tail,
  };
}

/** A row of more terms than this is long: two words a term instead of one, and five for the row. */
const SHORT_TERMS = 7;
const LONG_ROW_BYTES = 20;
/** Headers of short rows: four words for 32 rows of each matrix. */
const HEADER_BYTES_PER_ROW = 0.5;

/** Row programs (r1cs-program.ts). Rows that are long for other reasons than their length are few. */
function programBytes({ segments }: CircuitShape): number {
  let bytes = 0;
  for (const { a, b, c, rows } of segments) {
    for (const matrix of [a, b, c]) bytes += matrixBytes(matrix, rows);
  }
  return bytes;
}

function matrixBytes({ rowPointers }: TemplateMatrix, rows: number): number {
  let bytes = rows * HEADER_BYTES_PER_ROW;
  for (let row = 0; row < rows; row++) {
    const words = (rowPointers[row + 1] ?? 0) - (rowPointers[row] ?? 0);
    bytes += words > SHORT_TERMS ? 2 * WORD_BYTES * words + LONG_ROW_BYTES / 3 : WORD_BYTES * words;
  }
  return bytes;
}

/** Which aux have a point in a, and in b; each with its ranks. */
const densityBytes = ({ aux }: CircuitShape): number => 4 * Math.ceil(aux / 32) * WORD_BYTES;

/** A quotient has an inverse transform, and a forward and an inverse one on the coset. */
const TRANSFORMS = 3;

/** Powers of roots of several orders, or twiddles between the passes of each kind of transform in access order. */
function transformTables(
  shape: CircuitShape,
  traits: DeviceTraits,
): { plainBytes: number; tableBytes: number } {
  const plan = planNtt(traits, domainLog(shape), { segmentLength: frSegmentLength(traits) });
  if (plan.form === 'plain') {
    const elements = plainTableLogs(plan.logBlock).reduce((sum, log) => sum + 2 ** log, 0);
    return { plainBytes: elements * FR_BYTES, tableBytes: 0 };
  }
  const elements = { none: 0, 'two-level': 0, full: TRANSFORMS, merged: 1 } as const;
  const tableBytes = plan.passes.reduce(
    (bytes, { logBlock, boundary }) => bytes + elements[boundary] * 2 ** logBlock * FR_BYTES,
    0,
  );
  return { plainBytes: 0, tableBytes };
}
