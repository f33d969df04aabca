import { parseMinerAddress, proverIdOfActor } from '@cuzk/core/porep/replica-id';
import { sectorShape } from '@cuzk/core/porep/sector';
import { verifySealPartitions } from '@cuzk/core/porep/statement';
import { nodeHashes } from '@cuzk/service-kit/circuits/node-hashes';
import type { ParametersKind } from '@cuzk/service-kit/circuits/params-folder';
import type { CliConfig } from '../config.ts';
import { readC1Header } from '../files/c1-file.ts';
import { proofVerifier } from './proof-verifier.ts';
import { loadVerifyingKey } from './verifying-key-file.ts';

/** A C1 file and whose sector it is. */
export interface SectorC1 {
  readonly c1File: string;
  readonly miner: string;
  readonly sectorNumber: string;
}

/** Whether proof bytes hold under the key of `kind` on this machine; null takes the first one that is there. */
export type C1Verifier = (proof: Uint8Array, kind: ParametersKind | null) => Promise<boolean>;

/**
 * Core's verifier for the statement of a C1 file. The file is read whole here, once. Errors: those of the C1; then, of
 * each proof, PARAMS_MISSING, PARAMS_INSECURE, PARAMS_DIGEST_MISMATCH, PROOF_MALFORMED.
 */
export async function openC1Verifier(
  config: CliConfig,
  { c1File, miner, sectorNumber }: SectorC1,
): Promise<C1Verifier> {
  const header = await readC1Header(c1File);
  const sector = sectorShape(header.registeredProof.sectorBytes);
  const statement = {
    ...header,
    proverId: proverIdOfActor(parseMinerAddress(miner)),
    sectorId: BigInt(sectorNumber),
  };
  return async (proof, kind) => {
    const vk = await loadVerifyingKey(config, sector, undefined, kind);
    return verifySealPartitions(statement, proof, proofVerifier(vk), nodeHashes);
  };
}
