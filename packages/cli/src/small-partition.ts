import { poseidon2Circuit, sha256NodeCircuit } from '@cuzk/core/gadgets/small-circuits';
import { compactAssignment } from '@cuzk/core/r1cs/compact-assignment';
import type { CompactWitness } from '@cuzk/core/r1cs/compact-witness';
import { compileShape } from '@cuzk/core/r1cs/compile-shape';
import type { CircuitShape } from '@cuzk/core/r1cs/shape';
import { referenceWitness } from '@cuzk/core/r1cs/witness-collector';
import { openBlake2s } from '@cuzk/service-kit/circuits/node-hashes';

const CIRCUITS = { 'one Poseidon hash': poseidon2Circuit, 'one SHA-256 node': sha256NodeCircuit };
export type SmallCircuitName = keyof typeof CIRCUITS;

/** A circuit with one public input, and a witness of it. */
export interface SmallPartition {
  readonly name: SmallCircuitName;
  readonly shape: CircuitShape;
  readonly witness: CompactWitness;
}

/** A circuit of 312, or of 45,380 constraints, with a witness. */
export function smallPartition(name: SmallCircuitName): SmallPartition {
  const circuit = CIRCUITS[name]({ a: 3n, b: 5n });
  const shape = compileShape(circuit, openBlake2s());
  const { inputs, aux } = referenceWitness(circuit);
  return { name, shape, witness: compactAssignment(shape, inputs, aux) };
}
