import type { Blinding } from '@cuzk/core/groth16/assemble';
import type { GpuContext } from '@cuzk/gpu/device/context';
import { deviceCall } from '@cuzk/gpu/device/device-call';
import type { PartitionProof, UploadedPartition } from '@cuzk/gpu/prover/prover';
import { proveStreamed } from '@cuzk/gpu/streaming/prove-streamed';
import type { StreamedCircuit } from '@cuzk/gpu/streaming/streamed-circuit';

/** A partition whose witness is on the device and that waits for its turn. */
export interface JoinedPartition {
  readonly witness: UploadedPartition;
  readonly blinding: Blinding;
  readonly signal: AbortSignal;
  /** Called when the device begins it. */
  readonly onBegun: () => void;
  proof?: Promise<PartitionProof>;
}

/**
 * Partitions of a circuit that is streamed. Whoever has its turn first proves all that have joined until then in one
 * pass; the others find their proofs made.
 */
export class StreamedBatch {
  readonly #context: GpuContext;
  readonly #circuit: StreamedCircuit;
  readonly #joined = new Set<JoinedPartition>();

  constructor(context: GpuContext, circuit: StreamedCircuit) {
    this.#context = context;
    this.#circuit = circuit;
  }

  join(partition: JoinedPartition): void {
    this.#joined.add(partition);
  }

  /** For one that does not come to its turn. Its witness is given back. */
  leave(partition: JoinedPartition): void {
    if (this.#joined.delete(partition)) partition.witness.close();
  }

  /** In the turn of `partition`. Throws its own error, or that of the pass. */
  prove(
    partition: JoinedPartition,
    options: { readonly checkWitness: boolean; readonly onPhase: (name: string) => void },
  ): Promise<PartitionProof> {
    return partition.proof ?? this.#proveWithJoined(partition, options);
  }

  #proveWithJoined(
    first: JoinedPartition,
    options: { readonly checkWitness: boolean; readonly onPhase: (name: string) => void },
  ): Promise<PartitionProof> {
    const batch = [...new Set([first, ...this.#joined])].slice(0, this.#circuit.plan.waiting);
    for (const { onBegun } of batch) onBegun();
    const signal = allAborted(batch.map((partition) => partition.signal));
    // in one turn for all: what the device refuses to it, whoever hears of it, makes none of the proofs good
    const pass = deviceCall(this.#context, () =>
      proveStreamed(this.#context, this.#circuit, batch, { ...options, signal }),
    );
    const proofs = batch.map((partition, k) => {
      this.#joined.delete(partition);
      const proof = pass.then((results) => {
        partition.signal.throwIfAborted();
        const result = results[k] as PromiseSettledResult<PartitionProof>;
        if (result.status === 'rejected') throw result.reason;
        return result.value;
      });
      // told to whoever asked for this one, when its turn comes
      proof.catch(() => {});
      partition.proof = proof;
      return proof;
    });
    return proofs[0] as Promise<PartitionProof>;
  }
}

/** Aborts once all of them have: a pass goes on while anybody waits for it. */
function allAborted(signals: readonly AbortSignal[]): AbortSignal {
  const all = new AbortController();
  const look = (): void => {
    if (signals.every(({ aborted }) => aborted)) all.abort();
  };
  for (const signal of signals) signal.addEventListener('abort', look, { once: true });
  look();
  return all.signal;
}
