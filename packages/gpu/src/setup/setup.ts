import { type ToxicWaste, verifyingKeyOf } from '@cuzk/core/groth16/key-exponents';
import { encodeCount, encodeVerifyingKey } from '@cuzk/core/groth16/verifying-key';
import type { CircuitShape } from '@cuzk/core/r1cs/shape';
import type { CurveRun } from '../curve/curve-commands.ts';
import { encodePointsOnDevice } from '../curve/point-convert-encode.ts';
import { type CurveGroup, releaseSegments, type ScalarSegments } from '../curve/point-segments.ts';
import type { GpuContext } from '../device/context.ts';
import { type FixedBase, openFixedBase } from '../msm/fixed-base.ts';
import { type ExponentOptions, openDeviceExponents } from './exponents-on-device.ts';

export interface SetupOptions extends ExponentOptions {
  /** Points made, of all. */
  readonly onPoints?: (done: number, total: number) => void;
}

/**
 * Makes a `.params` file (spec §4.2, §4.5) from given toxic waste with the standard generators: exponents and points on
 * the device, bytes to `write` in file order. Whoever knows the waste can forge proofs: for development only. Returns
 * the bytes of the `.vk` file. Throws CuzkError SETUP_FAILED, which may come after most of the file, and CANCELLED.
 */
export async function makeParams(
  context: GpuContext,
  shape: CircuitShape,
  waste: ToxicWaste,
  write: (bytes: Uint8Array) => Promise<void>,
  options: SetupOptions = {},
): Promise<Uint8Array> {
  const { onPoints, ...exponentOptions } = options;
  const run: CurveRun =
    options.signal === undefined ? { phase: 'setup' } : { phase: 'setup', signal: options.signal };
  const exponents = await openDeviceExponents(context, shape, waste, exponentOptions);
  try {
    const { counts } = exponents;
    const vk = encodeVerifyingKey(verifyingKeyOf(waste, exponents.ic));
    await write(vk);
    const total = counts.h + counts.l + counts.a + 2 * counts.b;
    let done = 0;
    const section = async (
      base: FixedBase<CurveGroup>,
      count: number,
      pieces: AsyncIterable<ScalarSegments>,
    ): Promise<void> => {
      await write(encodeCount(count));
      for await (const piece of pieces) {
        await writeMultiples(context, base, piece, run, write);
        done += piece.count;
        onPoints?.(done, total);
      }
    };
    const g1 = await openFixedBase(context, 'g1', total - counts.b, run);
    try {
      await section(g1, counts.h, exponents.h('natural'));
      await section(g1, counts.l, exponents.l());
      await section(g1, counts.a, exponents.a());
      await section(g1, counts.b, exponents.b());
    } finally {
      g1.close();
    }
    const g2 = await openFixedBase(context, 'g2', counts.b, run);
    try {
      await section(g2, counts.b, exponents.b());
    } finally {
      g2.close();
    }
    return vk;
  } finally {
    exponents.close();
    context.buffers.trim();
  }
}

async function writeMultiples(
  context: GpuContext,
  base: FixedBase<CurveGroup>,
  scalars: ScalarSegments,
  run: CurveRun,
  write: (bytes: Uint8Array) => Promise<void>,
): Promise<void> {
  const points = await base.multiply(scalars, run);
  try {
    for await (const bytes of encodePointsOnDevice(context, points, 0, scalars.count, run))
      await write(bytes);
  } finally {
    releaseSegments(context, points);
  }
}
