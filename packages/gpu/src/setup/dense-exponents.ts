import { CuzkError } from '@cuzk/core/errors';
import { FR_BYTES } from '@cuzk/core/field/fr';
import { paramsCountsOf } from '@cuzk/core/groth16/params-layout';
import { bitmapOf, hasBit, rankOf, ranksOf, setBit } from '@cuzk/core/r1cs/bitmap';
import { expandBitmap } from '@cuzk/core/r1cs/density';
import type { CircuitShape } from '@cuzk/core/r1cs/shape';
import type { ScalarSegments } from '../curve/point-segments.ts';
import { groupsFor, readBuffer } from '../device/commands.ts';
import type { GpuContext } from '../device/context.ts';
import type { Kernel } from '../device/kernel.ts';
import { paceCommands } from '../device/paced-commands.ts';
import type { QapOnDevice } from './qap-on-device.ts';

const WORKGROUP = 64;

/** What exponents of the compacted queries are made from. */
export interface DenseSource {
  readonly context: GpuContext;
  readonly shape: CircuitShape;
  readonly qap: QapOnDevice;
  /** Columns at once: a power of two, 32 or more. */
  readonly piece: number;
  readonly signal: AbortSignal | undefined;
}

export const compactKernel = ({ kernels }: Pick<GpuContext, 'kernels'>): Promise<Kernel> =>
  kernels.get({
    file: 'setup/compact-scalars.wgsl',
    bindings: 'rrrwwu',
    workgroupSize: WORKGROUP,
  });

/**
 * The exponents of a or b (spec §4.2) in pieces: the columns of u or v that have a term, inputs first. Throws CuzkError
 * SETUP_FAILED after the last piece where one of them is zero at τ, CANCELLED.
 */
export async function* denseExponents(
  source: DenseSource,
  name: 'a' | 'b',
): AsyncGenerator<ScalarSegments> {
  const { context, shape } = source;
  const report = context.buffers.take('scratch', 8, 'report');
  context.device.queue.writeBuffer(report, 0, Uint32Array.of(0, 0));
  try {
    yield* denseColumns(source, name, 0, inputDensity(shape, name), shape.inputs, report);
    const density = expandBitmap(shape, name === 'a' ? 'aDensity' : 'bDensity');
    yield* denseColumns(source, name, shape.inputs, density, shape.aux, report);
    const [zeros, others] = new Uint32Array(await readBuffer(context, report, 0, 8));
    if (zeros > 0 || others > 0) {
      const expected = paramsCountsOf(shape)[name];
      throw new CuzkError('SETUP_FAILED', `setup: a polynomial of ${name} vanishes at tau`, {
        expected: `${expected} exponents that are not zero`,
        found: `${expected - zeros + others}`,
        action: 'use another tau',
      });
    }
  } finally {
    context.buffers.give(report);
  }
}

/** Inputs with a term: all in A because of their input rows. */
function inputDensity({ inputs, bInputDensity }: CircuitShape, name: 'a' | 'b'): Uint32Array {
  const density = bitmapOf(inputs);
  for (let i = 0; i < inputs; i++) if (name === 'a' || hasBit(bInputDensity, i)) setBit(density, i);
  return density;
}

/** The exponents of those columns base … base + columns − 1 whose bit of the density is set. */
async function* denseColumns(
  { context, qap, piece, signal }: DenseSource,
  name: 'a' | 'b',
  base: number,
  density: Uint32Array,
  columns: number,
  report: GPUBuffer,
): AsyncGenerator<ScalarSegments> {
  const kernel = await compactKernel(context);
  const ranks = ranksOf(density);
  const take = (bytes: number, label: string): GPUBuffer =>
    context.buffers.take('scratch', bytes, label);
  const values = take(piece * FR_BYTES, 'columns');
  const out = take(piece * FR_BYTES, `exponents of ${name}`);
  const words = [take(piece / 8, 'density'), take(piece / 8, 'density ranks')];
  try {
    const paced = paceCommands(context, 'setup', signal);
    for (let first = 0; first < columns; first += piece) {
      const count = Math.min(piece, columns - first);
      const [from, to] = [first / 32, Math.ceil((first + count) / 32)];
      [density, ranks].forEach((source, i) => {
        const part = source.slice(from, to);
        context.device.queue.writeBuffer(words[i], 0, part);
      });
      await qap.evaluate(paced, name, base + first, count, values);
      paced.commands.dispatch(
        kernel,
        [values, ...words, out, report],
        groupsFor(count, WORKGROUP),
        [count, ranks[from]],
      );
      await paced.finish();
      const last = first + count - 1;
      const end = rankOf(density, ranks, last) + (hasBit(density, last) ? 1 : 0);
      if (end > ranks[from])
        yield { count: end - ranks[from], segmentScalars: piece, segments: [out] };
    }
  } finally {
    for (const buffer of [values, out, ...words]) context.buffers.give(buffer);
  }
}
