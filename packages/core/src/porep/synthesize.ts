import { bytesEqual } from '../bytes.ts';
import { CuzkError } from '../errors.ts';
import { FR_BYTES } from '../field/fr.ts';
import type { FillContext, PoseidonKernel } from '../gadgets/fill-context.ts';
import { fillElementBits } from '../gadgets/fill-element-bits.ts';
import { fillPoseidon } from '../gadgets/fill-poseidon.ts';
import { poseidonKernelWasm } from '../gadgets/fill-poseidon-wasm.ts';
import type { CompactWitness } from '../r1cs/compact-witness.ts';
import { type ElementRef, WitnessSink } from '../r1cs/witness-sink.ts';
import { circuitId } from './circuit-id.ts';
import { fillChallenge, type PreambleElements } from './fill-challenge.ts';
import { partitionCounts } from './fill-counts.ts';
import type { MerklePath, PartitionInput } from './partition-input.ts';
import { PINNED_CIRCUITS } from './pinned-circuits.ts';
import { DRG_PARENTS, EXP_PARENTS, publicInputCount, type SectorShape } from './sector.ts';

export interface SynthesisOptions {
  /** R1CS hash of a circuit that is not pinned; it is copied into the witness. */
  readonly shapeDigest?: string;
  /** Called at least every 50 ms of work; what it throws ends the synthesis. */
  readonly checkpoint?: () => void;
  /** Another Poseidon than that in WebAssembly, with the same results. */
  readonly poseidon?: PoseidonKernel;
  /** Told where the input does not satisfy the circuit, instead of an error; the witness is made anyway. */
  readonly onUnsatisfied?: (pointer: string) => void;
  /** Receives a set bit for every aux that is an element; ceil(aux/32) words of zeros. */
  readonly elementMarks?: Uint32Array;
}

/** Steps 1–9 of spec §7.1. */
function fillPreamble(context: FillContext, input: PartitionInput): PreambleElements {
  const { sink } = context;
  const inputize = (bytes: Uint8Array): ElementRef => {
    const ref = sink.elementBytes(bytes);
    sink.input(sink.elementValue(ref));
    return ref;
  };
  const replicaId = inputize(input.replicaId);
  fillElementBits(sink, replicaId);
  const commD = inputize(input.commD);
  const commR = inputize(input.commR);
  const commRLast = sink.elementBytes(input.commRLast);
  const commC = sink.elementBytes(input.commC);
  if (!sink.sameElement(fillPoseidon(context, [commC, commRLast]), commR)) {
    context.unsatisfied('/commR');
  }
  return { replicaId, commD, commRLast, commC };
}

/** The inputs that the circuit computes are those that the verifier will derive. */
function comparePublicInputs(
  computed: Uint8Array,
  expected: readonly Uint8Array[],
  unsatisfied: (pointer: string) => void,
): void {
  for (const [i, bytes] of expected.entries()) {
    const at = FR_BYTES * (i + 1);
    if (!bytesEqual(computed.subarray(at, at + FR_BYTES), bytes)) unsatisfied(`/publicInputs/${i}`);
  }
}

function refuseUnsatisfied(pointer: string): never {
  throw new CuzkError('WITNESS_UNSATISFIED', 'the partition does not satisfy its circuit', {
    pointer,
    expected: 'values that agree with the commitments and the statement',
    found: 'a different value',
  });
}

function requireLength(what: string, expected: number, found: number): void {
  if (expected !== found) throw new RangeError(`${what}: expected ${expected}, got ${found}`);
}

function requirePath(what: string, path: MerklePath, { tree, basePathLength }: SectorShape): void {
  const levels = [
    [path.base, tree.base, basePathLength],
    [path.sub, tree.sub, Number(tree.sub > 0)],
    [path.top, tree.top, Number(tree.top > 0)],
  ] as const;
  for (const [steps, arity, length] of levels) {
    requireLength(`${what} steps`, length, steps.length);
    for (const { siblings } of steps) requireLength(`${what} siblings`, arity - 1, siblings.length);
  }
}

/** A partition of another shape than the circuit's would fill other variables than those of the circuit. */
function requireShape(input: PartitionInput, shape: SectorShape): void {
  const treeD = {
    ...shape,
    tree: { base: 2, sub: 0, top: 0 },
    basePathLength: shape.commDDepth,
  };
  requireLength('sectorBytes', shape.sectorBytes, input.sectorBytes);
  requireLength('public inputs', publicInputCount(shape), input.publicInputs.length);
  requireLength('challenges', shape.challengesPerPartition, input.challenges.length);
  for (const challenge of input.challenges) {
    requirePath('comm_d path', challenge.commDPath, treeD);
    requireLength('DRG parents', DRG_PARENTS, challenge.drgParents.length);
    requireLength('expander parents', EXP_PARENTS, challenge.expParents.length);
    for (const { rows, path } of [...challenge.drgParents, ...challenge.expParents]) {
      requireLength('column rows', shape.layers, rows.length);
      requirePath('parent path', path, shape);
    }
    requirePath('comm_r_last path', challenge.commRLastPath, shape);
    requirePath('column path', challenge.columnPath, shape);
  }
}

/**
 * The witness of one partition of the StackedDRG circuit (spec §7): every aux value in allocation order
 * and the public inputs as the circuit computes them, without building a constraint. Values must be
 * canonical and shapes those of `shape`, as ingest has checked; a wrong shape throws RangeError. Where a
 * value does not agree with a commitment or the public inputs, so that no proof of this witness would be
 * accepted, throws CuzkError WITNESS_UNSATISFIED with a pointer into `input`, unless the options say
 * otherwise. Memory is the witness itself (aux/8 bytes and 32 an element) and some hundred KiB.
 */
export function synthesizePartition(
  input: PartitionInput,
  shape: SectorShape,
  options: SynthesisOptions = {},
): CompactWitness {
  requireShape(input, shape);
  const shapeDigest = options.shapeDigest ?? PINNED_CIRCUITS.get(shape.sectorBytes)?.shapeDigest;
  if (shapeDigest === undefined) throw new RangeError('shapeDigest: the circuit is not pinned');
  const checkpoint = options.checkpoint ?? (() => {});
  const sink = new WitnessSink(partitionCounts(shape, checkpoint), options.elementMarks);
  const context: FillContext = {
    sink,
    poseidon: options.poseidon ?? poseidonKernelWasm,
    checkpoint,
    unsatisfied: options.onUnsatisfied ?? refuseUnsatisfied,
  };
  const preamble = fillPreamble(context, input);
  for (const [i, challenge] of input.challenges.entries()) {
    fillChallenge(context, preamble, challenge, `/challenges/${i}`);
  }
  const witness = sink.finish(circuitId(shape), shapeDigest);
  comparePublicInputs(witness.inputs, input.publicInputs, context.unsatisfied);
  return witness;
}
