import type { ParamsFolders } from '@cuzk/service-kit/circuits/params-folder';
import type { ParameterKind } from '@cuzk/service-kit/record/types';
import type { Verifier } from '@cuzk/service-kit/threads/open-verifier';
import type { ProvedWitness } from './child-protocol.ts';

/**
 * Verifies proofs of the device, on a thread: false for one that does not hold or is no encoding of points. Throws what
 * is no answer: a key that is missing, inputs of another circuit.
 */
export const verifyProved =
  (verifier: Verifier, folders: ParamsFolders) =>
  async (
    sectorBytes: number,
    parameters: ParameterKind,
    { publicInputs, proof }: Pick<ProvedWitness, 'publicInputs' | 'proof'>,
  ): Promise<boolean> => {
    const task = { task: 'partitions' as const, folders, sectorBytes, parameters };
    return (await verifier.run({ ...task, publicInputs, proofs: proof })).verified;
  };
