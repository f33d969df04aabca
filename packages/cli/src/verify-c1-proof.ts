import { parseMinerAddress, proverIdOfActor } from '@cuzk/core/porep/replica-id';
import { sectorShape } from '@cuzk/core/porep/sector';
import { verifySealPartitions } from '@cuzk/core/porep/statement';
import { nodeHashes } from '@cuzk/service-kit/circuits/node-hashes';
import type { ParametersKind } from '@cuzk/service-kit/circuits/params-folder';
import { readC1Header } from './c1-file.ts';
import type { CliConfig } from './config.ts';
import { proofVerifier } from './proof-verifier.ts';
import { loadVerifyingKey } from './verifying-key-file.ts';

/** A C1 file and whose sector it is. */
export interface SectorC1 {
  readonly c1File: string;
  readonly miner: string;
  readonly sectorNumber: string;
}

/**
 * Whether core's verifier accepts the proof bytes for the statement of a C1 file, under the key of `kind` on this
 * machine. Errors: PARAMS_MISSING, PARAMS_INSECURE, PARAMS_DIGEST_MISMATCH; those of the C1; PROOF_MALFORMED.
 */
export async function verifyC1Proof(
  config: CliConfig,
  { c1File, miner, sectorNumber }: SectorC1,
  proof: Uint8Array,
  kind: ParametersKind | null,
): Promise<boolean> {
  const header = await readC1Header(c1File);
  const sector = sectorShape(header.registeredProof.sectorBytes);
  const vk = await loadVerifyingKey(config, sector, undefined, kind);
  const statement = {
    ...header,
    proverId: proverIdOfActor(parseMinerAddress(miner)),
    sectorId: BigInt(sectorNumber),
  };
  return verifySealPartitions(statement, proof, proofVerifier(vk), nodeHashes);
}
