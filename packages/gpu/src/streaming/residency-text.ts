import { residentHBytes } from './stream-memory.ts';
import type { StreamPlan } from './stream-plan.ts';

const gibText = (bytes: number): string => `${(bytes / 2 ** 30).toFixed(2)} GiB`;

/**
 * How a device holds a circuit, for people: all of its SRS, which a plan of null stands for, or what stays of it and
 * what passes for each partition.
 */
export function residencyText(plan: StreamPlan | null): string {
  if (plan === null) return 'all on the device';
  const { streamedBytes, waiting } = plan;
  return (
    `streamed: ${gibText(residentHBytes(plan))} of h stay, ${gibText(streamedBytes.alone)} pass for a partition, ` +
    `${gibText(streamedBytes.each)} with ${waiting} waiting`
  );
}
