import { bitmapOf, placeBits } from './bitmap.ts';
import type { SegmentedCircuit } from './constraint-system.ts';
import { countSegments, totalCounts } from './counting-collector.ts';
import type { IncrementalHash } from './incremental-hash.ts';
import type { HashCheckpoints } from './row-hasher.ts';
import type { CircuitShape } from './shape.ts';
import { shapeDigestOf } from './shape-digest.ts';
import { type SegmentWithInputs, TemplateCollector } from './template-collector.ts';

/** A shape whose digest has not been computed yet. */
export type UndigestedShape = Omit<CircuitShape, 'shapeDigest'>;

function expandInputDensity(segments: readonly SegmentWithInputs[], inputs: number): Uint32Array {
  const density = bitmapOf(inputs);
  let at = 0;
  for (const segment of segments) {
    for (let i = 0; i < segment.instances; i++, at += segment.inputs) {
      placeBits(density, at, segment.bInputs, segment.inputs);
    }
  }
  return density;
}

/**
 * Compiles a circuit from its preamble and one instance, at any number of instances (2 KiB: 1.3 M rows,
 * 32 GiB: 7.2 M rows). That all instances are the first one shifted is the contract of SegmentedCircuit;
 * the digest, compared with the pinned one, proves it. Throws RangeError where a segment has more than
 * 2^23 variables.
 */
export function compileTemplate<Shared>(circuit: SegmentedCircuit<Shared>): UndigestedShape {
  const { preamble, instance } = countSegments(circuit);
  const totals = totalCounts(circuit.instances, preamble, instance);
  const cs = new TemplateCollector(preamble);
  const shared = circuit.preamble(cs);
  if (circuit.instances > 0) {
    cs.beginInstance(instance);
    circuit.instance(cs, shared, 0);
  }
  const segments = cs.finish(circuit.instances);
  return {
    circuitId: circuit.circuitId,
    ...totals,
    dictionary: cs.dictionary,
    segments: segments.map(({ bInputs: _, ...segment }) => segment),
    bInputDensity: expandInputDensity(segments, totals.inputs),
  };
}

/**
 * Compiles a circuit and computes its R1CS hash by streaming every row of every instance into `hash`, a
 * fresh BLAKE2s-256 (spec §5.3): 0.7 GB at 2 KiB, 33 GB at 32 GiB.
 */
export function compileShape<Shared>(
  circuit: SegmentedCircuit<Shared>,
  hash: IncrementalHash,
  checkpoints?: HashCheckpoints,
): CircuitShape {
  const template = compileTemplate(circuit);
  return { ...template, shapeDigest: shapeDigestOf(template, hash, checkpoints) };
}
