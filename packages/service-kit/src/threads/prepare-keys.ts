import type { ParamsFolders } from '../circuits/params-folder.ts';
import type { ParameterKind } from '../record/types.ts';
import type { Verifier } from './open-verifier.ts';

/**
 * Has the verifying key of a circuit made ready on the verifier's thread, once for each circuit: the first proof is
 * then verified as fast as the others. Returns at once; what is wrong with a key is for whoever verifies with it to
 * say, and it is tried again at the next call.
 */
export function keyPreparation(
  verifier: Pick<Verifier, 'run'>,
  folders: ParamsFolders,
): (sectorBytes: number, parameters: ParameterKind | null) => void {
  const asked = new Set<number>();
  return (sectorBytes, parameters) => {
    if (asked.has(sectorBytes)) return;
    asked.add(sectorBytes);
    verifier.run({ task: 'prepare', folders, sectorBytes, parameters }).catch(() => {
      asked.delete(sectorBytes);
    });
  };
}
