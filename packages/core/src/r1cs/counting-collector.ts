import { BlankSystem } from './blank-system.ts';
import { type SegmentedCircuit, synthesize } from './constraint-system.ts';
import type { LinearCombination } from './linear-combination.ts';

export interface CircuitCounts {
  /** Inputs including ONE. */
  readonly inputs: number;
  readonly aux: number;
  /** Circuit rows, without input rows. */
  readonly constraints: number;
}

/** Counts variables and rows and looks at nothing else. */
export class CountingCollector extends BlankSystem {
  /** Rows are not even normalised here. */
  override enforce(a: LinearCombination, b: LinearCombination, c: LinearCombination): void {
    this.constraints++;
    a.reset();
    b.reset();
    c.reset();
  }

  protected override onAlloc(): void {}

  protected override onRow(): void {}
}

const difference = (a: CircuitCounts, b: CircuitCounts): CircuitCounts => ({
  inputs: a.inputs - b.inputs,
  aux: a.aux - b.aux,
  constraints: a.constraints - b.constraints,
});

/** Size of a circuit, from its preamble and one instance: instances are equal by contract. */
export function countCircuit<Shared>(circuit: SegmentedCircuit<Shared>): CircuitCounts {
  const cs = new CountingCollector();
  const counts = (): CircuitCounts => ({
    inputs: cs.inputs,
    aux: cs.aux,
    constraints: cs.constraints,
  });
  const shared = circuit.preamble(cs);
  const preamble = counts();
  if (circuit.instances === 0) return preamble;
  circuit.instance(cs, shared, 0);
  const instance = difference(counts(), preamble);
  return {
    inputs: preamble.inputs + circuit.instances * instance.inputs,
    aux: preamble.aux + circuit.instances * instance.aux,
    constraints: preamble.constraints + circuit.instances * instance.constraints,
  };
}

/** Size of a circuit by running all of it. */
export function countWholeCircuit<Shared>(circuit: SegmentedCircuit<Shared>): CircuitCounts {
  const cs = new CountingCollector();
  synthesize(circuit, cs);
  return { inputs: cs.inputs, aux: cs.aux, constraints: cs.constraints };
}
