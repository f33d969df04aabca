import type { CircuitShape } from '@cuzk/core/r1cs/shape';
import type { DeviceTraits } from '@cuzk/gpu/device/context';
import { planMemory } from '@cuzk/gpu/prover/memory-plan';
import { residencyText } from '@cuzk/gpu/streaming/residency-text';
import {
  leastStreamingBytes,
  planStreaming,
  type StreamPlan,
} from '@cuzk/gpu/streaming/stream-plan';
import { readCardMemory } from '@cuzk/service-kit/memory/card-memory';
import { gibText } from './terminal/figures.ts';

/** How a device of so much memory proves a circuit. */
export type ResidencyPlan =
  | { readonly kind: 'whole' }
  | { readonly kind: 'streamed'; readonly plan: StreamPlan }
  | { readonly kind: 'too small'; readonly leastBytes: number };

/** Free memory of the card with most of it; undefined on a software adapter and where nothing tells it. */
export function freeDeviceBytes({ software }: DeviceTraits): number | undefined {
  const cards = software ? [] : readCardMemory();
  return cards.length === 0 ? undefined : Math.max(...cards.map((card) => card.freeBytes));
}

/** Without a budget everything fits. */
export function planResidency(
  shape: CircuitShape,
  traits: DeviceTraits,
  budgetBytes: number | undefined,
): ResidencyPlan {
  if (budgetBytes === undefined) return { kind: 'whole' };
  if (planMemory(shape, traits).provingBytes <= budgetBytes) return { kind: 'whole' };
  const plan = planStreaming(shape, traits, budgetBytes);
  if (plan !== undefined) return { kind: 'streamed', plan };
  return { kind: 'too small', leastBytes: leastStreamingBytes(shape, traits) };
}

/** For people. */
export function fitText(residency: ResidencyPlan): string {
  if (residency.kind === 'too small') {
    return `does not fit: ${gibText(residency.leastBytes)} are needed at least`;
  }
  return residencyText(residency.kind === 'streamed' ? residency.plan : null);
}
