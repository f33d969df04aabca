import { CuzkError } from '@cuzk/core/errors';
import {
  hExponents,
  keyExponents,
  type ToxicWaste,
  verifyingKeyOf,
} from '@cuzk/core/groth16/key-exponents';
import { paramsCountsOf } from '@cuzk/core/groth16/params-layout';
import { evaluateQapAtTau } from '@cuzk/core/groth16/qap-at-tau';
import { encodeCount, encodeVerifyingKey } from '@cuzk/core/groth16/verifying-key';
import { frDomainFor } from '@cuzk/core/poly/domain';
import {
  allocateScalars,
  type PackedScalars,
  scalarBytes,
  writeScalar,
} from '@cuzk/core/poly/packed-scalars';
import { type CircuitShape, domainRows } from '@cuzk/core/r1cs/shape';
import type { GpuContext } from './context.ts';
import type { CurveRun } from './curve-commands.ts';
import { type FixedBase, openFixedBase } from './fixed-base.ts';
import { encodePointsOnDevice } from './point-convert-encode.ts';
import { type CurveGroup, releaseSegments } from './point-segments.ts';

/** Scalars multiplied at once: points and their encodings stay far below one binding. */
const CHUNK = 2 ** 17;

export interface SetupOptions {
  readonly signal?: AbortSignal;
  /** Points made, of all. */
  readonly onPoints?: (done: number, total: number) => void;
}

/**
 * Makes a `.params` file (spec §4.2, §4.5) from given toxic waste with the standard generators: exponents on the host,
 * points on the device, bytes to `write` in file order. Whoever knows the waste can forge proofs: for development only.
 * Returns the bytes of the `.vk` file. Throws CuzkError SETUP_FAILED, CANCELLED.
 */
export async function makeParams(
  context: GpuContext,
  shape: CircuitShape,
  waste: ToxicWaste,
  write: (bytes: Uint8Array) => Promise<void>,
  options: SetupOptions = {},
): Promise<Uint8Array> {
  const counts = paramsCountsOf(shape);
  const exponents = keyExponents(evaluateQapAtTau(shape, waste.tau), shape.inputs, waste);
  const found = { l: exponents.l.length / 4, a: exponents.a.length / 4, b: exponents.b.length / 4 };
  for (const name of ['l', 'a', 'b'] as const) {
    if (found[name] !== counts[name]) {
      throw new CuzkError('SETUP_FAILED', `setup: a polynomial of ${name} vanishes at tau`, {
        expected: `${counts[name]} exponents that are not zero`,
        found: `${found[name]}`,
        action: 'use another tau',
      });
    }
  }
  const vk = encodeVerifyingKey(verifyingKeyOf(waste, exponents.ic));
  await write(vk);
  const total = counts.h + counts.l + counts.a + 2 * counts.b;
  const run = {
    phase: 'setup',
    ...(options.signal === undefined ? {} : { signal: options.signal }),
  };
  let done = 0;
  const section = async (
    base: FixedBase<CurveGroup>,
    count: number,
    chunks: Iterable<PackedScalars>,
  ): Promise<void> => {
    await write(encodeCount(count));
    for (const chunk of chunks) {
      await writeMultiples(context, base, chunk, run, write);
      done += chunk.length / 4;
      options.onPoints?.(done, total);
    }
  };
  const domain = frDomainFor(domainRows(shape));
  const g1 = await openFixedBase(context, 'g1', total, run);
  try {
    await section(g1, counts.h, chunksOf(hExponents(domain, waste)));
    await section(g1, counts.l, slicesOf(exponents.l));
    await section(g1, counts.a, slicesOf(exponents.a));
    await section(g1, counts.b, slicesOf(exponents.b));
  } finally {
    g1.close();
  }
  const g2 = await openFixedBase(context, 'g2', counts.b, run);
  try {
    await section(g2, counts.b, slicesOf(exponents.b));
  } finally {
    g2.close();
    context.buffers.trim();
  }
  return vk;
}

function* chunksOf(values: Iterable<bigint>): Generator<PackedScalars> {
  let chunk = allocateScalars(CHUNK);
  let filled = 0;
  for (const value of values) {
    writeScalar(chunk, filled++, value);
    if (filled < CHUNK) continue;
    yield chunk;
    chunk = allocateScalars(CHUNK);
    filled = 0;
  }
  if (filled > 0) yield chunk.subarray(0, 4 * filled);
}

function* slicesOf(scalars: PackedScalars): Generator<PackedScalars> {
  for (let at = 0; at < scalars.length; at += 4 * CHUNK) yield scalars.subarray(at, at + 4 * CHUNK);
}

async function writeMultiples(
  context: GpuContext,
  base: FixedBase<CurveGroup>,
  scalars: PackedScalars,
  run: CurveRun,
  write: (bytes: Uint8Array) => Promise<void>,
): Promise<void> {
  const bytes = scalarBytes(scalars);
  const buffer = context.buffers.take('scratch', bytes.byteLength, 'exponents');
  context.device.queue.writeBuffer(buffer, 0, bytes as Uint8Array<ArrayBuffer>);
  const count = scalars.length / 4;
  const points = await base.multiply({ count, segmentScalars: count, segments: [buffer] }, run);
  try {
    for await (const piece of encodePointsOnDevice(context, points, 0, count, run))
      await write(piece);
  } finally {
    releaseSegments(context, points);
    context.buffers.give(buffer);
  }
}
