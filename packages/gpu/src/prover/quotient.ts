import { CuzkError } from '@cuzk/core/errors';
import { FR_MODULUS, frInvert, frMul } from '@cuzk/core/field/fr';
import { groupsFor, readBuffer } from '../device/commands.ts';
import type { GpuContext } from '../device/context.ts';
import type { Kernel } from '../device/kernel.ts';
import { type PacedCommands, paceCommands } from '../device/paced-commands.ts';
import {
  type FrVector,
  frSegmentLength,
  giveFrVector,
  segmentRanges,
  takeFrVector,
} from '../field/fr-vector.ts';
import { type Ntt, openNtt, type TransformOptions } from '../ntt/ntt.ts';
import type { NttPlanOptions } from '../ntt/ntt-plan.ts';
import { biasedConstant } from '../ntt/ntt-tables.ts';
import { transformField, transformKernel } from '../ntt/transform-field.ts';
import type { DeviceShape } from '../r1cs/device-shape.ts';
import type { DeviceWitness } from '../r1cs/device-witness.ts';
import { evaluateRows } from '../r1cs/r1cs-eval.ts';

const WORKGROUP = 64;

/**
 * The quotient of one evaluation domain (spec §4.3). With c := a∘b, which is the true c where every row holds,
 * h = (inverse coset transform of a∘b − inverse transform of c) / (g^n − 1): six transforms, two vectors. h does not
 * depend on the coset; g is a root of order 2n, so g^n = −1 and the coset's powers are among the twiddles.
 */
export interface Quotient {
  readonly logN: number;
  readonly ntt: Ntt;
  /**
   * The n coefficients of h as canonical scalars, by default in bit-reversed order: position p holds coefficient
   * rev(p). In either order the last position holds the coefficient of X^(n−1), which is zero, and h lies in the vector
   * that was taken first, which plans of memory rely on. The caller gives it back. The work is submitted when this
   * resolves, not done: `checked` is when it is. Phases of its submits: `r1cs_eval` and `ntt`. Throws CANCELLED once
   * the signal fires.
   */
  compute(
    shape: DeviceShape,
    witness: DeviceWitness,
    options?: QuotientOptions,
  ): Promise<ComputedQuotient>;
  close(): void;
}

export interface QuotientOptions {
  readonly signal?: AbortSignal | undefined;
  readonly order?: 'bit-reversed' | 'natural';
  /** Most multiplications of one submit; by default what suits the device. */
  readonly budget?: number | undefined;
}

/** Coefficients of h on their way. */
export interface ComputedQuotient {
  readonly h: FrVector;
  /** Rejects with PROOF_SELF_CHECK_FAILED where the last coefficient is not zero: then the device has miscomputed. */
  readonly checked: Promise<void>;
}

/** Prepares kernels and tables for domains of 2^logN rows. */
export async function openQuotient(
  context: GpuContext,
  logN: number,
  options: Partial<NttPlanOptions> = {},
): Promise<Quotient> {
  const kernels = await openKernels(context);
  const ntt = await openNtt(context, logN, options);
  const scales = createScales(context, logN);
  await prepareTransforms(context, ntt);
  const segmentLength = options.segmentLength ?? frSegmentLength(context.traits);

  const compute: Quotient['compute'] = async (shape, witness, { signal, order, budget } = {}) => {
    if (shape.logN !== logN) {
      throw new RangeError(`shape: expected a domain of 2^${logN}, got 2^${shape.logN}`);
    }
    const evaluation = paceCommands(context, 'r1cs_eval', signal, budget);
    const transforms = paceCommands(context, 'ntt', signal, budget);
    const take = (label: string): FrVector =>
      takeFrVector(context, 'evaluations', 2 ** logN, label, segmentLength);
    const evaluate = async (what: 'a' | 'b' | 'product', out: FrVector): Promise<void> => {
      await evaluateRows(context, evaluation, shape, witness, what, out);
      await evaluation.send();
    };
    const toCoset = async (vector: FrVector): Promise<void> => {
      await ntt.dif(transforms, vector, 'inverse', FIRST);
      await ntt.dit(transforms, vector, 'forward', ON_COSET);
      await transforms.send();
    };
    let x = take('a');
    let y: FrVector | undefined;
    try {
      await evaluate('a', x);
      await toCoset(x);
      // where memory for it must be made, the device has its work meanwhile
      y = take('b');
      await evaluate('b', y);
      await toCoset(y);
      // the reversal moves h to the other vector
      if (order === 'natural') [x, y] = [y, x];
      await recordProduct(transforms, kernels.multiply, x, y);
      await transforms.send();
      await evaluate('product', y);
      await ntt.dif(transforms, x, 'inverse', ON_COSET);
      await ntt.dif(transforms, y, 'inverse', FIRST);
      await recordQuotient(transforms, kernels.quotient, scales, x, y);
      if (order === 'natural') {
        await recordReversal(context, transforms, x, y);
        [x, y] = [y, x];
      }
      await transforms.send();
      const checked = requireZeroLast(context, x);
      // whoever waits for it hears of it
      checked.catch(() => {});
      return { h: x, checked };
    } catch (error) {
      giveFrVector(context, x);
      throw error;
    } finally {
      if (y !== undefined) giveFrVector(context, y);
    }
  };
  return {
    logN,
    ntt,
    compute,
    close: () => ntt.close(),
  };
}

/** Of rows just evaluated, and of everything after. */
const FIRST: TransformOptions = { output: 'kept' };
const ON_COSET: TransformOptions = { coset: true, input: 'kept', output: 'kept' };

/** Gives everything of the transforms back where that fails. */
async function prepareTransforms(context: GpuContext, ntt: Ntt): Promise<void> {
  const paced = paceCommands(context, 'ntt tables');
  const prepared = [
    ntt.prepare('dif', paced, 'inverse', FIRST),
    ntt.prepare('dit', paced, 'forward', ON_COSET),
    ntt.prepare('dif', paced, 'inverse', ON_COSET),
  ];
  try {
    await Promise.all(prepared);
    await paced.finish();
  } catch (error) {
    // none may take a table any more
    await Promise.allSettled(prepared);
    ntt.close();
    throw error;
  }
}

/**
 * h = (c' − d')/2, where c' and d' are the coefficients of a∘b modulo X^n − 1 and modulo X^n + 1. No transform divides
 * by n, and the product of the values on the coset divides by R. Words of x's scale, then of c's, biased.
 */
function createScales(context: GpuContext, logN: number): readonly number[] {
  const field = transformField(context);
  const overN = frInvert(2n ** BigInt(logN));
  const half = frInvert(2n);
  const cScale = frMul(half, overN);
  const overN2 = frMul(overN, overN);
  const xScale = frMul(frMul(cScale, overN2), field.montgomeryR % FR_MODULUS);
  return [xScale, cScale].flatMap((value) => [...biasedConstant(context, value, field)]);
}

async function openKernels(context: GpuContext): Promise<{ multiply: Kernel; quotient: Kernel }> {
  const kernel = (file: string): Promise<Kernel> =>
    transformKernel(context, { file, bindings: 'wru', workgroupSize: WORKGROUP });
  const [multiply, quotient] = await Promise.all([
    kernel('ntt/multiply.wgsl'),
    kernel('ntt/quotient.wgsl'),
  ]);
  return { multiply, quotient };
}

async function recordProduct(
  paced: PacedCommands,
  kernel: Kernel,
  x: FrVector,
  y: FrVector,
): Promise<void> {
  for (const part of segmentRanges(x)) {
    paced.commands.dispatch(
      kernel,
      [part.segment, y.segments[part.index]],
      groupsFor(part.count, WORKGROUP),
      [part.count, 0, 0, 0],
    );
    await paced.spend(part.count);
  }
}

async function recordQuotient(
  paced: PacedCommands,
  kernel: Kernel,
  scales: readonly number[],
  x: FrVector,
  c: FrVector,
): Promise<void> {
  for (const part of segmentRanges(x)) {
    paced.commands.dispatch(
      kernel,
      [part.segment, c.segments[part.index]],
      groupsFor(part.count, WORKGROUP),
      [...scales, part.count],
    );
    await paced.spend(2 * part.count);
  }
}

/** Position p of `to` becomes position rev(p) of `from`. */
async function recordReversal(
  context: GpuContext,
  paced: PacedCommands,
  from: FrVector,
  to: FrVector,
): Promise<void> {
  const kernel = await context.kernels.get({
    file: 'ntt/reverse.wgsl',
    bindings: 'rwu',
    workgroupSize: WORKGROUP,
  });
  const logN = Math.log2(to.length);
  for (const target of segmentRanges(to)) {
    for (const source of segmentRanges(from)) {
      paced.commands.dispatch(
        kernel,
        [source.segment, target.segment],
        groupsFor(target.count, WORKGROUP),
        [target.count, target.first, logN, source.first, source.count],
      );
    }
    await paced.spend(target.count);
  }
}

/** h has degree n − 2 at most: the one value of the result that is known in advance. */
async function requireZeroLast(context: GpuContext, h: FrVector): Promise<void> {
  const last = h.segments[h.segments.length - 1];
  const offset = 32 * ((h.length - 1) % h.segmentLength);
  const words = new Uint32Array(await readBuffer(context, last, offset, 32));
  if (words.some((word) => word !== 0)) {
    throw new CuzkError('PROOF_SELF_CHECK_FAILED', 'the quotient has a coefficient too many', {
      expected: 'a last coefficient of 0',
      found: 'another value',
      action: 'run the self-test of this GPU',
    });
  }
}
