import type { Stage, StageUnit } from '../record/types.ts';
import { STAGES } from '../record/types.ts';

/** Version of the job data; a worker that reads another version leaves the job to newer workers. */
const JOB_VERSION = 1;

/** All that a queue job carries: names, never payloads. */
export interface StageJobData {
  readonly v: number;
  readonly proofId: string;
  readonly run: number;
  readonly partition: number | null;
  readonly attempt: number;
}

/** `<proofId>.r1.prove.07.a2`; stages of the whole proof have no partition part. */
export function jobIdOf(unit: StageUnit): string {
  const part = unit.partition === null ? '' : `.${String(unit.partition).padStart(2, '0')}`;
  return `${unit.proofId}.r${unit.run}.${unit.stage}${part}.a${unit.attempt}`;
}

const JOB_ID = /^(prf_[0-9a-f-]{36})\.r(\d+)\.([a-z]+)(?:\.(\d{2,3}))?\.a(\d+)$/;

/** The unit a job id names, or null for an id of another form. */
export function parseJobId(jobId: string): StageUnit | null {
  const match = JOB_ID.exec(jobId);
  if (!match) return null;
  const [, proofId, run, stage, partition, attempt] = match;
  if (!proofId || !STAGES.includes(stage as Stage)) return null;
  return {
    proofId,
    run: Number(run),
    stage: stage as Stage,
    partition: partition === undefined ? null : Number(partition),
    attempt: Number(attempt),
  };
}

export const jobDataOf = (unit: StageUnit): StageJobData => ({
  v: JOB_VERSION,
  proofId: unit.proofId,
  run: unit.run,
  partition: unit.partition,
  attempt: unit.attempt,
});

/** The unit of a job's data, or null when the data has another version or form. */
export function unitOfJob(stage: Stage, data: unknown): StageUnit | null {
  if (typeof data !== 'object' || data === null) return null;
  const { v, proofId, run, partition, attempt } = data as Partial<StageJobData>;
  if (v !== JOB_VERSION || typeof proofId !== 'string') return null;
  if (!Number.isSafeInteger(run) || !Number.isSafeInteger(attempt)) return null;
  if (partition !== null && !Number.isSafeInteger(partition)) return null;
  return {
    proofId,
    run: run as number,
    stage,
    partition: partition as number | null,
    attempt: attempt as number,
  };
}
