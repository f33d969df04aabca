import { CuzkError } from '@cuzk/core/errors';
import { FR_BYTES } from '@cuzk/core/field/fr';
import { bitmapOf, setBit } from '@cuzk/core/r1cs/bitmap';
import type { CompactWitness } from '@cuzk/core/r1cs/compact-witness';
import type { CircuitShape } from '@cuzk/core/r1cs/shape';
import type { GpuContext } from '../device/context.ts';
import type { DeviceShape } from './device-shape.ts';

/** A witness on the device. */
export interface DeviceWitness {
  /** One bit per aux (compact-witness.ts); 0 where the aux is an element. */
  readonly bits: GPUBuffer;
  /** Bits of the first segment's variables by column; number 0 is ONE. */
  readonly sharedBits: GPUBuffer;
  /** Canonical inputs, then canonical elements, 32 bytes each. */
  readonly values: GPUBuffer;
  readonly inputs: number;
  readonly elements: number;
  close(): void;
}

/** Uploads a witness of the circuit. Throws WITNESS_MALFORMED where it has other sizes than the circuit. */
export function uploadWitness(
  context: GpuContext,
  { shape, segments }: DeviceShape,
  witness: CompactWitness,
): DeviceWitness {
  const elements = segments.reduce((sum, each) => sum + each.instances * each.elements, 0);
  requireSize('inputs', shape.inputs * FR_BYTES, witness.inputs.byteLength);
  requireSize('bit plane', Math.ceil(shape.aux / 32) * 4, witness.bitPlane.byteLength);
  requireSize('elements', elements * FR_BYTES, witness.elements.byteLength);
  const { queue } = context.device;
  const take = (sizeBytes: number, label: string): GPUBuffer =>
    context.buffers.take('witness', sizeBytes, label);
  const write = (buffer: GPUBuffer, offset: number, data: Uint8Array | Uint32Array): void => {
    if (data.byteLength > 0) {
      queue.writeBuffer(buffer, offset, data.buffer, data.byteOffset, data.byteLength);
    }
  };
  const bits = take(witness.bitPlane.byteLength, 'bit plane');
  write(bits, 0, witness.bitPlane);
  const shared = sharedBitsOf(shape, witness);
  const sharedBits = take(shared.byteLength, 'shared bits');
  write(sharedBits, 0, shared);
  const values = take((shape.inputs + elements) * FR_BYTES, 'inputs and elements');
  write(values, 0, witness.inputs);
  write(values, shape.inputs * FR_BYTES, witness.elements);
  return {
    bits,
    sharedBits,
    values,
    inputs: shape.inputs,
    elements,
    close: () => {
      for (const buffer of [bits, sharedBits, values]) context.buffers.give(buffer);
    },
  };
}

function requireSize(what: string, expected: number, found: number): void {
  if (expected === found) return;
  throw new CuzkError('WITNESS_MALFORMED', `The witness does not fit the circuit: ${what}.`, {
    expected: `${expected} bytes`,
    found: `${found} bytes`,
  });
}

function sharedBitsOf(shape: CircuitShape, { bitPlane }: CompactWitness): Uint32Array {
  const { inputs, aux } = shape.segments[0];
  const shared = bitmapOf(inputs + aux);
  setBit(shared, 0);
  for (let i = 0; i < aux; i++) {
    if (((bitPlane[i >>> 5] >>> (i & 31)) & 1) === 1) setBit(shared, inputs + i);
  }
  return shared;
}
