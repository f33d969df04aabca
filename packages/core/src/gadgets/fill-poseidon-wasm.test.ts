import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { FR_MODULUS, frToBytes } from '../field/fr.ts';
import { poseidonBytes } from '../hash/poseidon-bytes.ts';
import { type PoseidonArity, poseidonConstants } from '../hash/poseidon-constants.ts';
import { poseidonAux } from './fill-poseidon.ts';
import { poseidonKernelWasm } from './fill-poseidon-wasm.ts';
import { poseidonKernelBigint } from './testing/fill-poseidon-bigint.ts';

const FILLER = 0xabcdef01;
/** Elements in front of the preimage, and behind the values. */
const MARGIN = 3;

const element = fc.oneof(
  fc.constantFrom(0n, 1n, FR_MODULUS - 1n, FR_MODULUS - 2n),
  fc.bigInt({ min: 0n, max: FR_MODULUS - 1n }),
);

/** An element array with the preimage in reverse order, and what the kernels are told about it. */
function layOut(preimage: readonly bigint[]) {
  const arity = preimage.length as PoseidonArity;
  const at = MARGIN + arity;
  const elements = new Uint32Array(8 * (at + poseidonAux(arity) + MARGIN)).fill(FILLER);
  const refs = preimage.map((value, i) => {
    const ref = at - 1 - i;
    new Uint8Array(elements.buffer).set(frToBytes(value), 32 * ref);
    return ref;
  });
  return { elements, refs, at };
}

function expectTwins(preimage: readonly bigint[]): void {
  const fast = layOut(preimage);
  const plain = layOut(preimage);
  poseidonKernelWasm(fast.elements, fast.refs, fast.at);
  poseidonKernelBigint(plain.elements, plain.refs, plain.at);
  expect(fast.elements).toEqual(plain.elements);
}

describe.each([2, 4, 8, 11] as const)('Poseidon kernel of arity %i', (arity) => {
  it('writes what the bigint kernel writes, and nothing else', () => {
    const preimages = fc.array(element, { minLength: arity, maxLength: arity });
    fc.assert(fc.property(preimages, expectTwins), {
      numRuns: 40,
      examples: [0n, 1n, FR_MODULUS - 1n].map((x): [bigint[]] => [Array<bigint>(arity).fill(x)]),
    });
  });

  it('writes zeros where S-boxes take zero', () => {
    const { compressed } = poseidonConstants(arity);
    expectTwins(Array.from({ length: arity }, (_, i) => FR_MODULUS - compressed[i + 1]));
  });

  it('is not disturbed by hashes between fills', () => {
    const preimage = Array.from({ length: arity }, (_, i) => BigInt(i + 5));
    for (const other of [11, 2, 8, 4]) {
      poseidonBytes(Array.from({ length: other }, () => frToBytes(FR_MODULUS - 1n)));
      expectTwins(preimage);
    }
  });
});

it('refuses other arities', () => {
  expect(() => poseidonKernelWasm(new Uint32Array(800), [0, 1, 2], 3)).toThrow(/arity/);
});
