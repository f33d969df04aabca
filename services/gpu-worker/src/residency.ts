import { CuzkError } from '@cuzk/core/errors';
import type { MemoryBudget } from './memory-budget.ts';

/** What a circuit takes of a device, in bytes. */
export interface CircuitMemory {
  /** Stays while the circuit is loaded. */
  readonly residentBytes: number;
  /** With everything that one proof needs besides. */
  readonly provingBytes: number;
}

/** A circuit on the device. */
export interface LoadedCircuit {
  readonly sectorBytes: number;
  readonly memory: CircuitMemory;
  /** Proofs of it that are under way or wait for their turn. */
  readonly users: number;
  /** Since its last proof, or since it was loaded. */
  readonly idleMs: number;
}

/** A circuit that is to be loaded. */
export interface WantedCircuit<P> {
  readonly name: string;
  readonly memory: CircuitMemory;
  /** How it is proved with so many bytes where its SRS does not fit; undefined where that is not enough either. */
  readonly stream: (
    budgetBytes: number,
  ) => { readonly plan: P; readonly memory: CircuitMemory } | undefined;
  /** The least that `stream` gets by with; what the circuit needs whole where it cannot be streamed. */
  readonly leastBytes: number;
}

/** Circuits to evict first, and the way to load: whole, or by a plan for streaming. */
export interface Residency<P> {
  readonly evict: readonly number[];
  readonly memory: CircuitMemory;
  readonly plan: P | null;
}

/** Circuits that were idle for less are not evicted for another. */
export const EVICTION_IDLE_MS = 300_000;

/**
 * Finds room for a circuit: whole beside all that are loaded, whole without idle ones, longest idle first, then
 * streamed, in the same order. A circuit in use is never evicted. One proof at a time, so that the largest one's
 * working memory counts. Throws CuzkError GPU_OUT_OF_MEMORY with the bytes needed and found, before anything is done.
 */
export function findRoom<P>(
  wanted: WantedCircuit<P>,
  loaded: readonly LoadedCircuit[],
  budget: MemoryBudget | null,
): Residency<P> {
  if (budget === null) return { evict: [], memory: wanted.memory, plan: null };
  const idle = loaded
    .filter(({ users, idleMs }) => users === 0 && idleMs >= EVICTION_IDLE_MS)
    .toSorted((a, b) => b.idleMs - a.idleMs);
  const ways = Array.from({ length: idle.length + 1 }, (_, i) => idle.slice(0, i));
  for (const way of [whole<P>, streamed<P>]) {
    for (const evicted of ways) {
      const kept = loaded.filter((circuit) => !evicted.includes(circuit));
      const found = way(wanted, kept, budget.bytes);
      if (found === undefined) continue;
      return { evict: evicted.map(({ sectorBytes }) => sectorBytes), ...found };
    }
  }
  throw tooSmall(wanted, loaded, budget);
}

type Fit<P> = Omit<Residency<P>, 'evict'> | undefined;

/** What stays of all, and the largest proof. */
function neededBytes(all: readonly CircuitMemory[]): number {
  const resident = all.reduce((sum, { residentBytes }) => sum + residentBytes, 0);
  const work = Math.max(
    ...all.map(({ provingBytes, residentBytes }) => provingBytes - residentBytes),
  );
  return Math.ceil(resident + work);
}

function whole<P>(
  { memory }: WantedCircuit<P>,
  kept: readonly LoadedCircuit[],
  bytes: number,
): Fit<P> {
  const all = [memory, ...kept.map((circuit) => circuit.memory)];
  return neededBytes(all) <= bytes ? { memory, plan: null } : undefined;
}

function streamed<P>(
  { stream }: WantedCircuit<P>,
  kept: readonly LoadedCircuit[],
  bytes: number,
): Fit<P> {
  const others = kept.map((circuit) => circuit.memory);
  const held = others.reduce((sum, { residentBytes }) => sum + residentBytes, 0);
  const found = stream(bytes - held);
  if (found === undefined || neededBytes([found.memory, ...others]) > bytes) return undefined;
  return { memory: found.memory, plan: found.plan };
}

function tooSmall<P>(
  { name, memory, leastBytes }: WantedCircuit<P>,
  loaded: readonly LoadedCircuit[],
  budget: MemoryBudget,
): CuzkError {
  const beside = loaded.reduce((sum, circuit) => sum + circuit.memory.residentBytes, 0);
  const others = loaded.length === 0 ? '' : ` beside ${loaded.length} loaded circuit(s)`;
  const least = Math.ceil(Math.min(leastBytes, memory.provingBytes) + beside);
  return new CuzkError(
    'GPU_OUT_OF_MEMORY',
    `${name} needs ${least} bytes of device memory${others}, and there are ${budget.bytes}`,
    {
      expected: `${least} bytes; ${Math.ceil(memory.provingBytes + beside)} to hold all parameters`,
      found: `${budget.bytes} bytes: ${budget.source}`,
      action:
        'use a larger device, free some of its memory, evict a circuit, or name fewer SECTOR_SIZES',
    },
  );
}
