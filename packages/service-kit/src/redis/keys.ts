/**
 * Every key of the product begins with one hash tag, so that a Lua call may touch a record, its event
 * stream and the permit pools together (Redis Cluster: one slot). BullMQ uses the same prefix.
 */
export const KEY_PREFIX = '{cuzk}';

export const proofKey = (proofId: string): string => `${KEY_PREFIX}:proof:${proofId}`;
export const eventsKey = (proofId: string): string => `${KEY_PREFIX}:events:${proofId}`;
/** There for a while once the waits of a run have been written into its trace. */
export const waitsToldKey = (proofId: string, run: string): string =>
  `${KEY_PREFIX}:waits-told:${proofId}:${run}`;
export const poolKey = (pool: string, part: 'bytes' | 'expiry' | 'meta' | 'holders'): string =>
  `${KEY_PREFIX}:pool:${pool}:${part}`;
export const presenceKey = (owner: string): string => `${KEY_PREFIX}:presence:${owner}`;

/** Sorted set of every proof by creation time. */
export const PROOFS_KEY = `${KEY_PREFIX}:proofs`;
/** Sorted set of proofs that have not ended. */
export const LIVE_KEY = `${KEY_PREFIX}:live`;
/** Sorted set of ended proofs by end time. */
export const ENDED_KEY = `${KEY_PREFIX}:ended`;
/** Hash: how many runs have ended in each state. */
export const ENDED_COUNTS_KEY = `${KEY_PREFIX}:ended-counts`;
/** Partitions of all tenants that wait for dispatch: class, deadline, order of arrival, proof, partition. */
export const PENDING_KEY = `${KEY_PREFIX}:pending`;
/** Hash: workers whose device may be broken, with the code of what it did. They take no work. */
export const SUSPECTS_KEY = `${KEY_PREFIX}:suspects`;
/** Sorted set of partitions that wait for a prover, in the order in which they shall be taken. */
export const PROVABLE_KEY = `${KEY_PREFIX}:provable`;
/** Hash: what each prover works on (`<owner> <proof>:<partition>`), with the time of its claim in Unix ms. */
export const BUSY_KEY = `${KEY_PREFIX}:busy`;
/** Why the dispatcher stopped last, in one word. */
export const DISPATCH_STOP_KEY = `${KEY_PREFIX}:dispatch-stop`;
/** Sorted set of worker processes by the time they were last heard of. */
export const PRESENCE_KEY = `${KEY_PREFIX}:presence`;
/** What waits of one tenant in one class, in order. */
export const lineKey = (priorityClass: number, tenant: string): string =>
  `${KEY_PREFIX}:line:${priorityClass}:${tenant || '-'}`;
/** Tenants of a class that have something waiting, in turn. */
export const roundKey = (priorityClass: number): string => `${KEY_PREFIX}:round:${priorityClass}`;
/** Hash: weight of each tenant. */
export const WEIGHTS_KEY = `${KEY_PREFIX}:weights`;
/** List of how long the last units of a stage took for a circuit, ms. */
export const durationsKey = (stage: string, circuitId: string): string =>
  `${KEY_PREFIX}:durations:${stage}:${circuitId}`;
/** Channel that carries the id of a proof whose event stream has grown. */
export const NOTIFY_CHANNEL = `${KEY_PREFIX}:notify`;
/** Channel that says that something which waits for dispatch may go now. */
export const DISPATCHABLE_CHANNEL = `${KEY_PREFIX}:dispatchable`;
/** Channel that carries the id of a proof whose running work shall stop. */
export const STOP_CHANNEL = `${KEY_PREFIX}:stop`;
/** Channel that carries the name of a worker that shall die at once (demo only). */
export const CHAOS_CHANNEL = `${KEY_PREFIX}:chaos`;
