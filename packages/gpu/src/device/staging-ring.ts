import type { DeviceTraits, GpuContext } from './context.ts';
import { oneForEach } from './one-for-each.ts';

/** Host memory that the device copies from: some slots are filled while others are on their way. */
export interface StagingRing {
  readonly slotBytes: number;
  /** The next slot, as soon as the device is done with what it held. Slots come in turn. */
  take(): Promise<StagingSlot>;
  /** Gives the memory back. Nothing may still be writing into a slot. */
  close(): void;
}

export interface StagingSlot {
  /** Mapped memory of the device's driver: written to once, never read. */
  readonly bytes: Uint8Array;
  readonly buffer: GPUBuffer;
  /** Ends the writing; `bytes` is gone, copies from `buffer` may be submitted. */
  unmap(): void;
  /** After the copies were submitted: the slot comes round again. */
  release(): void;
}

/**
 * Slots are small enough for any binding, and for three to be mapped at once (point-decode.ts). So many keep the
 * threads that read files busy, and go on for some 10 ms while the device has other work to do first. They hold 2^22
 * scalars once, as a slot comes back only when all that was submitted meanwhile is done too.
 */
const RING_SIZES = {
  software: { slots: 2, slotBytes: 2 ** 23 },
  hardware: { slots: 24, slotBytes: 10 * 2 ** 20 },
};

/** Of the ring that stagingRingOf gives. */
export const ringSizeFor = ({ software }: Pick<DeviceTraits, 'software'>) =>
  RING_SIZES[software ? 'software' : 'hardware'];

/** Mapped memory of that ring, which on a device may be the device's. */
export function ringBytesFor(traits: Pick<DeviceTraits, 'software'>): number {
  const { slots, slotBytes } = ringSizeFor(traits);
  return slots * slotBytes;
}

const ringOf = oneForEach((device: GPUDevice, traits: DeviceTraits): StagingRing => {
  const { slots, slotBytes } = ringSizeFor(traits);
  return openStagingRing(device, slots, slotBytes);
});

/**
 * The ring through which files and scalars come, one for a device and as long as it lives: an H200 takes 0.7 s to make
 * 1 GiB of slots. Whoever takes a slot releases it, whatever happens.
 */
export const stagingRingOf = ({ device, traits }: GpuContext): StagingRing =>
  ringOf(device, traits);

/** `slots` buffers of `sizeBytes`, a multiple of 4. Through one of them an H200 takes 8.7 GiB/s, by writeBuffer 2.4. */
export function openStagingRing(device: GPUDevice, slots: number, sizeBytes: number): StagingRing {
  const buffers: (GPUBuffer | undefined)[] = [];
  /** Settle when the slots may be written to again. */
  const free: Promise<void>[] = [];
  let taken = 0;
  return {
    slotBytes: sizeBytes,
    take: async () => {
      const i = taken++ % slots;
      const before = free[i];
      let release = (_mapped: Promise<void>): void => {};
      free[i] = new Promise((resolve) => {
        release = resolve;
      });
      // whoever takes the slot next hears of it; nobody does once the ring is closed
      free[i].catch(() => {});
      try {
        await before;
        buffers[i] ??= device.createBuffer({
          label: `staging ${i}`,
          size: sizeBytes,
          usage: GPUBufferUsage.MAP_WRITE | GPUBufferUsage.COPY_SRC,
          mappedAtCreation: true,
        });
      } catch (error) {
        // nobody has this slot: the one who takes it next must not wait, and tries again where there is none yet
        release(buffers[i] === undefined ? Promise.resolve() : Promise.reject(error));
        throw error;
      }
      const buffer = buffers[i];
      return {
        bytes: new Uint8Array(buffer.getMappedRange()),
        buffer,
        unmap: () => buffer.unmap(),
        release: () => release(buffer.mapAsync(GPUMapMode.WRITE).then(() => {})),
      };
    },
    close: () => {
      for (const buffer of buffers) buffer?.destroy();
    },
  };
}
