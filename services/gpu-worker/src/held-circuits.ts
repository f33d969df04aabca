import { CuzkError } from '@cuzk/core/errors';
import { developmentToxicWaste } from '@cuzk/core/groth16/development-waste';
import { encodeVerifyingKey } from '@cuzk/core/groth16/verifying-key';
import type { CircuitShape } from '@cuzk/core/r1cs/shape';
import type { GpuContext } from '@cuzk/gpu/device/context';
import { planMemory } from '@cuzk/gpu/prover/memory-plan';
import { loadCircuit, type ProvingCircuit } from '@cuzk/gpu/prover/proving-circuit';
import { generateSrs } from '@cuzk/gpu/setup/generate-srs';
import { mostOf } from '@cuzk/gpu/streaming/stream-memory';
import {
  leastStreamingBytes,
  planStreaming,
  type StreamPlan,
} from '@cuzk/gpu/streaming/stream-plan';
import { loadStreamedCircuit, type StreamedCircuit } from '@cuzk/gpu/streaming/streamed-circuit';
import { openFileReader } from '@cuzk/service-kit/circuits/file-reader';
import { replaceFile } from '@cuzk/service-kit/circuits/replace-file';
import type { CircuitState, SrsOrigin } from './child-protocol.ts';
import type { MemoryBudget } from './memory-budget.ts';
import {
  type CircuitMemory,
  findRoom,
  type LoadedCircuit,
  type WantedCircuit,
} from './residency.ts';
import { StreamedBatch } from './streamed-batch.ts';

/** A circuit on the device: its SRS there as a whole, or streamed from its file. */
export type HeldCircuit =
  | { readonly kind: 'resident'; readonly circuit: ProvingCircuit }
  | { readonly kind: 'streamed'; readonly circuit: StreamedCircuit; readonly batch: StreamedBatch };

type Entry = HeldCircuit & {
  readonly memory: CircuitMemory;
  users: number;
  /** By a clock that nobody sets. */
  lastUsedMs: number;
  readonly close: () => Promise<void>;
};

/** The circuits of one device, within a budget of its memory. */
export class HeldCircuits {
  readonly #entries = new Map<number, Entry>();

  /** The circuit for one proof, until `done`. Throws CuzkError GPU_UNAVAILABLE where it is not there. */
  use(sectorBytes: number): HeldCircuit & { done(): void } {
    const entry = this.#entries.get(sectorBytes);
    if (entry === undefined) {
      throw new CuzkError('GPU_UNAVAILABLE', 'that circuit is not on this device');
    }
    entry.users++;
    return {
      ...entry,
      done: () => {
        entry.users--;
        entry.lastUsedMs = performance.now();
      },
    };
  }

  states(): CircuitState[] {
    return [...this.#entries].map(([sectorBytes, entry]) => ({
      sectorBytes,
      kind: entry.kind,
      residentBytes: Math.ceil(entry.memory.residentBytes),
      provingBytes: Math.ceil(entry.memory.provingBytes),
      users: entry.users,
      idleSeconds: Math.round((performance.now() - entry.lastUsedMs) / 1000),
      plan: entry.kind === 'streamed' ? entry.circuit.plan : null,
    }));
  }

  /**
   * Loads a circuit that is not there yet, whole or for streaming, and evicts idle ones where that makes the room;
   * returns the sector sizes evicted. Throws CuzkError GPU_OUT_OF_MEMORY, before anything is done or where the device
   * has less than it seemed, PARAMS_*, CANCELLED.
   */
  async load(
    context: GpuContext,
    { name, sectorBytes }: { readonly name: string; readonly sectorBytes: number },
    shape: CircuitShape,
    source: SrsOrigin,
    budget: MemoryBudget | null,
    onProgress: (done: number, total: number) => void,
  ): Promise<{ readonly held: HeldCircuit; readonly evicted: readonly number[] }> {
    const there = this.#entries.get(sectorBytes);
    if (there !== undefined) return { held: there, evicted: [] };
    const wanted = wantedOf(context, name, shape, source);
    const { evict, memory, plan } = findRoom(wanted, this.#loaded(), budget);
    for (const each of evict) await this.evict(each);
    const opened =
      plan !== null && source.kind === 'file'
        ? await openStreamed(context, shape, source, plan, onProgress)
        : await openWhole(context, shape, source, onProgress);
    const entry = { ...opened, memory, users: 0, lastUsedMs: performance.now() };
    this.#entries.set(sectorBytes, entry);
    return { held: entry, evicted: evict };
  }

  /** Frees a circuit; false where it is not there. Throws CuzkError CAPACITY_EXHAUSTED while proofs use it. */
  async evict(sectorBytes: number): Promise<boolean> {
    const entry = this.#entries.get(sectorBytes);
    if (entry === undefined) return false;
    if (entry.users > 0) {
      throw new CuzkError('CAPACITY_EXHAUSTED', 'that circuit is in use', {
        expected: 'no proof of it under way',
        found: `${entry.users} proofs`,
        action: 'try again when they have ended',
      });
    }
    this.#entries.delete(sectorBytes);
    await entry.close();
    return true;
  }

  #loaded(): LoadedCircuit[] {
    return [...this.#entries].map(([sectorBytes, { memory, users, lastUsedMs }]) => ({
      sectorBytes,
      memory,
      users,
      idleMs: performance.now() - lastUsedMs,
    }));
  }
}

function wantedOf(
  { traits }: GpuContext,
  name: string,
  shape: CircuitShape,
  source: SrsOrigin,
): WantedCircuit<StreamPlan> {
  const memory = planMemory(shape, traits);
  // what is generated has no file to stream from
  if (source.kind === 'generate') {
    return { name, memory, leastBytes: memory.provingBytes, stream: () => undefined };
  }
  return {
    name,
    memory,
    leastBytes: leastStreamingBytes(shape, traits),
    stream: (budgetBytes) => {
      const plan = planStreaming(shape, traits, budgetBytes);
      if (plan === undefined) return undefined;
      const { residentBytes } = plan;
      const provingBytes = mostOf(plan.peakBytes);
      return { plan, memory: { residentBytes, provingBytes } };
    },
  };
}

type Opened = HeldCircuit & { readonly close: () => Promise<void> };
type Progress = (done: number, total: number) => void;

async function openStreamed(
  context: GpuContext,
  shape: CircuitShape,
  { paramsPath, subgroupChecked }: Extract<SrsOrigin, { kind: 'file' }>,
  plan: StreamPlan,
  onBytes: Progress,
): Promise<Opened> {
  const reader = await openFileReader(paramsPath);
  try {
    const options = { subgroupChecked, onBytes };
    const circuit = await loadStreamedCircuit(context, shape, reader, plan, options);
    const close = async (): Promise<void> => {
      circuit.close();
      await reader.close();
    };
    return { kind: 'streamed', circuit, batch: new StreamedBatch(context, circuit), close };
  } catch (error) {
    await reader.close();
    throw error;
  }
}

async function openWhole(
  context: GpuContext,
  shape: CircuitShape,
  source: SrsOrigin,
  onProgress: Progress,
): Promise<Opened> {
  const circuit = await loadWhole(context, shape, source, onProgress);
  return { kind: 'resident', circuit, close: async () => circuit.close() };
}

async function loadWhole(
  context: GpuContext,
  shape: CircuitShape,
  source: SrsOrigin,
  onProgress: Progress,
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
