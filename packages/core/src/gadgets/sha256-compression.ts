import { SHA256_ROUND_CONSTANTS } from '../hash/sha256-words.ts';
import type { ConstraintSystem } from '../r1cs/constraint-system.ts';
import { addMany } from './add-many.ts';
import type { Bool } from './boolean.ts';
import { MultiEq } from './multi-eq.ts';
import {
  chooseWords,
  constantWord,
  majorityWords,
  rotateRight,
  shiftRight,
  type UInt32,
  wordsFromBitsBe,
  xorThree,
} from './uint32.ts';

const ROUND_WORDS = Array.from(SHA256_ROUND_CONSTANTS, constantWord);

/** A register that may still be a sum: it is added up only when a round reads it (spec §6.7). */
type Deferred = { readonly value: UInt32 } | { readonly sum: readonly UInt32[] };

function messageSchedule(cs: ConstraintSystem, multiEq: MultiEq, block: readonly Bool[]): UInt32[] {
  const w = wordsFromBitsBe(block);
  for (let i = 16; i < 64; i++) {
    cs.enter('w', i);
    const [x, y] = [w[i - 15], w[i - 2]];
    const s0 = xorThree(cs, rotateRight(x, 7), rotateRight(x, 18), shiftRight(x, 3), 's0');
    const s1 = xorThree(cs, rotateRight(y, 17), rotateRight(y, 19), shiftRight(y, 10), 's1');
    w.push(addMany(cs, multiEq, [w[i - 16], s0, w[i - 7], s1], 'sum'));
    cs.leave();
  }
  return w;
}

/**
 * One SHA-256 compression of 512 bits, most significant first, into the chaining value `state` of eight
 * words (spec §6.7). Registers a and e are added up one round late, which fixes the order of rows.
 */
export function sha256Compress(
  cs: ConstraintSystem,
  block: readonly Bool[],
  state: readonly UInt32[],
  name: string,
  index?: number,
): UInt32[] {
  if (block.length !== 512 || state.length !== 8) {
    throw new RangeError(`SHA-256: expected 512 bits and 8 words, got ${block.length}`);
  }
  cs.enter(name, index);
  const multiEq = new MultiEq(cs);
  const force = (register: Deferred, label: string): UInt32 =>
    'value' in register ? register.value : addMany(cs, multiEq, register.sum, label);
  const w = messageSchedule(cs, multiEq, block);

  let a: Deferred = { value: state[0] };
  let e: Deferred = { value: state[4] };
  let [, b, c, d, , f, g, h] = state;
  for (let i = 0; i < 64; i++) {
    cs.enter('round ', i);
    const e1 = force(e, 'e');
    const s1 = xorThree(cs, rotateRight(e1, 6), rotateRight(e1, 11), rotateRight(e1, 25), 'S1');
    const ch = chooseWords(cs, e1, f, g);
    const t1 = [h, s1, ch, ROUND_WORDS[i], w[i]];
    const a1 = force(a, 'a');
    const s0 = xorThree(cs, rotateRight(a1, 2), rotateRight(a1, 13), rotateRight(a1, 22), 'S0');
    const maj = majorityWords(cs, a1, b, c);
    cs.leave();
    e = { sum: [...t1, d] };
    a = { sum: [...t1, s0, maj] };
    [h, g, f, d, c, b] = [g, f, e1, c, b, a1];
  }

  const last = (register: Deferred): readonly UInt32[] =>
    'value' in register ? [register.value] : register.sum;
  const sums = [
    [...last(a), state[0]],
    [state[1], b],
    [state[2], c],
    [state[3], d],
    [...last(e), state[4]],
    [state[5], f],
    [state[6], g],
    [state[7], h],
  ];
  const result = sums.map((operands, i) => addMany(cs, multiEq, operands, 'h', i));
  multiEq.flush();
  cs.leave();
  return result;
}
