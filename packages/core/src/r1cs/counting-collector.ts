import { BlankSystem } from './blank-system.ts';
import type { SegmentedCircuit } from './constraint-system.ts';
import type { LinearCombination } from './linear-combination.ts';

export interface CircuitCounts {
  /** Inputs including ONE. */
  readonly inputs: number;
  readonly aux: number;
  /** Circuit rows, without input rows. */
  readonly constraints: number;
}

/** Counts variables and rows and looks at nothing else. */
class CountingCollector extends BlankSystem {
  /** Rows are not even normalised here. */
  override enforce(a: LinearCombination, b: LinearCombination, c: LinearCombination): void {
    this.constraints++;
    a.reset();
    b.reset();
    c.reset();
  }

  counts(): CircuitCounts {
    return { inputs: this.inputs, aux: this.aux, constraints: this.constraints };
  }

  protected override onAlloc(): void {}

  protected override onRow(): void {}
}

/** Sizes of the preamble, and of one instance (all zero where there is none). */
export function countSegments<Shared>(circuit: SegmentedCircuit<Shared>): {
  preamble: CircuitCounts;
  instance: CircuitCounts;
} {
  const cs = new CountingCollector();
  const shared = circuit.preamble(cs);
  const preamble = cs.counts();
  if (circuit.instances > 0) circuit.instance(cs, shared, 0);
  return {
    preamble,
    instance: {
      inputs: cs.inputs - preamble.inputs,
      aux: cs.aux - preamble.aux,
      constraints: cs.constraints - preamble.constraints,
    },
  };
}

/** Size of a preamble with `instances` equal instances. */
export function totalCounts(
  instances: number,
  preamble: CircuitCounts,
  instance: CircuitCounts,
): CircuitCounts {
  return {
    inputs: preamble.inputs + instances * instance.inputs,
    aux: preamble.aux + instances * instance.aux,
    constraints: preamble.constraints + instances * instance.constraints,
  };
}

/** Size of a circuit, from its preamble and one instance: instances are equal by contract. */
export function countCircuit<Shared>(circuit: SegmentedCircuit<Shared>): CircuitCounts {
  const { preamble, instance } = countSegments(circuit);
  return totalCounts(circuit.instances, preamble, instance);
}
