import { bigintFromLe } from '../bytes.ts';
import type { Bool } from '../gadgets/boolean.ts';
import { enforceEqual, inputize } from '../gadgets/num.ts';
import { poseidon } from '../gadgets/poseidon.ts';
import { elementStream } from '../gadgets/sha256-node.ts';
import { type ConstraintSystem, unknownValue } from '../r1cs/constraint-system.ts';
import type { Variable } from '../r1cs/variable.ts';
import type { PartitionInput } from './partition-input.ts';

/** Variables of the preamble that every challenge refers to. */
export interface CircuitPreamble {
  /** The 256 bits of the replica id as SHA-256 reads them. */
  readonly replicaId: readonly Bool[];
  readonly commD: Variable;
  readonly commRLast: Variable;
  readonly commC: Variable;
}

/** Steps 1–9 of spec §7.1: 571 rows, 571 aux, 3 inputs. */
export function synthesizePreamble(
  cs: ConstraintSystem,
  input: PartitionInput | undefined,
): CircuitPreamble {
  const alloc = (bytes: Uint8Array | undefined, name: string): Variable =>
    cs.allocElement(bytes ? () => bigintFromLe(bytes) : unknownValue, name);
  const replica = alloc(input?.replicaId, 'replica_id');
  inputize(cs, replica, 'replica_id_input');
  const replicaId = elementStream(cs, replica, 'replica_id_bits');
  const commD = alloc(input?.commD, 'comm_d');
  inputize(cs, commD, 'comm_d_input');
  const commR = alloc(input?.commR, 'comm_r');
  inputize(cs, commR, 'comm_r_input');
  const commRLast = alloc(input?.commRLast, 'comm_r_last');
  const commC = alloc(input?.commC, 'comm_c');
  const computed = poseidon(cs, [commC, commRLast], 'H_comm_c_comm_r_last');
  enforceEqual(cs, commR, computed, 'enforce comm_r = H(comm_c || comm_r_last)');
  return { replicaId, commD, commRLast, commC };
}
