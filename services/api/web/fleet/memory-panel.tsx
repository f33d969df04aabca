import { effect, signal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import uPlot from 'uplot';
import 'uplot/dist/uPlot.min.css';
import type { MemoryHistoryView } from '../../src/status/memory-history.ts';
import { formatBytes, formatTime } from '../format.ts';
import { getJson } from '../net/api.ts';
import { clock, connection, status } from '../state/status-store.ts';
import { isDark } from '../state/theme.ts';
import { columnsOf, type MemoryColumns, withSample } from './memory-columns.ts';

const HEIGHT = 200;
/** Powers of two, so that the axis has round figures in KiB, MiB and GiB. */
const BYTE_STEPS = Array.from({ length: 36 }, (_, k) => 2 ** (10 + k));
const columns = signal<MemoryColumns>({ times: [], lines: [] });

/** The half hour before the page was opened, and again after every break of the connection. */
async function loadHistory(): Promise<void> {
  const history = await getJson<MemoryHistoryView>('/v1/status/history').catch(() => null);
  if (history === null) return;
  const workers = status.peek()?.workers ?? [];
  columns.value = withSample(columnsOf(history), workers, clock.peek() / 1000);
}

/** Memory of every process over time. */
export function MemoryPanel() {
  const isOpen = connection.value.kind === 'open';
  useEffect(() => {
    if (isOpen) void loadHistory();
  }, [isOpen]);
  const workers = status.value?.workers;
  useEffect(() => {
    if (workers) columns.value = withSample(columns.peek(), workers, clock.peek() / 1000);
  }, [workers]);
  return (
    <section class="card" aria-labelledby="memory">
      <h2 id="memory">Memory</h2>
      {columns.value.times.length < 2 ? (
        <p class="muted">The first figures come in a few seconds.</p>
      ) : (
        <Chart />
      )}
      <ul class="legend">
        {columns.value.lines.map(({ name, bytes }, i) => (
          <li key={name}>
            <span class={`swatch line-${i % LINES}`} aria-hidden="true" /> {name}{' '}
            <span class="figure">{lastOf(bytes)}</span>
          </li>
        ))}
      </ul>
    </section>
  );
}

const lastOf = (bytes: readonly (number | null)[]): string => {
  const value = bytes.at(-1);
  return value === null || value === undefined ? 'gone' : formatBytes(value);
};

/** Colours of lines in the style sheet. */
const LINES = 8;

function Chart() {
  const holder = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const element = holder.current;
    if (element === null) return;
    let plot: uPlot | null = null;
    let drawn = '';
    const draw = effect(() => {
      const { times, lines } = columns.value;
      const look = `${isDark()} ${lines.map(({ name }) => name).join()}`;
      const data = [times, ...lines.map(({ bytes }) => bytes)] as unknown as uPlot.AlignedData;
      if (plot === null || look !== drawn) {
        plot?.destroy();
        plot = new uPlot(
          optionsOf(
            element,
            lines.map(({ name }) => name),
          ),
          data,
          element,
        );
        drawn = look;
      } else plot.setData(data);
    });
    const resized = new ResizeObserver(() =>
      plot?.setSize({ width: element.clientWidth, height: HEIGHT }),
    );
    resized.observe(element);
    return () => {
      draw();
      resized.disconnect();
      plot?.destroy();
    };
  }, []);
  return (
    <div
      ref={holder}
      class="chart"
      role="img"
      aria-label="Memory of every process over the last half hour; the figures below are the last ones"
    />
  );
}

function optionsOf(element: HTMLElement, names: readonly string[]): uPlot.Options {
  const style = getComputedStyle(element);
  const colour = (name: string) => style.getPropertyValue(name).trim();
  const axis = {
    stroke: colour('--chart-text'),
    grid: { stroke: colour('--chart-grid'), width: 1 },
    ticks: { stroke: colour('--chart-grid'), width: 1 },
    font: '11px system-ui, sans-serif',
  };
  return {
    width: element.clientWidth,
    height: HEIGHT,
    legend: { show: false },
    cursor: { points: { size: 6 }, drag: { x: false, y: false } },
    scales: { y: { range: (_plot, _low, high) => [0, Math.max(2 ** 20, high) * 1.1] } },
    axes: [
      {
        ...axis,
        space: 76,
        values: (_plot, splits) =>
          splits.map((at) => formatTime(new Date(1000 * at).toISOString())),
      },
      {
        ...axis,
        size: 64,
        incrs: BYTE_STEPS,
        values: (_plot, splits) => splits.map((value) => formatBytes(value)),
      },
    ],
    series: [
      {},
      ...names.map((name, i) => ({
        label: name,
        stroke: colour(`--line-${i % LINES}`),
        width: 1.75,
        ...(name.endsWith(' device') ? { dash: [5, 3] } : {}),
      })),
    ],
  };
}
