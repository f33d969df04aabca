import type { PartitionView, ProofView } from '../proof-client.ts';

/** Where a proof is, in one line: its state, and that of one partition or how many are in each. */
export function progressLine({ state, partitions }: ProofView): string {
  const [only] = partitions;
  if (only === undefined) return state;
  if (partitions.length === 1) return `${state}, partition ${only.state}`;
  return `${state}, partitions: ${countStates(partitions)}`;
}

function countStates(partitions: readonly PartitionView[]): string {
  const counts = new Map<string, number>();
  for (const { state } of partitions) counts.set(state, (counts.get(state) ?? 0) + 1);
  return [...counts].map(([state, count]) => `${count} ${state}`).join(', ');
}
