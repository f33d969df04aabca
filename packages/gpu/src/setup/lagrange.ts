import { CuzkError } from '@cuzk/core/errors';
import { frInvert, frPow, frToBytes } from '@cuzk/core/field/fr';
import type { GpuContext } from '../device/context.ts';
import { paceCommands } from '../device/paced-commands.ts';
import {
  type FrVector,
  frSegmentLength,
  giveFrVector,
  segmentRanges,
  takeFrVector,
  uploadFr,
} from '../field/fr-vector.ts';
import { openNtt } from '../ntt/ntt.ts';
import { openPowers } from '../ntt/powers.ts';

/**
 * L_0(τ) … L_{n−1}(τ), n = 2^logN, in natural order: the inverse transform of 1, τ, τ² … (spec §4.2). The vector is
 * the caller's to give back. Throws CuzkError SETUP_FAILED for τ in the domain, CANCELLED.
 */
export async function lagrangeOnDevice(
  context: GpuContext,
  logN: number,
  tau: bigint,
  options: { signal?: AbortSignal; segmentLength?: number } = {},
): Promise<FrVector> {
  const n = 1n << BigInt(logN);
  if (frPow(tau, n) === 1n) throw new CuzkError('SETUP_FAILED', 'setup: tau lies in the domain');
  const { signal, segmentLength = frSegmentLength(context.traits) } = options;
  const take = (): FrVector =>
    takeFrVector(context, 'scratch', 2 ** logN, 'Lagrange values', segmentLength);
  if (logN === 0) {
    const one = take();
    uploadFr(context, one, frToBytes(1n));
    return one;
  }
  const powers = await openPowers(context, logN, tau, frInvert(n));
  const ntt = await openNtt(context, logN, { segmentLength }).catch((error: unknown) => {
    powers.close();
    throw error;
  });
  const vector = take();
  try {
    const paced = paceCommands(context, 'setup', signal);
    for (const { segment, first, count } of segmentRanges(vector)) {
      await powers.fill(paced, { start: first, count, order: 'bit-reversed' }, segment);
    }
    await ntt.dit(paced, vector, 'inverse');
    await paced.finish();
    return vector;
  } catch (error) {
    giveFrVector(context, vector);
    throw error;
  } finally {
    powers.close();
    ntt.close();
  }
}
