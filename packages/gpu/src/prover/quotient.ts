import { CuzkError } from '@cuzk/core/errors';
import { FR_GENERATOR, frInvert, frMul, frPow, frSub } from '@cuzk/core/field/fr';
import { groupsFor, readBuffer } from '../device/commands.ts';
import type { GpuContext } from '../device/context.ts';
import type { Kernel } from '../device/kernel.ts';
import { type PacedCommands, paceCommands } from '../device/paced-commands.ts';
import { FR_VARIANTS } from '../field/field-variants.ts';
import {
  type FrVector,
  frSegmentLength,
  giveFrVector,
  segmentRanges,
  takeFrVector,
} from '../field/fr-vector.ts';
import { type Ntt, openNtt } from '../ntt/ntt.ts';
import type { NttPlanOptions } from '../ntt/ntt-plan.ts';
import {
  biasedConstant,
  createPowerTable,
  dropPowerTable,
  type PowerTable,
} from '../ntt/ntt-tables.ts';
import { type DeviceShape, type DeviceWitness, evaluateRows } from '../r1cs/r1cs-eval.ts';

const WORKGROUP = 64;

/**
 * The quotient of one evaluation domain (spec §4.3). With c := a∘b, which is the true c where every row holds,
 * h = (inverse coset transform of a∘b − inverse transform of c) / (g^n − 1): six transforms, two vectors.
 */
export interface Quotient {
  readonly logN: number;
  readonly ntt: Ntt;
  /**
   * The n coefficients of h as canonical scalars in bit-reversed order: position p holds coefficient rev(p), and the
   * last position the coefficient of X^(n−1), which is zero. The caller gives the vector back. Phases of its submits:
   * `r1cs_eval` and `ntt`. Throws CANCELLED once the signal fires, and PROOF_SELF_CHECK_FAILED where the last
   * coefficient is not zero: then the device has miscomputed.
   */
  compute(shape: DeviceShape, witness: DeviceWitness, signal?: AbortSignal): Promise<FrVector>;
  close(): void;
}

/** Prepares kernels and tables for domains of 2^logN rows. */
export async function openQuotient(
  context: GpuContext,
  logN: number,
  options: Partial<NttPlanOptions> = {},
): Promise<Quotient> {
  const ntt = await openNtt(context, logN, options);
  const kernels = await openKernels(context);
  const tables = createTables(context, logN);
  const segmentLength = options.segmentLength ?? frSegmentLength(context.traits);

  const compute: Quotient['compute'] = async (shape, witness, signal) => {
    if (shape.logN !== logN) {
      throw new RangeError(`shape: expected a domain of 2^${logN}, got 2^${shape.logN}`);
    }
    const evaluation = paceCommands(context, 'r1cs_eval', signal);
    const transforms = paceCommands(context, 'ntt', signal);
    const take = (label: string): FrVector =>
      takeFrVector(context, 'evaluations', 2 ** logN, label, segmentLength);
    const evaluate = async (what: 'a' | 'b' | 'product', out: FrVector): Promise<void> => {
      await evaluateRows(context, evaluation, shape, witness, what, out);
      await evaluation.send();
    };
    const toCoset = async (vector: FrVector, factors: PowerTable): Promise<void> => {
      await ntt.dif(transforms, vector, 'inverse');
      await ntt.dit(transforms, vector, 'forward', factors);
      await transforms.send();
    };
    const x = take('a, then h');
    const y = take('b, then c');
    try {
      await evaluate('a', x);
      await evaluate('b', y);
      // one factor carries R, so that the product below is one multiplication
      await toCoset(x, tables.toCosetTimesR);
      await toCoset(y, tables.toCoset);
      await recordProduct(transforms, kernels.multiply, x, y);
      await transforms.send();
      await evaluate('product', y);
      await ntt.dif(transforms, x, 'inverse');
      await ntt.dif(transforms, y, 'inverse');
      await recordQuotient(transforms, kernels.quotient, tables, x, y);
      await transforms.send();
      await requireZeroLast(context, x);
      return x;
    } catch (error) {
      giveFrVector(context, x);
      throw error;
    } finally {
      giveFrVector(context, y);
    }
  };
  return {
    logN,
    ntt,
    compute,
    close: () => {
      for (const table of [tables.toCoset, tables.toCosetTimesR, tables.fromCoset]) {
        dropPowerTable(context, table);
      }
      ntt.close();
    },
  };
}

interface Tables {
  /** g^i/n. */
  readonly toCoset: PowerTable;
  /** g^i·R/n. */
  readonly toCosetTimesR: PowerTable;
  /** g^−i/(n·(g^n − 1)). */
  readonly fromCoset: PowerTable;
  /** 1/(n·(g^n − 1)) as a biased constant. */
  readonly scale: Uint32Array;
}

function createTables(context: GpuContext, logN: number): Tables {
  const field = FR_VARIANTS[context.variants.fr];
  const n = 1n << BigInt(logN);
  const overN = frInvert(n);
  const scaleValue = frMul(overN, frInvert(frSub(frPow(FR_GENERATOR, n), 1n)));
  return {
    toCoset: createPowerTable(context, logN, FR_GENERATOR, overN),
    toCosetTimesR: createPowerTable(
      context,
      logN,
      FR_GENERATOR,
      frMul(overN, field.montgomeryR % field.modulus),
    ),
    fromCoset: createPowerTable(context, logN, frInvert(FR_GENERATOR), scaleValue),
    scale: biasedConstant(context, scaleValue),
  };
}

async function openKernels(context: GpuContext): Promise<{ multiply: Kernel; quotient: Kernel }> {
  const [multiply, quotient] = await Promise.all([
    context.kernels.get({ file: 'ntt/multiply.wgsl', bindings: 'wru', workgroupSize: WORKGROUP }),
    context.kernels.get({ file: 'ntt/quotient.wgsl', bindings: 'wrrru', workgroupSize: WORKGROUP }),
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
  { fromCoset, scale }: Tables,
  x: FrVector,
  c: FrVector,
): Promise<void> {
  for (const part of segmentRanges(x)) {
    paced.commands.dispatch(
      kernel,
      [part.segment, c.segments[part.index], fromCoset.low, fromCoset.high],
      groupsFor(part.count, WORKGROUP),
      [part.count, part.first, Math.log2(x.length), fromCoset.lowBits, ...scale],
    );
    await paced.spend(3 * part.count);
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
