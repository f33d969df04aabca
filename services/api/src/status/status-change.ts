import type { PipelineView, StatusView } from './status-types.ts';

/** What became different: whole sections, but only those pipelines that changed. */
export type StatusChange = Partial<Omit<StatusView, 'uptime_secs' | 'time' | 'pipelines'>> & {
  readonly pipelines?: readonly PipelineView[];
  /** Job ids in their order now, where a pipeline came, went or moved. */
  readonly order?: readonly string[];
};

const SECTIONS = [
  'service',
  'memory',
  'synthesis',
  'gpu_workers',
  'allocations',
  'counters',
  'buffers',
  'workers',
  'queues',
  'permits',
] as const;

const differ = (a: unknown, b: unknown): boolean => JSON.stringify(a) !== JSON.stringify(b);
const orderOf = ({ pipelines }: StatusView): string[] => pipelines.map(({ job_id }) => job_id);

/**
 * What leads from `before` to `after`, with the values of `shown`, which is `after` at the time it is sent; null when
 * nothing changed. `before` and `after` are views at the same time, so that running clocks are no change.
 */
export function changeBetween(
  before: StatusView,
  after: StatusView,
  shown: StatusView,
): StatusChange | null {
  const sections = SECTIONS.filter((name) => differ(before[name], after[name]));
  const known = new Map(before.pipelines.map((pipeline) => [pipeline.job_id, pipeline]));
  const pipelines = after.pipelines.flatMap((pipeline, i) =>
    differ(known.get(pipeline.job_id), pipeline) ? [shown.pipelines[i] as PipelineView] : [],
  );
  const moved = differ(orderOf(before), orderOf(after));
  if (sections.length === 0 && pipelines.length === 0 && !moved) return null;
  return {
    ...Object.fromEntries(sections.map((name) => [name, shown[name]])),
    ...(pipelines.length === 0 ? {} : { pipelines }),
    ...(moved ? { order: orderOf(after) } : {}),
  };
}

/** The status that a change leads to. `changeBetween` and this are inverse (clocks aside). */
export function applyChange(before: StatusView, change: StatusChange): StatusView {
  const { pipelines: changed = [], order = orderOf(before), ...sections } = change;
  const known = new Map([...before.pipelines, ...changed].map((own) => [own.job_id, own]));
  const pipelines = order.flatMap((id) => known.get(id) ?? []);
  return { ...before, ...sections, pipelines };
}
