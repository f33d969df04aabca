import { padWords, SHA256_INITIAL_STATE, SHA256_ROUND_CONSTANTS } from '../hash/sha256-words.ts';
import type { WitnessSink } from '../r1cs/witness-sink.ts';
import { carryBits, type Sha256Program } from './fill-sha256-program.ts';

const rotr = (x: number, n: number): number => (x >>> n) | (x << (32 - n));

/** Sends the bits of `value` under `mask`, least significant first, run by run. */
function emit(sink: WitnessSink, value: number, mask: number): void {
  if (mask === -1) {
    sink.word(value);
    return;
  }
  let rest = mask;
  let bits = value;
  while (rest !== 0) {
    const gap = 31 - Math.clz32(rest & -rest);
    rest >>>= gap;
    bits >>>= gap;
    // Not all ones here, so the run is shorter than 32.
    const run = 31 - Math.clz32(~rest & -~rest);
    sink.bits(bits, run);
    rest >>>= run;
    bits >>>= run;
  }
}

/** The low 16 bits of x at the even positions of a word. */
function spread(x: number): number {
  let bits = x & 0xffff;
  bits = (bits | (bits << 8)) & 0x00ff00ff;
  bits = (bits | (bits << 4)) & 0x0f0f0f0f;
  bits = (bits | (bits << 2)) & 0x33333333;
  return (bits | (bits << 1)) & 0x55555555;
}

/** maj and b∧c alternate bit by bit: each bit of the one is followed by that of the other. */
function emitPairs(
  sink: WitnessSink,
  first: number,
  firstMask: number,
  second: number,
  secondMask: number,
): void {
  if (secondMask === 0) {
    emit(sink, first, firstMask);
  } else if ((firstMask & secondMask) === -1) {
    sink.word(spread(first) | (spread(second) << 1));
    sink.word(spread(first >>> 16) | (spread(second >>> 16) << 1));
  } else {
    for (let i = 0; i < 32; i++) {
      if ((firstMask >>> i) & 1) sink.bit(first >>> i);
      if ((secondMask >>> i) & 1) sink.bit(second >>> i);
    }
  }
}

/** Sends a sum below 2^35 with its carry bits, unless it was folded; the low 32 bits. */
function emitSum(sink: WitnessSink, sum: number, mask: number, operands: number): number {
  const low = sum | 0;
  if (mask !== 0) {
    sink.word(low);
    sink.bits(Math.floor(sum / 2 ** 32), carryBits(operands));
  }
  return low;
}

/** Extends the 16 words in `w` to 64; the next step of the program. */
function fillSchedule(sink: WitnessSink, program: Sha256Program, w: Int32Array): number {
  const { masks, flips } = program;
  let step = 0;
  for (let i = 16; i < 64; i++) {
    const x = w[i - 15];
    const x7x18 = rotr(x, 7) ^ rotr(x, 18);
    const s0 = x7x18 ^ (x >>> 3);
    const y = w[i - 2];
    const y17y19 = rotr(y, 17) ^ rotr(y, 19);
    const s1 = y17y19 ^ (y >>> 10);
    emit(sink, x7x18 ^ flips[step], masks[step]);
    emit(sink, s0 ^ flips[step + 1], masks[step + 1]);
    emit(sink, y17y19 ^ flips[step + 2], masks[step + 2]);
    emit(sink, s1 ^ flips[step + 3], masks[step + 3]);
    const sum = (w[i - 16] >>> 0) + (s0 >>> 0) + (w[i - 7] >>> 0) + (s1 >>> 0);
    w[i] = emitSum(sink, sum, masks[step + 4], 4);
    step += 5;
  }
  return step;
}

/** One compression: sends its aux and updates `state`. `w` holds the block in its first 16 of 64 words. */
function fillBlock(
  sink: WitnessSink,
  program: Sha256Program,
  state: Uint32Array,
  w: Int32Array,
): void {
  const { masks, flips } = program;
  let step = fillSchedule(sink, program, w);
  let [a, b, c, d, e, f, g, h] = state;
  // Sums of up to seven 32-bit words are exact in a double.
  let pendingA = 0;
  let pendingE = 0;
  for (let i = 0; i < 64; i++) {
    if (i > 0) e = emitSum(sink, pendingE, masks[step++], 6);
    const e6e11 = rotr(e, 6) ^ rotr(e, 11);
    const sum1 = e6e11 ^ rotr(e, 25);
    const ch = (e & f) ^ (~e & g);
    emit(sink, e6e11 ^ flips[step], masks[step]);
    emit(sink, sum1 ^ flips[step + 1], masks[step + 1]);
    emit(sink, ch ^ flips[step + 2], masks[step + 2]);
    step += 3;
    const t1 = (h >>> 0) + (sum1 >>> 0) + (ch >>> 0) + SHA256_ROUND_CONSTANTS[i] + (w[i] >>> 0);
    if (i > 0) a = emitSum(sink, pendingA, masks[step++], 7);
    const a2a13 = rotr(a, 2) ^ rotr(a, 13);
    const sum0 = a2a13 ^ rotr(a, 22);
    const pair = b & c;
    const maj = (a & b) ^ (a & c) ^ pair;
    emit(sink, a2a13 ^ flips[step], masks[step]);
    emit(sink, sum0 ^ flips[step + 1], masks[step + 1]);
    emitPairs(sink, maj ^ flips[step + 2], masks[step + 2], pair, masks[step + 3]);
    step += 4;
    pendingE = t1 + (d >>> 0);
    pendingA = t1 + (sum0 >>> 0) + (maj >>> 0);
    h = g;
    g = f;
    f = e;
    d = c;
    c = b;
    b = a;
  }
  state[0] = emitSum(sink, pendingA + state[0], masks[step], 8);
  state[1] = emitSum(sink, state[1] + (b >>> 0), masks[step + 1], 2);
  state[2] = emitSum(sink, state[2] + (c >>> 0), masks[step + 2], 2);
  state[3] = emitSum(sink, state[3] + (d >>> 0), masks[step + 3], 2);
  state[4] = emitSum(sink, pendingE + state[4], masks[step + 4], 7);
  state[5] = emitSum(sink, state[5] + (f >>> 0), masks[step + 5], 2);
  state[6] = emitSum(sink, state[6] + (g >>> 0), masks[step + 6], 2);
  state[7] = emitSum(sink, state[7] + (h >>> 0), masks[step + 7], 2);
}

/**
 * SHA-256 of `message` (big-endian words, constants included): sends the aux of all compressions in
 * allocation order, as `programs` (from compileSha256 over the forms of the same message) says, and gives the
 * digest as 8 big-endian words.
 */
export function fillSha256(
  sink: WitnessSink,
  programs: readonly Sha256Program[],
  message: Uint32Array,
): Uint32Array {
  const padded = padWords(message);
  const state = SHA256_INITIAL_STATE.slice();
  const w = new Int32Array(64);
  for (let i = 0; i < programs.length; i++) {
    w.set(padded.subarray(16 * i, 16 * i + 16));
    fillBlock(sink, programs[i], state, w);
  }
  return state;
}
