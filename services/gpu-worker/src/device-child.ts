import { CuzkError } from '@cuzk/core/errors';
import { FR_BYTES } from '@cuzk/core/field/fr';
import { encodeProof } from '@cuzk/core/groth16/proof';
import { sectorShape } from '@cuzk/core/porep/sector';
import type { CompactWitness } from '@cuzk/core/r1cs/compact-witness';
import type { GpuContext } from '@cuzk/gpu/device/context';
import {
  type PartitionProof,
  type ProvingPhase,
  provePartition,
  uploadPartition,
} from '@cuzk/gpu/prover/prover';
import type { ProvingCircuit } from '@cuzk/gpu/prover/proving-circuit';
import { warmUp } from '@cuzk/gpu/prover/warm-up';
import { type OpenedProver, openProver } from '@cuzk/gpu/startup/open-prover';
import { tuningText } from '@cuzk/gpu/startup/tuning-text';
import { openDeviceFolder } from '@cuzk/service-kit/circuits/device-folder';
import { randomBlinding } from '@cuzk/service-kit/circuits/random-blinding';
import { readCardMemory } from '@cuzk/service-kit/memory/card-memory';
import { SPANS } from '@cuzk/service-kit/telemetry/span-names';
import { loadShapeApart } from '@cuzk/service-kit/threads/load-shape-apart';
import { ThreadPool } from '@cuzk/service-kit/threads/thread-pool';
import type {
  ChildProblem,
  ChildReply,
  ChildRequest,
  Envelope,
  PipelineFacts,
  WitnessFile,
} from './child-protocol.ts';
import { takeDeviceTurn } from './device-turn.ts';
import { type HeldCircuit, HeldCircuits } from './held-circuits.ts';
import { type MemoryBudget, memoryBudget } from './memory-budget.ts';
import type { JoinedPartition } from './streamed-batch.ts';
import { Turns } from './turns.ts';

/**
 * The process that owns the device: works on one request at a time and cancels between submits. Of further ones the
 * witness is read, checked and put on the device meanwhile.
 */
const circuits = new HeldCircuits();
const aborts = new Map<number, AbortController>();
const NEWS_MS = 1_000;
let prover: OpenedProver | undefined;
let pipelines: Promise<PipelineFacts> | undefined;
let checkWitness = true;
let submits = 0;
/** The circuit that had the last turn. */
let provedLast: HeldCircuit['circuit'] | undefined;
const turns = new Turns();
const witnessReader = new ThreadPool<WitnessFile, never, CompactWitness>(
  new URL('../dist/witness-thread.js', import.meta.url),
  1,
);

/** Since this process began. */
const upSeconds = (): number => performance.now() / 1000;

const send = (reply: ChildReply): void => {
  process.send?.(reply);
};

const warn = (message: string): void => {
  process.stderr.write(`${message}\n`);
};

const notOpen = (): TypeError => new TypeError('the device is not open');

function openDevice(): OpenedProver {
  if (prover === undefined) throw notOpen();
  return prover;
}

async function open(
  request: number,
  body: Extract<ChildRequest, { kind: 'open' }>,
): Promise<ChildReply> {
  const what = 'opening the device: compiling kernels, once for this driver';
  prover = await openProver(body.gpu, openDeviceFolder(body.cacheDir, warn), {
    onCompiled: (done, all) => send({ kind: 'progress', request, what, fraction: done / all }),
  });
  checkWitness = body.checkWitness;
  void prover.lost.then((reason) => {
    process.stderr.write(`device lost: ${reason}\n`);
    process.exit(1);
  });
  pipelines = prover.keptPipelines.then((count) => ({ count, readySeconds: upSeconds() }));
  const { context, fpMulPerSecond, tuning, compiledAhead } = prover;
  context.news.onSubmitDone = countSubmit;
  const adapter = {
    description: context.traits.description,
    software: context.traits.software,
    tuning: tuning === undefined ? 'not tuned' : tuningText(tuning),
    fpMulPerSecond,
    openSeconds: upSeconds(),
    compiledAhead,
  };
  return { kind: 'opened', request, adapter };
}

async function load(
  request: number,
  body: Extract<ChildRequest, { kind: 'load' }>,
): Promise<ChildReply> {
  const startedAt = performance.now();
  const { context } = openDevice();
  const sector = sectorShape(body.sectorBytes);
  let step = { what: `loading ${sector.name}`, fraction: 0 };
  const tell = (what: string) => (fraction: number) => {
    step = { what, fraction };
    send({ kind: 'progress', request, ...step });
  };
  const compiling = tell(`loading ${sector.name}: compiling the circuit, once for this machine`);
  const shape = await loadShapeApart(body.cacheDir, sector, compiling, warn);
  const budget = budgetOf(body.memoryLimit, context);
  const loading = tell(`loading ${sector.name}`);
  loading(0);
  context.news.onSubmitDone = newsOf(request, () => step);
  const { held, evicted } = await circuits.load(
    context,
    sector,
    shape,
    body.source,
    budget,
    (done, total) => loading(done / total),
  );
  const warmAt = performance.now();
  const warms = held.kind === 'resident' && !context.traits.software;
  try {
    // What loading needed is of other sizes than what proving needs.
    context.buffers.trim();
    tell(`loading ${sector.name}: warming up`)(1);
    if (warms) {
      await warmUp(context, held.circuit, { checkWitness });
      await openDevice().keepPipelines();
    }
  } catch (error) {
    await circuits.evict(body.sectorBytes);
    throw error;
  }
  return {
    kind: 'loaded',
    request,
    circuitId: shape.circuitId,
    seconds: (warmAt - startedAt) / 1000,
    warmUpSeconds: warms ? (performance.now() - warmAt) / 1000 : null,
    evicted,
    plan: held.kind === 'streamed' ? held.circuit.plan : null,
  };
}

/** A software adapter uses the memory of the host, of which only a limit in bytes says how much that may be. */
function budgetOf(limit: string, { traits, buffers }: GpuContext): MemoryBudget | null {
  const held = Object.values(buffers.bytesInUse).reduce((sum, bytes) => sum + bytes, 0);
  const cards = traits.software ? [] : readCardMemory();
  return memoryBudget(limit, cards, held + buffers.idleBytes);
}

async function prove(
  request: number,
  body: Extract<ChildRequest, { kind: 'prove' }>,
  signal: AbortSignal,
): Promise<ChildReply> {
  const held = circuits.use(body.sectorBytes);
  try {
    return await proveWith(held, request, body, signal);
  } finally {
    held.done();
  }
}

async function proveWith(
  held: HeldCircuit,
  request: number,
  body: Extract<ChildRequest, { kind: 'prove' }>,
  signal: AbortSignal,
): Promise<ChildReply> {
  const { context } = openDevice();
  const phases = startPhases();
  const witness = await witnessReader.run(body.witness, { signal });
  phases.ended(SPANS.proveDecode);
  const publicInputs = witness.inputs.slice(FR_BYTES);
  const uploaded = await uploadPartition(context, held.circuit, witness);
  phases.ended(SPANS.gpuUpload);
  send({ kind: 'uploaded', request });
  let begun = false;
  const onBegun = (): void => {
    begun = true;
    phases.ended(SPANS.proveTurn);
    send({ kind: 'begun', request });
  };
  const joined = { witness: uploaded, blinding: randomBlinding(), signal, onBegun };
  if (held.kind === 'streamed') held.batch.join(joined);
  try {
    return await takeDeviceTurn(turns, context, signal, async () => {
      context.news.onSubmitDone = newsOf(request);
      // what proofs of another circuit left idle is of other sizes, and beside it there need not be room
      if (provedLast !== held.circuit) context.buffers.trim();
      provedLast = held.circuit;
      const options = {
        checkWitness,
        onPhase: (what: string) => send({ kind: 'progress', request, what, fraction: 0 }),
      };
      const proved =
        held.kind === 'streamed'
          ? await held.batch.prove(joined, options)
          : await proveAlone(context, held.circuit, joined, options);
      const proof = encodeProof(proved.proof);
      const all = [...phases.list, ...proved.phases];
      return { kind: 'proved', request, proof: { proof, publicInputs, phases: all } };
    });
  } finally {
    if (held.kind === 'streamed') held.batch.leave(joined);
    else if (!begun) uploaded.close();
  }
}

function proveAlone(
  context: GpuContext,
  circuit: ProvingCircuit,
  { witness, blinding, signal, onBegun }: JoinedPartition,
  options: { readonly checkWitness: boolean; readonly onPhase: (name: string) => void },
): Promise<PartitionProof> {
  onBegun();
  return provePartition(context, circuit, witness, blinding, { ...options, signal });
}

/** Phases one after another, by the wall. */
function startPhases(): { readonly list: ProvingPhase[]; ended(name: string): void } {
  const list: ProvingPhase[] = [];
  let startMs = Date.now();
  return {
    list,
    ended: (name) => {
      const endMs = Date.now();
      list.push({ name, startMs, durationMs: endMs - startMs, clock: 'wall' });
      startMs = endMs;
    },
  };
}

const countSubmit = (): void => {
  submits += 1;
};

function sendUsage(request: number): void {
  if (prover === undefined) return;
  const { bytesInUse, idleBytes } = prover.context.buffers;
  const deviceBytes = { ...bytesInUse, idle: idleBytes };
  send({ kind: 'usage', request, usage: { submits, deviceBytes } });
}

/**
 * One message a second says that the device moves on, however many submits there are: with their phase, or with the
 * step of longer work.
 */
function newsOf(
  request: number,
  step?: () => { what: string; fraction: number },
): (phase: string) => void {
  let last = Number.NEGATIVE_INFINITY;
  return (phase) => {
    countSubmit();
    if (performance.now() - last < NEWS_MS) return;
    last = performance.now();
    send({ kind: 'progress', request, what: phase, fraction: 0, ...step?.() });
    sendUsage(request);
  };
}

async function answer(
  request: number,
  body: ChildRequest,
  signal: AbortSignal,
): Promise<ChildReply> {
  if (body.kind === 'prove') return prove(request, body, signal);
  if (body.kind === 'pipelines') {
    if (pipelines === undefined) throw notOpen();
    return { kind: 'pipelines', request, pipelines: await pipelines };
  }
  if (body.kind === 'circuits') return { kind: 'circuits', request, circuits: circuits.states() };
  if (body.kind === 'open') return turns.take(signal, () => open(request, body));
  return takeDeviceTurn(turns, openDevice().context, signal, async () => {
    if (body.kind === 'load') return load(request, body);
    if (body.kind === 'evict') {
      return { kind: 'evicted', request, wasLoaded: await circuits.evict(body.sectorBytes) };
    }
    await openDevice().selfTest();
    return { kind: 'tested', request };
  });
}

function problemOf(error: unknown): ChildProblem {
  if (error instanceof CuzkError)
    return { code: error.code, message: error.message, facts: error.facts };
  return {
    code: null,
    message: error instanceof Error ? (error.stack ?? error.message) : String(error),
    facts: {},
  };
}

process.on('message', ({ request, body }: Envelope) => {
  if (body.kind === 'cancel') {
    aborts.get(body.request)?.abort(new CuzkError('CANCELLED', 'the proof was cancelled'));
    return;
  }
  const abort = new AbortController();
  aborts.set(request, abort);
  void answer(request, body, abort.signal)
    .catch((error: unknown): ChildReply => ({ kind: 'failed', request, problem: problemOf(error) }))
    .then((reply) => {
      aborts.delete(request);
      sendUsage(request);
      send(reply);
    });
});
process.on('disconnect', () => process.exit(0));
