import { developmentToxicWaste } from '@cuzk/core/groth16/development-waste';
import { paramsCountsOf } from '@cuzk/core/groth16/params-layout';
import type { CircuitShape } from '@cuzk/core/r1cs/shape';
import type { GpuContext } from '../device/context.ts';
import { makeParamsInMemory } from '../setup/params-in-memory.ts';
import type { StreamPlan } from '../streaming/stream-plan.ts';

/** The development parameter file of a small circuit. */
export async function makeParamsFile(context: GpuContext, shape: CircuitShape): Promise<Buffer> {
  const { params } = await makeParamsInMemory(context, shape, developmentToxicWaste());
  return Buffer.from(params.buffer);
}

const ROOM = 2 ** 30;

/** Two pieces of h, one of which stays; two partitions may wait, and there is memory for all. */
export function halfResident(shape: CircuitShape, changes: Partial<StreamPlan> = {}): StreamPlan {
  const { h } = paramsCountsOf(shape);
  const half = (h + 1) / 2;
  return {
    piecePoints: { g1: half, g2: half },
    residentPoints: half,
    segmentPoints: half,
    msmEntries: 2 ** 16,
    largeTables: true,
    waiting: 2,
    reuse: false,
    beside: [],
    residentBytes: 0,
    peakBytes: { load: ROOM, queries: ROOM, quotient: ROOM, msmH: ROOM, beside: ROOM },
    streamedBytes: { each: 0, alone: 0 },
    ...changes,
  };
}

/** Bytes that count as in use on the device. */
export const bytesInUse = ({ buffers }: Pick<GpuContext, 'buffers'>): number =>
  Object.values(buffers.bytesInUse).reduce((sum, bytes) => sum + bytes, 0);
