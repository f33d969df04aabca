import type { FillContext } from '../gadgets/fill-context.ts';
import { fillElementBits } from '../gadgets/fill-element-bits.ts';
import { fillPoseidon, type PoseidonKernel } from '../gadgets/fill-poseidon.ts';
import { poseidonKernelBigint } from '../gadgets/fill-poseidon-bigint.ts';
import type { CompactWitness } from '../r1cs/compact-witness.ts';
import { type ElementRef, WitnessSink } from '../r1cs/witness-sink.ts';
import { circuitId } from './circuit-id.ts';
import { fillChallenge } from './fill-challenge.ts';
import { partitionCounts } from './fill-counts.ts';
import type { MerklePath, PartitionInput } from './partition-input.ts';
import { DRG_PARENTS, EXP_PARENTS, type SectorShape } from './sector.ts';

export interface SynthesisOptions {
  /** Pinned R1CS hash of the circuit (spec §9.4), copied into the witness. */
  readonly shapeDigest: string;
  /** Called at least every 50 ms of work; what it throws ends the synthesis. */
  readonly checkpoint?: () => void;
  /** Poseidon in something faster than bigint arithmetic, with the same results. */
  readonly poseidon?: PoseidonKernel;
  /** Receives a set bit for every aux that is an element; ceil(aux/32) words of zeros. */
  readonly elementMarks?: Uint32Array;
}

/** Steps 1–8 of spec §7.1; the element of the replica id. */
function fillPreamble(context: FillContext, input: PartitionInput): ElementRef {
  const { sink } = context;
  const inputize = (bytes: Uint8Array): ElementRef => {
    const ref = sink.elementBytes(bytes);
    sink.input(sink.elementValue(ref));
    return ref;
  };
  const replicaId = inputize(input.replicaId);
  fillElementBits(sink, replicaId);
  inputize(input.commD);
  inputize(input.commR);
  const commRLast = sink.elementBytes(input.commRLast);
  const commC = sink.elementBytes(input.commC);
  fillPoseidon(context, [commC, commRLast]);
  return replicaId;
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
 * and the public inputs as the circuit computes them, without building a constraint. An input that does not
 * satisfy the circuit still gives a witness; the C·w check or the verifier finds out. Values must be
 * canonical and shapes those of `shape`: ingest has checked both; a wrong shape throws RangeError. Memory is
 * the witness itself (aux/8 + 32 bytes an element) and some hundred KiB.
 */
export function synthesizePartition(
  input: PartitionInput,
  shape: SectorShape,
  options: SynthesisOptions,
): CompactWitness {
  requireShape(input, shape);
  const sink = new WitnessSink(partitionCounts(shape), options.elementMarks);
  const context: FillContext = {
    sink,
    poseidon: options.poseidon ?? poseidonKernelBigint,
    checkpoint: options.checkpoint ?? (() => {}),
  };
  const replicaId = fillPreamble(context, input);
  for (const challenge of input.challenges) fillChallenge(context, replicaId, challenge);
  return sink.finish(circuitId(shape), options.shapeDigest);
}
