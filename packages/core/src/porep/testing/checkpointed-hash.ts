import { createHash } from 'node:crypto';
import type { IncrementalHash } from '../../r1cs/incremental-hash.ts';
import { blake2s } from '../../r1cs/testing/golden-shape.ts';

/** BLAKE2s-256 that also takes SHA-256 of the rows alone, from one checkpoint to the next. */
class BlockHash implements IncrementalHash {
  static readonly HEADER_BYTES = 24;
  readonly #running = blake2s();
  #block = createHash('sha256');
  #header = BlockHash.HEADER_BYTES;

  update(bytes: Uint8Array): void {
    this.#running.update(bytes);
    this.#block.update(bytes.subarray(this.#header));
    this.#header = 0;
  }

  digest(): Uint8Array {
    return this.#running.digest();
  }

  copy(): IncrementalHash {
    return this.#running.copy();
  }

  takeBlock(): string {
    const digest = this.#block.digest('hex');
    this.#block = createHash('sha256');
    return digest;
  }
}

/** Rows so far, running BLAKE2s-256, SHA-256 of the rows since the checkpoint before. */
export type Checkpoint = readonly [number, string, string];

/** Runs something that hashes rows and collects its checkpoints in the form of the golden files. */
export function withCheckpoints<T>(
  rows: number,
  run: (
    hash: IncrementalHash,
    checkpoints: { rows: number; onCheckpoint: (rows: number, running: string) => void },
  ) => T,
): { result: T; checkpoints: Checkpoint[] } {
  const hash = new BlockHash();
  const checkpoints: Checkpoint[] = [];
  const onCheckpoint = (done: number, running: string): void => {
    checkpoints.push([done, running, hash.takeBlock()]);
  };
  return { result: run(hash, { rows, onCheckpoint }), checkpoints };
}
