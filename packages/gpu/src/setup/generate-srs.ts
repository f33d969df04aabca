import { type ToxicWaste, verifyingKeyOf } from '@cuzk/core/groth16/key-exponents';
import type { ParamsSectionName } from '@cuzk/core/groth16/params-layout';
import type { CircuitShape } from '@cuzk/core/r1cs/shape';
import type { CurveRun } from '../curve/curve-commands.ts';
import {
  allocatePoints,
  type CurveGroup,
  type PointSegments,
  releaseSegments,
  type ScalarSegments,
} from '../curve/point-segments.ts';
import type { GpuContext } from '../device/context.ts';
import { type FixedBase, openFixedBase } from '../msm/fixed-base.ts';
import { openProvingCircuit, type ProvingCircuit } from '../prover/proving-circuit.ts';
import type { SrsSource } from '../prover/srs-source.ts';
import { domainLog } from '../r1cs/device-shape.ts';
import { type DeviceExponents, openDeviceExponents } from './exponents-on-device.ts';
import type { SetupOptions } from './setup.ts';

/**
 * A circuit with the SRS of given toxic waste, generated where it is used: no file, and nothing of its size on the
 * host. The same points as makeParams writes. Whoever knows the waste can forge proofs: for development only. Beside
 * the SRS it needs 32 bytes a row of the domain, the terms of the templates, and some GiB of scratch. Throws CuzkError
 * SETUP_FAILED, SHAPE_MALFORMED, CANCELLED; then nothing stays on the device.
 */
export async function generateSrs(
  context: GpuContext,
  shape: CircuitShape,
  waste: ToxicWaste,
  options: SetupOptions = {},
): Promise<ProvingCircuit> {
  const run: CurveRun =
    options.signal === undefined ? { phase: 'setup' } : { phase: 'setup', signal: options.signal };
  const source = await openGeneratedSrs(context, shape, waste, run, options);
  try {
    return await openProvingCircuit(context, shape, source, run);
  } finally {
    source.close();
    context.buffers.trim();
  }
}

/** An SRS that is generated while it is asked for. */
async function openGeneratedSrs(
  context: GpuContext,
  shape: CircuitShape,
  waste: ToxicWaste,
  run: CurveRun,
  { onPoints, ...options }: SetupOptions,
): Promise<SrsSource> {
  const exponents = await openDeviceExponents(context, shape, waste, options);
  const { counts } = exponents;
  const total = counts.h + counts.l + counts.a + 2 * counts.b;
  let made = 0;
  let base: FixedBase<CurveGroup> | undefined;
  let baseGroup: CurveGroup | undefined;
  const closeBase = (): void => {
    base?.close();
    base = undefined;
    // the tables of G1 and of G2 have no buffer in common
    context.buffers.trim();
  };
  const baseOf = async (group: CurveGroup): Promise<FixedBase<CurveGroup>> => {
    if (base !== undefined && baseGroup === group) return base;
    closeBase();
    base = await openFixedBase(context, group, group === 'g1' ? total - counts.b : counts.b, run);
    baseGroup = group;
    return base;
  };
  return {
    vk: verifyingKeyOf(waste, exponents.ic),
    points: async (group, name) => {
      const fixedBase = (await baseOf(group)) as FixedBase<typeof group>;
      const { count, pieces } = sectionOf(exponents, shape, name);
      const points = allocatePoints(context, group, count, `generated ${name}`);
      try {
        await multiplyPieces(fixedBase, pieces, points, run, (piece) => {
          made += piece;
          onPoints?.(Math.min(made, total), total);
        });
        return points;
      } catch (error) {
        releaseSegments(context, points);
        throw error;
      }
    },
    close: () => {
      closeBase();
      exponents.close();
    },
  };
}

function sectionOf(
  exponents: DeviceExponents,
  shape: CircuitShape,
  name: ParamsSectionName,
): { count: number; pieces: AsyncIterable<ScalarSegments> } {
  const { counts } = exponents;
  if (name === 'h') return { count: 2 ** domainLog(shape), pieces: exponents.h('bit-reversed') };
  if (name === 'l') return { count: counts.l, pieces: exponents.l() };
  if (name === 'a') return { count: counts.a, pieces: exponents.a() };
  return { count: counts.b, pieces: exponents.b() };
}

async function multiplyPieces<G extends CurveGroup>(
  base: FixedBase<G>,
  pieces: AsyncIterable<ScalarSegments>,
  points: PointSegments<G>,
  run: CurveRun,
  onPiece: (points: number) => void,
): Promise<void> {
  let first = 0;
  for await (const piece of pieces) {
    await base.multiply(piece, run, { points, first });
    first += piece.count;
    onPiece(piece.count);
  }
}
