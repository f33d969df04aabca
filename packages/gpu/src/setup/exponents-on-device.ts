import { CuzkError } from '@cuzk/core/errors';
import { FR_BYTES, frInvert, frMul } from '@cuzk/core/field/fr';
import { hExponents, keyExponents, type ToxicWaste } from '@cuzk/core/groth16/key-exponents';
import { type ParamsCounts, paramsCountsOf } from '@cuzk/core/groth16/params-layout';
import { type EvaluationDomain, frDomainFor } from '@cuzk/core/poly/domain';
import type { PackedScalars } from '@cuzk/core/poly/packed-scalars';
import { type CircuitShape, domainRows } from '@cuzk/core/r1cs/shape';
import type { ScalarSegments } from '../curve/point-segments.ts';
import { groupsFor, readBuffer } from '../device/commands.ts';
import type { GpuContext } from '../device/context.ts';
import type { Kernel } from '../device/kernel.ts';
import { paceCommands } from '../device/paced-commands.ts';
import { frSegmentLength } from '../field/fr-vector.ts';
import { biasedConstant } from '../ntt/ntt-tables.ts';
import { openPowers } from '../ntt/powers.ts';
import { domainLog } from '../r1cs/device-shape.ts';
import { type DenseSource, denseExponents } from './dense-exponents.ts';
import type { QapMatrix } from './qap-columns.ts';
import { openQapOnDevice, type QapOptions } from './qap-on-device.ts';
import { readQapColumns } from './read-qap-columns.ts';

/**
 * The exponents of a key (spec §4.2) as canonical scalars on the device, a piece at a time and in the order of the
 * points of a parameter file. A piece is valid until the next one is asked for. Whoever stops early must end the
 * iteration (`for await` does), so that its buffers go back. All throw CuzkError CANCELLED.
 */
export interface DeviceExponents {
  readonly counts: ParamsCounts;
  readonly ic: readonly bigint[];
  /** m − 1 powers of τ times (τ^m − 1)/δ; or in bit-reversed order, m of them with zero for the missing last one. */
  h(order: 'natural' | 'bit-reversed'): AsyncGenerator<ScalarSegments>;
  /** Throws CuzkError SETUP_FAILED after the last piece where an aux variable is in no constraint. */
  l(): AsyncGenerator<ScalarSegments>;
  /**
   * Without the columns that have no term in A. Throws SETUP_FAILED after the last piece where another is zero at τ.
   */
  a(): AsyncGenerator<ScalarSegments>;
  /** As a(), of B. */
  b(): AsyncGenerator<ScalarSegments>;
  close(): void;
}

export interface ExponentOptions extends QapOptions {
  /** Columns of one piece: a power of two, 32 or more. */
  readonly pieceColumns?: number;
}

const WORKGROUP = 64;
const SOFTWARE_PIECE = 2 ** 17;
const HARDWARE_PIECE = 2 ** 22;

/**
 * Evaluates the QAP of a circuit at τ and prepares its exponents. Throws CuzkError SETUP_FAILED for γ or δ = 0 and for
 * τ in the domain, SHAPE_MALFORMED, CANCELLED.
 */
export async function openDeviceExponents(
  context: GpuContext,
  shape: CircuitShape,
  waste: ToxicWaste,
  { pieceColumns, ...options }: ExponentOptions = {},
): Promise<DeviceExponents> {
  const domain = frDomainFor(domainRows(shape));
  const piece = pieceColumns ?? (context.traits.software ? SOFTWARE_PIECE : HARDWARE_PIECE);
  const qap = await openQapOnDevice(context, shape, waste.tau, options);
  const work: Work = {
    context,
    shape,
    waste,
    domain,
    qap,
    piece: Math.min(piece, frSegmentLength(context.traits)),
    signal: options.signal,
  };
  try {
    const ic = await icExponents(work);
    return {
      counts: paramsCountsOf(shape),
      ic,
      h: (order) => hPieces(work, order),
      l: () => lPieces(work),
      a: () => denseExponents(work, 'a'),
      b: () => denseExponents(work, 'b'),
      close: () => qap.close(),
    };
  } catch (error) {
    qap.close();
    throw error;
  }
}

interface Work extends DenseSource {
  readonly waste: ToxicWaste;
  readonly domain: EvaluationDomain;
}

export const combineKernel = ({ kernels }: Pick<GpuContext, 'kernels'>): Promise<Kernel> =>
  kernels.get({ file: 'setup/combine-qap.wgsl', bindings: 'wrrwu', workgroupSize: WORKGROUP });

const scalars = (buffer: GPUBuffer, count: number): ScalarSegments => ({
  count,
  segmentScalars: count,
  segments: [buffer],
});

/** Few, so they are combined on the host. Checks γ and δ on the way. */
async function icExponents(work: Work): Promise<readonly bigint[]> {
  const { context, qap, shape, waste, domain, piece, signal } = work;
  const read = (matrix: QapMatrix): Promise<PackedScalars> =>
    readQapColumns(context, qap, matrix, 0, shape.inputs, piece, signal);
  const inputs = { domain, u: await read('a'), v: await read('b'), w: await read('c') };
  return keyExponents(inputs, shape.inputs, waste).ic;
}

async function* hPieces(
  { context, shape, domain, waste, piece, signal }: Work,
  order: 'natural' | 'bit-reversed',
): AsyncGenerator<ScalarSegments> {
  const end = domain.size - 1;
  const logN = domainLog(shape);
  const count = order === 'natural' ? end : 2 ** logN;
  // a domain of one row has no exponent at all
  const first = hExponents(domain, waste).next().value ?? 1n;
  const powers = await openPowers(context, logN, waste.tau, first, end);
  const buffer = context.buffers.take('scratch', piece * FR_BYTES, 'exponents of h');
  try {
    const paced = paceCommands(context, 'setup', signal);
    for (let start = 0; start < count; start += piece) {
      const part = Math.min(piece, count - start);
      await powers.fill(paced, { start, count: part, order }, buffer);
      await paced.finish();
      yield scalars(buffer, part);
    }
  } finally {
    context.buffers.give(buffer);
    powers.close();
  }
}

async function* lPieces({
  context,
  qap,
  shape,
  waste,
  piece,
  signal,
}: Work): AsyncGenerator<ScalarSegments> {
  const { inputs, aux } = shape;
  const kernel = await combineKernel(context);
  const take = (bytes: number): GPUBuffer =>
    context.buffers.take('scratch', bytes, 'exponents of l');
  const [u, v, w] = [take(piece * FR_BYTES), take(piece * FR_BYTES), take(piece * FR_BYTES)];
  const report = take(8);
  const overDelta = frInvert(waste.delta);
  const factors = [frMul(waste.beta, overDelta), frMul(waste.alpha, overDelta), overDelta];
  const constants = factors.flatMap((factor) => [...biasedConstant(context, factor)]);
  try {
    context.device.queue.writeBuffer(report, 0, Uint32Array.of(0, 0xffffffff));
    const paced = paceCommands(context, 'setup', signal);
    for (let first = 0; first < aux; first += piece) {
      const count = Math.min(piece, aux - first);
      await qap.evaluate(paced, 'a', inputs + first, count, u);
      await qap.evaluate(paced, 'b', inputs + first, count, v);
      await qap.evaluate(paced, 'c', inputs + first, count, w);
      const groups = groupsFor(count, WORKGROUP);
      paced.commands.dispatch(kernel, [u, v, w, report], groups, [...constants, count, first]);
      await paced.finish();
      yield scalars(u, count);
    }
    const [zeros, zero] = new Uint32Array(await readBuffer(context, report, 0, 8));
    if (zeros > 0) {
      throw new CuzkError('SETUP_FAILED', `setup: unconstrained variable, aux ${zero}`, {
        expected: 'every aux variable in some constraint',
        found: `aux ${zero} in none`,
      });
    }
  } finally {
    for (const buffer of [u, v, w, report]) context.buffers.give(buffer);
  }
}
