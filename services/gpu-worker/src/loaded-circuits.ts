import type { StreamPlan } from '@cuzk/gpu/streaming/stream-plan';
import type { ParamsLocation } from '@cuzk/service-kit/circuits/params-folder';

export interface LoadedCircuit {
  readonly circuitId: string;
  readonly location: ParamsLocation;
  /** null: the device holds all of its SRS. */
  readonly plan: StreamPlan | null;
}

/**
 * What a worker knows of its device process: which circuits it holds, by sector size in bytes, and what was evicted.
 */
export class LoadedCircuits {
  readonly #loaded = new Map<number, LoadedCircuit>();
  /** Not loaded again by themselves. */
  readonly #evicted = new Set<number>();

  get size(): number {
    return this.#loaded.size;
  }

  ids(): string[] {
    return [...this.#loaded.values()].map(({ circuitId }) => circuitId);
  }

  /** The one that was loaded first. */
  first(): LoadedCircuit | undefined {
    return this.#loaded.values().next().value;
  }

  has(sectorBytes: number): boolean {
    return this.#loaded.has(sectorBytes);
  }

  /** Throws RangeError where it is not loaded. */
  get(sectorBytes: number): LoadedCircuit {
    const circuit = this.#loaded.get(sectorBytes);
    if (circuit === undefined) throw new RangeError(`sectorBytes: ${sectorBytes} is not loaded`);
    return circuit;
  }

  /** Whether it is to be loaded where its parameters are there. */
  isToLoad(sectorBytes: number): boolean {
    return !this.#loaded.has(sectorBytes) && !this.#evicted.has(sectorBytes);
  }

  add(sectorBytes: number, circuit: LoadedCircuit): void {
    this.#loaded.set(sectorBytes, circuit);
  }

  /** It is gone, and stays away until it is wanted again. */
  evict(sectorBytes: number): void {
    this.#loaded.delete(sectorBytes);
    this.#evicted.add(sectorBytes);
  }

  wantAgain(sectorBytes: number): void {
    this.#evicted.delete(sectorBytes);
  }

  /** Forgets what is not held any more, which is then to be loaded again; whether there was any. */
  keepOnly(held: ReadonlySet<number>): boolean {
    const gone = [...this.#loaded.keys()].filter((sectorBytes) => !held.has(sectorBytes));
    for (const sectorBytes of gone) this.#loaded.delete(sectorBytes);
    return gone.length > 0;
  }

  /** The process is gone; what was evicted stays away. */
  clear(): void {
    this.#loaded.clear();
  }
}
