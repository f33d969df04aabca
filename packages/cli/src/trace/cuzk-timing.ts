import type { Stretch } from '@cuzk/service-kit/record/timeline';
import type { PhaseView } from '../proof-client.ts';
import { type ProofHistory, stageOfPhase, workerOf } from './proof-history.ts';

/** cuzk's names of the phases. What cuzk measures on its own and we do not has no line. */
const TIMING_NAMES: readonly (readonly [string, string])[] = [
  ['cuzk.gpu.upload', 'pin_abc_ms'],
  ['cuzk.gpu.ntt_msm_h', 'gpu_tid=0 ntt_msm_h_ms'],
  ['cuzk.gpu.batch_add', 'gpu_tid=0 batch_add_ms'],
  ['cuzk.gpu.tail_msm', 'gpu_tid=0 tail_msm_ms'],
  ['cuzk.gpu.b_g2_msm', 'b_g2_msm_ms'],
  ['cuzk.gpu.total', 'gpu_tid=0 gpu_total_ms'],
];

/**
 * The lines of cuzk's timing log: `TIMELINE,<ms since the proof came in>,<event>,<proof>,<detail>` for what happened,
 * then `CUZK_TIMING: <figure>` for the phases of each partition. Unlike there, every line names proof, partition and
 * worker, behind what cuzk writes.
 */
export function cuzkTimingLines(history: ProofHistory): string[] {
  return [...timelineLines(history), ...phaseLines(history)];
}

interface Moment {
  readonly at: number;
  readonly event: string;
  readonly detail: string;
}

function timelineLines(history: ProofHistory): string[] {
  const { proof, stretches, originMs } = history;
  return stretches
    .flatMap((stretch) => momentsOf(history, stretch))
    .sort((a, b) => a.at - b.at)
    .map(({ at, event, detail }) =>
      ['TIMELINE', Math.round(at - originMs), event, proof.proofId, detail].join(','),
    );
}

function momentsOf(history: ProofHistory, stretch: Stretch): Moment[] {
  const { what, kind, partition } = stretch;
  if (partition === null) return [];
  if (what === 'gpu') {
    const maker = workerOf(history, partition, 'synthesize') ?? 'none';
    const detail = `partition=${partition},worker=${maker}`;
    return [{ at: stretch.startMs, event: 'GPU_QUEUE', detail }];
  }
  if (kind === 'wait') return [];
  return what === 'synthesize'
    ? synthesisMoments(stretch, partition)
    : provingMoments(history, stretch, partition);
}

function synthesisMoments(
  { startMs, endMs, worker, ending }: Stretch,
  partition: number,
): Moment[] {
  const who = `worker=${worker ?? 'none'}`;
  const start = { at: startMs, event: 'SYNTH_START', detail: `partition=${partition},${who}` };
  if (ending !== 'synthesized' || endMs === null) return [start];
  const detail = `partition=${partition},synth_ms=${endMs - startMs},${who}`;
  return [start, { at: endMs, event: 'SYNTH_END', detail }];
}

function provingMoments(
  history: ProofHistory,
  { startMs, endMs, worker, ending }: Stretch,
  partition: number,
): Moment[] {
  const detail = `worker=${worker ?? 'none'},partition=${partition}`;
  const pickup = { at: startMs, event: 'GPU_PICKUP', detail };
  if (ending !== 'proved' || endMs === null) return [pickup];
  const device = deviceTime(history, partition);
  const gpuMs = Math.round(device?.durationMs ?? endMs - startMs);
  return [
    pickup,
    { at: device?.startMs ?? startMs, event: 'GPU_START', detail },
    { at: endMs, event: 'GPU_END', detail: `${detail},gpu_ms=${gpuMs}` },
  ];
}

const deviceTime = ({ proof }: ProofHistory, index: number): PhaseView | undefined =>
  proof.partitions[index]?.phases.find(({ name }) => name === 'cuzk.gpu.total');

function phaseLines(history: ProofHistory): string[] {
  return history.proof.partitions.flatMap(({ index, phases }) =>
    TIMING_NAMES.flatMap(([name, figure]) => {
      const phase = phases.find((found) => found.name === name);
      if (phase === undefined) return [];
      const worker = workerOf(history, index, stageOfPhase(phase)) ?? 'none';
      const where = `proof=${history.proof.proofId} partition=${index} worker=${worker}`;
      return `CUZK_TIMING: ${figure}=${Math.round(phase.durationMs)} ${where} clock=${phase.clock}`;
    }),
  );
}
