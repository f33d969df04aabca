import { readBackOf } from './read-back.ts';

/**
 * Seconds per phase. With timestamp queries the figure is device time inside compute passes; without them it is
 * the wall time around the submit, and `source` says so.
 */
export interface PhaseTimer {
  begin(phase: string): PhaseMark;
  /** Totals since the last call, in order of first appearance. Waits for outstanding timestamps. */
  collect(): Promise<readonly PhaseSeconds[]>;
}

interface PhaseMark {
  /** True where every dispatch is to have a pass of its own, named in passTimestamps. */
  readonly byKernel: boolean;
  /** Timestamp slots for the next compute pass of this submit, where the adapter has them. */
  passTimestamps(kernel: string): GPUComputePassTimestampWrites | undefined;
  /** Called once, after the last pass is encoded. */
  encodeEnd(encoder: GPUCommandEncoder): void;
  /** Called when the device is done with the submit. */
  done(): void;
}

export interface PhaseSeconds {
  readonly phase: string;
  readonly seconds: number;
  readonly submits: number;
  readonly source: 'timestamps' | 'wall';
}

type Totals = Map<string, { seconds: number; submits: number }>;

function addSeconds(totals: Totals, phase: string, seconds: number): void {
  const total = totals.get(phase) ?? { seconds: 0, submits: 0 };
  total.seconds += seconds;
  total.submits += 1;
  totals.set(phase, total);
}

const listTotals = (totals: Totals, source: PhaseSeconds['source']): PhaseSeconds[] =>
  [...totals].map(([phase, total]) => ({ phase, ...total, source }));

/** Wall-clock timer: every adapter has it. `now` returns milliseconds. Submits count from the end of the one before. */
export function createWallTimer(now: () => number): PhaseTimer {
  let totals: Totals = new Map();
  let lastDone = Number.NEGATIVE_INFINITY;
  return {
    begin(phase) {
      const start = now();
      return {
        byKernel: false,
        passTimestamps: () => undefined,
        encodeEnd: () => {},
        done: () => {
          const end = now();
          addSeconds(totals, phase, (end - Math.max(start, lastDone)) / 1000);
          lastDone = end;
        },
      };
    },
    async collect() {
      const list = listTotals(totals, 'wall');
      totals = new Map();
      return list;
    },
  };
}

/** Slots of the query set, used as a ring: WebGPU allows 4096 per set. */
const QUERY_SLOTS = 4096;
/** Passes of one submit that are timed; a submit of this library has one pass between two copies. */
const MAX_PASSES_PER_SUBMIT = 64;
/** The same where every dispatch is a pass: four submits in flight fill the ring. */
const MAX_KERNELS_PER_SUBMIT = 512;

/**
 * Device-time timer. Needs the feature timestamp-query. With `byKernel` every dispatch is timed on its own, and a phase
 * is listed once per kernel, as `phase kernel`: that costs a little time itself.
 */
export function createTimestampTimer(device: GPUDevice, byKernel = false): PhaseTimer {
  const maxPasses = byKernel ? MAX_KERNELS_PER_SUBMIT : MAX_PASSES_PER_SUBMIT;
  const queries = device.createQuerySet({ type: 'timestamp', count: QUERY_SLOTS });
  const resolved = device.createBuffer({
    size: QUERY_SLOTS * 8,
    usage: GPUBufferUsage.QUERY_RESOLVE | GPUBufferUsage.COPY_SRC,
  });
  let totals: Totals = new Map();
  let next = 0;
  /** Those that nobody has collected yet; what has been added to the totals is none of them. */
  let pending = new Set<Promise<void>>();

  const pool = readBackOf(device);

  const readBack = async (
    buffer: GPUBuffer,
    sizeBytes: number,
    phase: string,
    kernels: string[],
  ): Promise<void> => {
    await buffer.mapAsync(GPUMapMode.READ, 0, sizeBytes);
    const ticks = new BigUint64Array(buffer.getMappedRange(0, sizeBytes));
    let sum = 0;
    for (let i = 0; i + 1 < ticks.length; i += 2) {
      const seconds = Number((ticks[i + 1] ?? 0n) - (ticks[i] ?? 0n)) / 1e9;
      if (byKernel) addSeconds(totals, `${phase} ${kernels[i / 2]}`, seconds);
      else sum += seconds;
    }
    buffer.unmap();
    pool.give(buffer);
    if (!byKernel) addSeconds(totals, phase, sum);
  };

  const wait = (read: Promise<void>): void => {
    pending.add(read);
    // who collects hears of a failure; where nobody does, it is nobody's
    read.then(
      () => pending.delete(read),
      () => {},
    );
  };

  return {
    begin(phase) {
      // A resolve range starts at a multiple of 256 bytes, so each submit takes a whole block of slots.
      const first = next;
      next = (next + 2 * maxPasses) % QUERY_SLOTS;
      let used = 0;
      const kernels: string[] = [];
      let copy: GPUBuffer | undefined;
      return {
        byKernel,
        passTimestamps(kernel) {
          if (used + 2 > 2 * maxPasses) return undefined;
          const slot = first + used;
          used += 2;
          kernels.push(kernel);
          return {
            querySet: queries,
            beginningOfPassWriteIndex: slot,
            endOfPassWriteIndex: slot + 1,
          };
        },
        encodeEnd(encoder) {
          if (used === 0) return;
          copy = pool.take(used * 8);
          encoder.resolveQuerySet(queries, first, used, resolved, first * 8);
          encoder.copyBufferToBuffer(resolved, first * 8, copy, 0, used * 8);
        },
        done() {
          if (copy === undefined) addSeconds(totals, phase, 0);
          else wait(readBack(copy, used * 8, phase, kernels));
        },
      };
    },
    async collect() {
      const waiting = pending;
      pending = new Set();
      await Promise.all(waiting);
      const list = listTotals(totals, 'timestamps');
      totals = new Map();
      return list;
    },
  };
}
