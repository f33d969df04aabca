import type { PartitionView } from '../../src/status/status-types.ts';
import { clock } from '../state/status-store.ts';
import { cellOf } from './cell.ts';

/** One cell a partition: its phase by look and word, how long, and on which device. */
export function PartitionGrid({
  partitions,
  label,
}: {
  partitions: readonly PartitionView[];
  label: string;
}) {
  return (
    <ul class="cells" aria-label={label}>
      {partitions.map((partition) => (
        <GridCell key={partition.index} partition={partition} />
      ))}
    </ul>
  );
}

function GridCell({ partition }: { partition: PartitionView }) {
  const { stage, word, time, device, sentence } = cellOf(partition, clock.value);
  const flawed = partition.failures + partition.losses > 0;
  return (
    <li class={`cell stage-${stage}`} data-stage={stage} title={sentence}>
      <span class="sr-only">{sentence}</span>
      <span aria-hidden="true" class="cell-top">
        <span class="cell-index">{partition.index}</span>
        {flawed ? <span class="cell-mark">↻</span> : null}
        <span class="cell-time">{time}</span>
      </span>
      <span aria-hidden="true" class="cell-word">
        {word}
      </span>
      <span aria-hidden="true" class="cell-device">
        {device}
      </span>
    </li>
  );
}

const LEGEND = [
  ['pending', 'waits for a permit'],
  ['queued', 'waits for synthesis'],
  ['synthesizing', 'synthesis'],
  ['synthesized', 'waits for a GPU'],
  ['proving', 'proving'],
  ['proved', 'proved, verified'],
  ['failed', 'failed'],
  ['cancelled', 'cancelled'],
] as const;

export function GridLegend() {
  return (
    <ul class="legend" aria-label="What the cells mean">
      {LEGEND.map(([stage, text]) => (
        <li key={stage}>
          <span class={`swatch stage-${stage}`} aria-hidden="true" /> {text}
        </li>
      ))}
    </ul>
  );
}
