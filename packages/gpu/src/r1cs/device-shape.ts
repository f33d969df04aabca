import { frDomainFor } from '@cuzk/core/poly/domain';
import { type CircuitShape, domainRows } from '@cuzk/core/r1cs/shape';
import type { GpuContext } from '../device/context.ts';
import { FR_VARIANTS, writeBiasedConstant, writeWords } from '../field/field-variants.ts';
import { buildPrograms, coefficientValues, type SegmentProgram } from './r1cs-program.ts';
import type { ShortChunk } from './r1cs-short-program.ts';

const MOST_PROGRAM_BYTES = 2 ** 30;
const COEFFICIENT_WORDS = 16;
const LONG_ROW_WORDS = 5;

interface DeviceChunk extends Omit<ShortChunk, 'words'> {
  readonly program: GPUBuffer;
}

export interface DeviceSegment extends Omit<SegmentProgram, 'chunks' | 'longRows' | 'longTerms'> {
  readonly chunks: readonly DeviceChunk[];
  readonly longCount: number;
  readonly longRows: GPUBuffer;
  readonly longTerms: GPUBuffer;
}

/** The programs of a circuit on the device; good for any number of witnesses. */
export interface DeviceShape {
  readonly shape: CircuitShape;
  /** Constraints and input rows. */
  readonly rows: number;
  /** log2 of the evaluation domain: the smallest power of two that holds all rows. */
  readonly logN: number;
  /** True where c is there too, so that rows can be checked. */
  readonly check: boolean;
  readonly segments: readonly DeviceSegment[];
  readonly coefficients: GPUBuffer;
  /** Number of the coefficient R, which turns a Montgomery product of plain values into their product. */
  readonly montgomeryCoefficient: number;
  close(): void;
}

/** log2 of the domain that proofs of a circuit are computed in; two rows at least. */
export const domainLog = (shape: CircuitShape): number =>
  Math.max(1, frDomainFor(domainRows(shape)).logN);

/**
 * Builds and uploads the programs of a circuit. With `check`, rows can be compared with c at the price of its terms.
 * `chunkWords` bounds the 32-bit words of one program buffer (default: what a binding holds).
 */
export function uploadShape(
  context: GpuContext,
  shape: CircuitShape,
  options: { check: boolean; chunkWords?: number },
): DeviceShape {
  const upload = (words: Uint32Array, label: string): GPUBuffer => {
    const buffer = context.buffers.take('shape', words.byteLength, label);
    if (words.length > 0) {
      context.device.queue.writeBuffer(buffer, 0, words.buffer, words.byteOffset, words.byteLength);
    }
    return buffer;
  };
  const chunkWords =
    options.chunkWords ?? Math.min(MOST_PROGRAM_BYTES, context.traits.maxBindingBytes) / 4 - 1024;
  const segments = buildPrograms(shape, options.check, chunkWords).map(
    ({ chunks, longRows, longTerms, ...facts }): DeviceSegment => ({
      ...facts,
      chunks: chunks.map(({ words, ...chunk }) => ({ ...chunk, program: upload(words, 'rows') })),
      longCount: longRows.length / LONG_ROW_WORDS,
      longRows: upload(longRows, 'long rows'),
      longTerms: upload(longTerms, 'long terms'),
    }),
  );
  const field = FR_VARIANTS[context.variants.fr];
  const values = [...coefficientValues(shape), field.montgomeryR % field.modulus];
  const coefficientWords = new Uint32Array(values.length * COEFFICIENT_WORDS);
  values.forEach((value, i) => {
    writeWords(coefficientWords, i * COEFFICIENT_WORDS, field.words, value);
    writeBiasedConstant(field, coefficientWords, i * COEFFICIENT_WORDS + field.words, value);
  });
  const coefficients = upload(coefficientWords, 'coefficients');
  const rows = domainRows(shape);
  return {
    shape,
    rows,
    logN: domainLog(shape),
    check: options.check,
    segments,
    coefficients,
    montgomeryCoefficient: values.length - 1,
    close: () => {
      context.buffers.drop(coefficients);
      for (const { chunks, longRows, longTerms } of segments) {
        for (const buffer of [longRows, longTerms, ...chunks.map((chunk) => chunk.program)]) {
          context.buffers.drop(buffer);
        }
      }
    },
  };
}
