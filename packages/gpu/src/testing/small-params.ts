import { developmentToxicWaste } from '@cuzk/core/groth16/development-waste';
import type { PositionalReader } from '@cuzk/core/groth16/params-file';
import { paramsCountsOf } from '@cuzk/core/groth16/params-layout';
import type { CircuitShape } from '@cuzk/core/r1cs/shape';
import type { GpuContext } from '../device/context.ts';
import type { StreamPlan } from '../prover/stream-plan.ts';
import { makeParams } from '../setup/setup.ts';

/** The development parameter file of a small circuit. */
export async function makeParamsFile(context: GpuContext, shape: CircuitShape): Promise<Buffer> {
  const pieces: Uint8Array[] = [];
  await makeParams(context, shape, developmentToxicWaste(), async (bytes) => {
    pieces.push(bytes.slice());
  });
  return Buffer.concat(pieces);
}

/** Bytes as a file. */
export const readerOf = (bytes: Buffer): PositionalReader => ({
  sizeBytes: bytes.length,
  read: async (offset, length) => bytes.subarray(offset, offset + length),
});

/** Two pieces of h, one of which stays; two partitions may wait. */
export function halfResident(shape: CircuitShape): StreamPlan {
  const { h } = paramsCountsOf(shape);
  return {
    piecePoints: { g1: (h + 1) / 2, g2: (h + 1) / 2 },
    residentPieces: 1,
    msmEntries: 2 ** 16,
    largeTables: true,
    waiting: 2,
    peakBytes: { queries: 0, quotient: 0, msmH: 0 },
    streamedBytes: { each: 0, alone: 0 },
  };
}

/** Bytes that count as in use on the device. */
export const bytesInUse = ({ buffers }: GpuContext): number =>
  Object.values(buffers.bytesInUse).reduce((sum, bytes) => sum + bytes, 0);
