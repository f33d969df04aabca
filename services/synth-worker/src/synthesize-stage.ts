import { Readable } from 'node:stream';
import { witnessRef } from '@cuzk/service-kit/artifacts/names';
import type { Service } from '@cuzk/service-kit/open-service';
import { holdPermit, isDenied } from '@cuzk/service-kit/permits/held-permit';
import { hostPool } from '@cuzk/service-kit/permits/permits';
import { jobIdOf } from '@cuzk/service-kit/queues/job-id';
import type { Admission, StageContext } from '@cuzk/service-kit/queues/stage-options';
import { submitWitness } from '@cuzk/service-kit/record/changes';
import { witnessBytesOf } from '@cuzk/service-kit/record/read-proof';
import type {
  Change,
  PhaseTiming,
  StageUnit,
  SynthesizeClaim,
} from '@cuzk/service-kit/record/types';
import { observePhases } from '@cuzk/service-kit/telemetry/phase-metrics';
import { SPANS } from '@cuzk/service-kit/telemetry/span-names';
import { writePhaseSpans } from '@cuzk/service-kit/telemetry/trace-context';
import { mendFromC1 } from './mend-from-c1.ts';
import type { SynthThreads } from './threads/open-synth-threads.ts';
import type { SynthesizedAnswer } from './threads/synth-tasks.ts';

/** What one running synthesis takes besides its witness: the thread, its code and its input. */
const THREAD_BYTES = 128 * 2 ** 20;
/** The loop hashes and writes in pieces of this size, so that it stays free in between. */
const PIECE_BYTES = 4 * 2 ** 20;

/** Memory of one synthesis: the witness once, and once more while it is written. */
const workingBytes = (witnessBytes: number): number => 2 * witnessBytes + THREAD_BYTES;

/** Leave to synthesize on this host, from its memory pool; null while the pool is full. */
export async function admitSynthesis(
  { redis, identity, logger }: Service,
  memoryBytes: number,
  unit: StageUnit,
): Promise<Admission | null> {
  const witnessBytes = await witnessBytesOf(redis, unit.proofId);
  const permit = await holdPermit(redis, {
    pool: hostPool(identity.node),
    lease: `${jobIdOf(unit)}@${identity.owner}`,
    bytes: workingBytes(witnessBytes),
    capBytes: memoryBytes,
    holder: unit.proofId,
  });
  if (!isDenied(permit)) return permit;
  logger.debug({ ...permit.status }, 'synthesis waits for memory');
  return null;
}

/** Makes the witness of one partition in a thread and stores it. */
export async function synthesize(
  service: Service,
  threads: { readonly synth: SynthThreads; readonly check: SynthThreads },
  claim: SynthesizeClaim,
  { signal, span }: StageContext,
): Promise<Change> {
  const { redis, artifacts, telemetry, buffers, metrics } = service;
  const { fence } = claim;
  const startMs = Date.now();
  const held = buffers.hold('witness', 'synthesize', 0);
  try {
    const inputPath = await mendFromC1(service, threads.check, claim, claim.input, {
      signal,
      pick: (partitions) => partitions[fence.partition ?? 0]?.czpi ?? new Uint8Array(0),
      use: () => artifacts.localPath(claim.input),
    });
    const task = { task: 'synthesize', inputPath, run: jobIdOf(fence) } as const;
    const fetchMs = Date.now() - startMs;
    const made = (await threads.synth.run(task, { signal })) as SynthesizedAnswer;
    held.resize(made.chunks.reduce((sum, chunk) => sum + chunk.length, 0));
    const storeStartMs = Date.now();
    const witness = await artifacts.put(witnessRef(fence), Readable.from(pieces(made.chunks)));
    const fillStartMs = storeStartMs - made.encodeMs - made.fillMs;
    const phases: PhaseTiming[] = [
      wall(SPANS.synthesizeFetch, startMs, fetchMs),
      wall(SPANS.synthesizeStart, startMs + fetchMs, fillStartMs - startMs - fetchMs),
      wall(SPANS.synthesizeFill, fillStartMs, made.fillMs),
      wall(SPANS.synthesizeEncode, storeStartMs - made.encodeMs, made.encodeMs),
      wall(SPANS.synthesizeStore, storeStartMs, Date.now() - storeStartMs),
    ];
    writePhaseSpans(telemetry.tracer, span, phases);
    observePhases(metrics, phases);
    span.setAttribute('cuzk.bytes', witness.bytes);
    const whole = wall(SPANS.synthesize, startMs, Date.now() - startMs);
    const change = await submitWitness(redis, fence, witness, [whole, ...phases]);
    if (!change.accepted) await artifacts.delete(witness.ref);
    return change;
  } finally {
    held.release();
  }
}

const wall = (name: string, startMs: number, durationMs: number): PhaseTiming => ({
  name,
  startMs: Math.round(startMs),
  durationMs: Math.round(durationMs * 1000) / 1000,
  clock: 'wall',
});

function* pieces(chunks: readonly Uint8Array[]): Generator<Uint8Array> {
  for (const chunk of chunks) {
    for (let at = 0; at < chunk.length; at += PIECE_BYTES) {
      yield chunk.subarray(at, at + PIECE_BYTES);
    }
  }
}
