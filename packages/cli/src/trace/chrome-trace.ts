import { type ProofHistory, stageOfPhase, workerOf } from './proof-history.ts';

/** One complete event or one name, in the trace event format that Perfetto and chrome://tracing read. */
interface TraceEvent {
  readonly name: string;
  readonly cat: string;
  readonly ph: 'X' | 'M';
  readonly pid: number;
  readonly tid: number;
  /** Microseconds. */
  readonly ts?: number;
  readonly dur?: number;
  readonly args: Readonly<Record<string, unknown>>;
}

/** Two rows a partition: its stages, and the phases inside them. */
const stageRow = (partition: number | null): number => (partition === null ? 1 : 2 * partition + 2);
const phaseRow = (partition: number): number => 2 * partition + 3;
const QUEUES = 'queues';

/**
 * A trace-event file: each worker is a process, the queues are one more; each partition has a row for its stages and
 * one for its phases. Times count from the creation of the record.
 */
export function chromeTrace(history: ProofHistory): {
  readonly traceEvents: readonly TraceEvent[];
} {
  const { proof, stretches, originMs, endMs } = history;
  const processes = new Map<string, number>();
  const rows = new Map<string, TraceEvent>();
  const pidOf = (worker: string): number => {
    const known = processes.get(worker) ?? processes.size + 1;
    processes.set(worker, known);
    return known;
  };
  const micros = (ms: number): number => Math.round(1000 * ms);
  const place = (worker: string, tid: number, name: string): { pid: number; tid: number } => {
    const pid = pidOf(worker);
    rows.set(`${pid}.${tid}`, nameOf('thread_name', pid, tid, name));
    return { pid, tid };
  };
  const stages = stretches.map((stretch): TraceEvent => {
    const { kind, what, partition, startMs, attempt, ending } = stretch;
    const row = partition === null ? 'proof' : `partition ${partition}`;
    return {
      name: kind === 'wait' ? `wait for ${what}` : what,
      cat: kind,
      ph: 'X',
      ...place(
        kind === 'wait' ? QUEUES : (stretch.worker ?? 'unknown worker'),
        stageRow(partition),
        row,
      ),
      ts: micros(startMs - originMs),
      dur: micros((stretch.endMs ?? endMs) - startMs),
      args: { proof: proof.proofId, partition, attempt, ending },
    };
  });
  const phases = proof.partitions.flatMap(({ index, phases: own }) =>
    own.map((phase): TraceEvent => {
      const worker = workerOf(history, index, stageOfPhase(phase)) ?? 'unknown worker';
      return {
        name: phase.name,
        cat: 'phase',
        ph: 'X',
        ...place(worker, phaseRow(index), `partition ${index}, phases`),
        ts: micros(phase.startMs - originMs),
        dur: micros(phase.durationMs),
        args: { proof: proof.proofId, partition: index, clock: phase.clock },
      };
    }),
  );
  const names = [...processes].map(([worker, pid]) => nameOf('process_name', pid, 0, worker));
  return { traceEvents: [...names, ...rows.values(), ...stages, ...phases] };
}

const nameOf = (what: string, pid: number, tid: number, name: string): TraceEvent => ({
  name: what,
  cat: '__metadata',
  ph: 'M',
  pid,
  tid,
  args: { name },
});
