import type { Admission } from '../queues/stage-options.ts';

/** Holds a worker between taking a job and claiming its unit, for ever: what a test then kills. */
export const stuck = (): Promise<Admission | null> => new Promise(() => {});
