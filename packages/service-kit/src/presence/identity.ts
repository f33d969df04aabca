import { randomBytes } from 'node:crypto';

export type WorkerRole = 'api' | 'synth-worker' | 'gpu-worker';

export interface WorkerIdentity {
  readonly role: WorkerRole;
  /** Host the process runs on; names the `host:<node>` permit pool. */
  readonly node: string;
  /** Stays the same over restarts: what a GPU is remembered by when it failed. */
  readonly name: string;
  /** `name` and a mark of this very process: what a fence shows. */
  readonly owner: string;
}

/** `instance` tells several workers of one role on one node apart (a GPU index, for example). */
export function createIdentity(role: WorkerRole, node: string, instance: string): WorkerIdentity {
  const name = `${role}/${node}/${instance}`;
  return { role, node, name, owner: `${name}#${randomBytes(6).toString('hex')}` };
}
