/** A hash that takes its input in pieces; injected, so that core needs no Node module. */
export interface IncrementalHash {
  /** Takes the bytes in; the caller may overwrite them afterwards. */
  update(bytes: Uint8Array): unknown;
  /** Ends the hash and returns its value. */
  digest(): Uint8Array;
  /** An independent hash in the same state. */
  copy(): IncrementalHash;
}
