import { createHash } from 'node:crypto';
import { c1Ref } from '@cuzk/service-kit/artifacts/names';
import type { Service } from '@cuzk/service-kit/open-service';
import { createOrJoinProof } from '@cuzk/service-kit/record/create-proof';
import { newProofId } from '@cuzk/service-kit/record/proof-id';
import { NO_TENANT } from '@cuzk/service-kit/record/tenant';

/** Sends a proof with a made-up C1 to a simulated fleet, as the API does. Returns its id. */
export async function submitSimulated(service: Service): Promise<string> {
  const proofId = newProofId();
  const c1 = await service.artifacts.put(c1Ref(proofId), Buffer.from(`{"${proofId}":1}`));
  const created = await createOrJoinProof(service.redis, {
    ...{ proofId, kind: 'porep', minerId: '1000', sectorNumber: '1', c1 },
    contentKey: createHash('sha256').update(proofId).digest('hex'),
    ...{ priority: 'normal', deadlineAt: null, tenant: NO_TENANT, traceparent: null },
  });
  await service.queues.addUnits(created.next);
  return created.proofId;
}
