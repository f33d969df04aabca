import { readFile } from 'node:fs/promises';
import { CuzkError } from '@cuzk/core/errors';
import { developmentToxicWaste } from '@cuzk/core/groth16/development-waste';
import { encodeProof } from '@cuzk/core/groth16/proof';
import { encodeVerifyingKey } from '@cuzk/core/groth16/verifying-key';
import { sectorShape } from '@cuzk/core/porep/sector';
import { decodeCompactWitness } from '@cuzk/core/r1cs/compact-witness-file';
import type { CircuitShape } from '@cuzk/core/r1cs/shape';
import type { GpuContext } from '@cuzk/gpu/device/context';
import { type MemoryPlan, planMemory } from '@cuzk/gpu/prover/memory-plan';
import { type OpenedProver, openProver } from '@cuzk/gpu/prover/open-prover';
import { provePartition } from '@cuzk/gpu/prover/prover';
import { loadCircuit, type ProvingCircuit } from '@cuzk/gpu/prover/proving-circuit';
import { generateSrs } from '@cuzk/gpu/setup/generate-srs';
import { openFileReader } from '@cuzk/service-kit/circuits/file-reader';
import { sha256 } from '@cuzk/service-kit/circuits/node-hashes';
import { randomBlinding } from '@cuzk/service-kit/circuits/random-blinding';
import { replaceFile } from '@cuzk/service-kit/circuits/replace-file';
import { loadShape } from '@cuzk/service-kit/circuits/shape-cache';
import { readCardMemory } from './card-memory.ts';
import type {
  ChildProblem,
  ChildReply,
  ChildRequest,
  Envelope,
  SrsOrigin,
} from './child-protocol.ts';
import { memoryBudget, requireMemory } from './memory-budget.ts';

/** The process that owns the device: takes requests one after another, cancels between submits. */
const circuits = new Map<number, ProvingCircuit>();
const memories = new Map<number, MemoryPlan>();
const aborts = new Map<number, AbortController>();
const NEWS_MS = 1_000;
let prover: OpenedProver | undefined;
let checkWitness = true;
let submits = 0;
let tail: Promise<void> = Promise.resolve();

const send = (reply: ChildReply): void => {
  process.send?.(reply);
};

function openDevice(): OpenedProver {
  if (prover === undefined) throw new TypeError('the device is not open');
  return prover;
}

async function open(
  request: number,
  body: Extract<ChildRequest, { kind: 'open' }>,
): Promise<ChildReply> {
  prover = await openProver(body.gpu);
  checkWitness = body.checkWitness;
  void prover.lost.then((reason) => {
    process.stderr.write(`device lost: ${reason}\n`);
    process.exit(1);
  });
  const { context, fpMulPerSecond } = prover;
  context.news.onSubmitDone = countSubmit;
  const { fp, fr } = context.variants;
  const adapter = {
    description: context.traits.description,
    software: context.traits.software,
    variants: `fp ${fp}, fr ${fr}`,
    fpMulPerSecond,
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
  const shape = await loadShape(body.cacheDir, sector);
  const memory = planMemory(shape, context.traits);
  requireMemoryOf(sector.name, memory, body.memoryLimit, context);
  const onProgress = (done: number, total: number): void =>
    send({ kind: 'progress', request, what: `loading ${sector.name}`, fraction: done / total });
  context.news.onSubmitDone = newsOf(request);
  circuits.set(body.sectorBytes, await openCircuit(context, shape, body.source, onProgress));
  memories.set(body.sectorBytes, memory);
  return {
    kind: 'loaded',
    request,
    circuitId: shape.circuitId,
    seconds: (performance.now() - startedAt) / 1000,
  };
}

/** A software adapter uses the memory of the host, of which only a limit in bytes says how much that may be. */
function requireMemoryOf(
  name: string,
  memory: MemoryPlan,
  limit: string,
  { traits, buffers }: GpuContext,
): void {
  const held = Object.values(buffers.bytesInUse).reduce((sum, bytes) => sum + bytes, 0);
  const cards = traits.software ? [] : readCardMemory();
  const budget = memoryBudget(limit, cards, held + buffers.idleBytes);
  requireMemory(name, memory, [...memories.values()], budget);
}

async function openCircuit(
  context: GpuContext,
  shape: CircuitShape,
  source: SrsOrigin,
  onProgress: (done: number, total: number) => void,
): Promise<ProvingCircuit> {
  if (source.kind === 'generate') {
    const circuit = await generateSrs(context, shape, developmentToxicWaste(), {
      onPoints: onProgress,
    });
    await replaceFile(source.vkPath, encodeVerifyingKey(circuit.vk));
    return circuit;
  }
  const reader = await openFileReader(source.paramsPath);
  try {
    const { subgroupChecked } = source;
    return await loadCircuit(context, shape, reader, { subgroupChecked, onBytes: onProgress });
  } finally {
    await reader.close();
  }
}

async function prove(
  request: number,
  body: Extract<ChildRequest, { kind: 'prove' }>,
): Promise<ChildReply> {
  const { context } = openDevice();
  const circuit = circuits.get(body.sectorBytes);
  if (circuit === undefined)
    throw new CuzkError('GPU_UNAVAILABLE', 'that circuit is not on this device');
  const signal = aborts.get(request)?.signal;
  const startMs = Date.now();
  context.news.onSubmitDone = newsOf(request);
  const file = await readFile(body.witnessPath).catch((cause: unknown) => {
    throw new CuzkError('ARTIFACT_MISSING', 'the witness file is gone', {}, cause);
  });
  const { witness } = decodeCompactWitness(aligned(file), sha256);
  const decodedMs = Date.now();
  const { proof, phases } = await provePartition(context, circuit, witness, randomBlinding(), {
    checkWitness,
    ...(signal === undefined ? {} : { signal }),
    onUploaded: () => send({ kind: 'uploaded', request }),
    onPhase: (what) => send({ kind: 'progress', request, what, fraction: 0 }),
  });
  return {
    kind: 'proved',
    request,
    proof: {
      proof: encodeProof(proof),
      publicInputs: Uint8Array.from(witness.inputs.subarray(32)),
      phases: [
        { name: 'cuzk.prove.decode', startMs, durationMs: decodedMs - startMs, clock: 'wall' },
        ...phases,
      ],
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

/** One message a second says that the device moves on, however many submits there are. */
function newsOf(request: number): (phase: string) => void {
  let last = 0;
  return (what) => {
    countSubmit();
    if (Date.now() - last < NEWS_MS) return;
    last = Date.now();
    send({ kind: 'progress', request, what, fraction: 0 });
    sendUsage(request);
  };
}

/** A Buffer may start at any offset; the witness is used as words in place. */
const aligned = (bytes: Uint8Array): Uint8Array =>
  bytes.byteOffset % 4 === 0 ? bytes : Uint8Array.from(bytes);

async function answer(request: number, body: ChildRequest): Promise<ChildReply> {
  if (body.kind === 'open') return open(request, body);
  if (body.kind === 'load') return load(request, body);
  if (body.kind === 'prove') return prove(request, body);
  await openDevice().selfTest();
  return { kind: 'tested', request };
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
    aborts.get(body.request)?.abort();
    return;
  }
  aborts.set(request, new AbortController());
  tail = tail
    .then(() => answer(request, body))
    .catch((error: unknown): ChildReply => ({ kind: 'failed', request, problem: problemOf(error) }))
    .then((reply) => {
      aborts.delete(request);
      sendUsage(request);
      send(reply);
    });
});
process.on('disconnect', () => process.exit(0));
