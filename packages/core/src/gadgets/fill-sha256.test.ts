import { describe, expect, it } from 'vitest';
import { sha256OfWords } from '../hash/sha256-words.ts';
import { WitnessCollector } from '../r1cs/witness-collector.ts';
import { allocBit } from './bit.ts';
import {
  type Bool,
  FALSE as FALSE_BOOL,
  is,
  not as notBool,
  TRUE as TRUE_BOOL,
} from './boolean.ts';
import { FALSE, IS, NOT, TRUE, variableWord, type WordForms } from './fill-bit-forms.ts';
import { fillSha256 } from './fill-sha256.ts';
import { compileSha256, sha256Aux } from './fill-sha256-program.ts';
import { sha256 } from './sha256.ts';
import { fillGadget } from './testing/fill-gadget.ts';

/** A reproducible stream of 32-bit words. */
function words(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return (state ^ (state >>> 15)) >>> 0;
  };
}

const valueMask = (forms: WordForms, bits: number): number => {
  let value = 0;
  for (let i = 0; i < 32; i++) {
    const bit = forms[i] === FALSE ? 0 : forms[i] === TRUE ? 1 : (bits >>> i) & 1;
    value |= bit << i;
  }
  return value >>> 0;
};

/** The aux of the circuit's SHA-256 over a message of these forms and values. */
function referenceAux(forms: readonly WordForms[], message: Uint32Array): bigint[] {
  const cs = new WitnessCollector();
  const bitOf = (form: number, value: number): Bool => {
    if (form === FALSE) return FALSE_BOOL;
    if (form === TRUE) return TRUE_BOOL;
    const bit = is(allocBit(cs, () => (form === NOT ? value === 0 : value === 1), 'message'));
    return form === NOT ? notBool(bit) : bit;
  };
  const bits = forms.flatMap((word, k) =>
    Array.from({ length: 32 }, (_, i) => bitOf(word[31 - i], (message[k] >>> (31 - i)) & 1)),
  );
  const before = cs.aux.length;
  sha256(cs, bits, 'sha256');
  expect(cs.finish().firstUnsatisfiedRow).toBe(-1);
  return cs.aux.slice(before);
}

function filledAux(forms: readonly WordForms[], message: Uint32Array): readonly bigint[] {
  const programs = compileSha256(forms);
  const counts = { inputs: 1, aux: sha256Aux(programs), elements: 0 };
  return fillGadget(counts, ({ sink }) => {
    expect(fillSha256(sink, programs, message)).toEqual(sha256OfWords(message));
  }).aux;
}

describe('SHA-256 program', () => {
  it('has the aux counts of the specification', () => {
    const programs = compileSha256(Array.from({ length: 16 }, () => variableWord()));
    expect(programs.map(({ aux }) => aux)).toEqual([25_814, 44_828 - 25_814]);
  });

  it('folds a message of constants away', () => {
    const constants = Array.from({ length: 16 }, () => new Uint8Array(32).fill(TRUE));
    expect(sha256Aux(compileSha256(constants))).toBe(0);
  });

  it('shares the table of equal compressions', () => {
    const programs = compileSha256(Array.from({ length: 80 }, () => variableWord()));
    expect(programs.length).toBe(6);
    expect(new Set(programs).size).toBe(3);
  });
});

describe('SHA-256 fill', () => {
  const mixes: [string, readonly number[]][] = [
    ['variables', [IS]],
    ['variables and constants', [IS, IS, FALSE, TRUE]],
    ['negated variables', [NOT]],
    ['every form', [IS, NOT, FALSE, TRUE]],
    ['mostly constants', [FALSE, TRUE, FALSE, TRUE, FALSE, TRUE, IS, NOT]],
  ];
  it.each(mixes)('of %s equals the circuit', (_, choice) => {
    const next = words(choice.length);
    for (const length of [1, 16, 27]) {
      const forms = Array.from({ length }, () =>
        Uint8Array.from({ length: 32 }, () => choice[next() % choice.length]),
      );
      const message = Uint32Array.from(forms, (word) => valueMask(word, next()));
      expect(filledAux(forms, message)).toEqual(referenceAux(forms, message));
    }
  });

  it.each([0, 0xffffffff])('of words %i equals the circuit', (word) => {
    const forms = Array.from({ length: 16 }, () => variableWord());
    const message = new Uint32Array(16).fill(word);
    expect(filledAux(forms, message)).toEqual(referenceAux(forms, message));
  });

  it('of whole constant words equals the circuit', () => {
    const next = words(7);
    const forms = Array.from({ length: 16 }, (_, i) =>
      i % 3 === 0 ? new Uint8Array(32).fill(i % 2) : variableWord(next()),
    );
    const message = Uint32Array.from(forms, (word) => valueMask(word, next()));
    expect(filledAux(forms, message)).toEqual(referenceAux(forms, message));
  });

  it('a changed message bit changes the aux', () => {
    const forms = Array.from({ length: 16 }, () => variableWord());
    const message = new Uint32Array(16);
    expect(filledAux(forms, message.with(15, 1))).not.toEqual(filledAux(forms, message));
  });
});
