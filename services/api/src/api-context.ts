import { CuzkError } from '@cuzk/core/errors';
import type { ParamsFolders } from '@cuzk/service-kit/circuits/params-folder';
import type { Service } from '@cuzk/service-kit/open-service';
import { isProofId } from '@cuzk/service-kit/record/proof-id';
import { readProof } from '@cuzk/service-kit/record/read-proof';
import type { ProofRecord } from '@cuzk/service-kit/record/types';
import type { Verifier } from '@cuzk/service-kit/threads/open-verifier';
import type { ApiConfig } from './config.ts';
import { maySee } from './plugins/authentication.ts';
import type { Caller, CallersByKey } from './tenants/tenants-file.ts';

/** What routes need. */
export interface ApiContext {
  readonly service: Service;
  readonly config: ApiConfig;
  readonly folders: ParamsFolders;
  readonly verifier: Verifier;
  /** null: no keys are set up. */
  readonly callers: CallersByKey | null;
}

/** The record, if the caller may know of it. Throws PROOF_NOT_FOUND. */
export async function requireProof(
  { service }: ApiContext,
  proofId: string,
  caller: Caller,
): Promise<ProofRecord> {
  const proof = isProofId(proofId) ? await readProof(service.redis, proofId) : null;
  if (proof && maySee(caller, proof.tenant)) return proof;
  throw new CuzkError('PROOF_NOT_FOUND', 'No proof has this id.', {
    expected: 'an id that POST /v1/proofs gave, within its retention',
    found: proofId.slice(0, 64),
  });
}
