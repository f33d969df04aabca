import { useSignal } from '@preact/signals';
import { formatMs } from '../format.ts';
import { axisTicks, type Row, type Waterfall } from './waterfall-rows.ts';

const percent = (share: number): string => `${(100 * share).toFixed(3)}%`;

/** Where the time of one proof went: a line for the proof and each partition, opened: its phases. */
export function WaterfallView({ waterfall }: { waterfall: Waterfall }) {
  const { rows, totalMs } = waterfall;
  const partitions = rows.filter(({ depth, partition }) => depth === 0 && partition !== null);
  const opened = useSignal<ReadonlySet<number>>(new Set(partitions.length === 1 ? [0] : []));
  const toggle = (index: number) => {
    const next = new Set(opened.value);
    if (!next.delete(index)) next.add(index);
    opened.value = next;
  };
  const all = opened.value.size === partitions.length;
  return (
    <div class="waterfall">
      <div class="waterfall-bar">
        <Legend />
        <button
          type="button"
          onClick={() => {
            opened.value = new Set(all ? [] : partitions.map((row) => row.partition ?? 0));
          }}
        >
          {all ? 'Close all phases' : 'Open all phases'}
        </button>
      </div>
      <table class="lanes">
        <caption class="sr-only">Waterfall: what was waited for and worked on, over time</caption>
        <thead>
          <tr>
            <th scope="col">
              <span class="sr-only">What</span>
            </th>
            <th scope="col" class="axis">
              <Axis totalMs={totalMs} />
            </th>
            <th scope="col" class="number">
              took
            </th>
          </tr>
        </thead>
        <tbody>
          {rows
            .filter(
              (row) =>
                row.depth === 0 || (row.partition !== null && opened.value.has(row.partition)),
            )
            .map((row) => (
              <Lane
                key={row.key}
                row={row}
                isOpen={row.partition !== null && opened.value.has(row.partition)}
                phases={rows.filter((own) => own.partition === row.partition).length - 1}
                onToggle={toggle}
              />
            ))}
        </tbody>
      </table>
    </div>
  );
}

function Lane({
  row,
  isOpen,
  phases,
  onToggle,
}: {
  row: Row;
  isOpen: boolean;
  phases: number;
  onToggle: (partition: number) => void;
}) {
  const { label, depth, partition, bars, ms } = row;
  const opens = depth === 0 && partition !== null && phases > 0;
  return (
    <tr class={`lane depth-${depth}`}>
      <th scope="row" title={label}>
        {opens ? (
          <button
            type="button"
            class="toggle"
            aria-expanded={isOpen}
            onClick={() => onToggle(partition)}
          >
            <span aria-hidden="true">{isOpen ? '▾' : '▸'}</span> {label}
          </button>
        ) : (
          <span class="lane-label">{label}</span>
        )}
      </th>
      <td class="track">
        <span class="sr-only">{bars.map(({ sentence }) => sentence).join('; ')}</span>
        {bars.map(({ key, look, left, width, sentence }) => (
          <span
            key={key}
            aria-hidden="true"
            class={`bar ${look}`}
            title={sentence}
            style={{ left: percent(left), width: percent(width) }}
          />
        ))}
      </td>
      <td class="number">{formatMs(ms)}</td>
    </tr>
  );
}

/** Round times without their zeros: 2 s, 4 min, 1 h. */
const tickText = (ms: number): string =>
  ms === 0
    ? '0'
    : formatMs(ms)
        .replace('.0 s', ' s')
        .replace(/ 00 (?:s|min)$/, '');

function Axis({ totalMs }: { totalMs: number }) {
  return (
    <span class="axis-ticks">
      {axisTicks(totalMs, 5).map((tick) => (
        <span key={tick} class="tick" style={{ left: percent(tick / totalMs) }}>
          {tickText(tick)}
        </span>
      ))}
    </span>
  );
}

const LOOKS = [
  ['wait', 'waits'],
  ['work-ingest', 'ingest, finalize'],
  ['work-synthesize', 'synthesis'],
  ['work-prove', 'proving'],
  ['phase-gpu', 'GPU phase'],
  ['phase-cpu', 'CPU phase'],
] as const;

function Legend() {
  return (
    <ul class="legend">
      {LOOKS.map(([look, text]) => (
        <li key={look}>
          <span class={`swatch bar ${look}`} aria-hidden="true" /> {text}
        </li>
      ))}
    </ul>
  );
}
