import type { GpuContext } from './context.ts';
import { nextTurn } from './next-turn.ts';
import { type StagingRing, type StagingSlot, stagingRingOf } from './staging-ring.ts';

/** Host bytes on their way to the device. */
export interface StagedUpload {
  /** Settles once copies of all bytes below `end` are submitted. Rejects where the device is lost. */
  reached(end: number): Promise<void>;
  /** Settles when nothing is under way any more; never rejects. */
  readonly ended: Promise<void>;
}

/** Where bytes `from` … `from` + `sizeBytes` of the source go; multiples of 4. */
export interface UploadTarget {
  readonly from: number;
  readonly sizeBytes: number;
  readonly buffer: GPUBuffer;
  readonly offset: number;
}

/**
 * Copies host memory to the device a piece at a time, in order, so that work on the first pieces can be submitted while
 * the rest is copied: one thread copies some 8 to 9 GB/s, and a slot of an H200 takes a millisecond. The source must
 * not change before `ended`. A software adapter shares its memory with the host: all is there at once.
 */
export function stageUpload(
  context: GpuContext,
  source: Uint8Array,
  targets: readonly UploadTarget[],
): StagedUpload {
  if (context.traits.software) {
    for (const { from, sizeBytes, buffer, offset } of targets) {
      context.device.queue.writeBuffer(buffer, offset, source, from, sizeBytes);
    }
    return { reached: async () => {}, ended: Promise.resolve() };
  }
  return stageThrough(stagingRingOf(context), context.device, source, targets);
}

/** As stageUpload, through a ring. */
export function stageThrough(
  ring: StagingRing,
  device: GPUDevice,
  source: Uint8Array,
  targets: readonly UploadTarget[],
): StagedUpload {
  const send = async ({ from, sizeBytes, buffer, offset }: UploadTarget): Promise<void> => {
    const slot = await ring.take();
    try {
      // while slots are free nothing else would have a turn, and the work on the first pieces stood still
      await nextTurn();
      fill(slot, () => source.subarray(from, from + sizeBytes));
      const encoder = device.createCommandEncoder({ label: 'upload' });
      encoder.copyBufferToBuffer(slot.buffer, 0, buffer, offset, sizeBytes);
      device.queue.submit([encoder.finish()]);
    } finally {
      slot.release();
    }
  };
  let sent = Promise.resolve();
  const pieces = targets
    .flatMap((target) => cut(target, ring.slotBytes))
    .map((piece) => {
      sent = sent.then(() => send(piece));
      return { end: piece.from + piece.sizeBytes, sent };
    });
  const ended = sent.catch(() => {});
  return {
    ended,
    reached: async (end) => {
      await pieces.find((piece) => piece.end >= end)?.sent;
    },
  };
}

/** Whatever happens to the source, the slot can be used again. */
function fill(slot: StagingSlot, bytes: () => Uint8Array): void {
  try {
    slot.bytes.set(bytes());
  } finally {
    slot.unmap();
  }
}

function cut({ from, sizeBytes, buffer, offset }: UploadTarget, most: number): UploadTarget[] {
  return Array.from({ length: Math.ceil(sizeBytes / most) }, (_, i) => {
    const done = i * most;
    const bytes = Math.min(most, sizeBytes - done);
    return { from: from + done, sizeBytes: bytes, buffer, offset: offset + done };
  });
}
