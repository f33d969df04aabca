import { createHash } from 'node:crypto';
import { CuzkError } from '@cuzk/core/errors';
import { publicInputCount, sectorShape } from '@cuzk/core/porep/sector';
import { readVerifyingKey } from '@cuzk/service-kit/circuits/verifying-key';
import type { FastifyInstance } from 'fastify';
import { Type } from 'typebox';
import { type ApiContext, requireProof } from '../api-context.ts';
import { resultBytes } from '../result-bytes.ts';
import type { VerificationDocument } from '../verification-document.ts';
import { simulated } from './simulated.ts';

const Params = Type.Object({ id: Type.String({ description: 'Proof id' }) });

/** GET /v1/proofs/:id/verification: proof, public inputs and key, for whoever checks it without this service. */
export function verification(context: ApiContext) {
  const { service, folders } = context;
  return async function verificationRoutes(app: FastifyInstance): Promise<void> {
    app.get<{ Params: { id: string } }>(
      '/v1/proofs/:id/verification',
      {
        schema: {
          params: Params,
          tags: ['verify'],
          summary: 'What a verifier of your own needs: proof, public inputs, verifying key',
        },
      },
      async (request): Promise<VerificationDocument> => {
        const record = await requireProof(context, request.params.id, request.caller);
        const { proofId, circuitId, sectorBytes, result, publicInputs, parameters, state } = record;
        if (parameters === 'simulated') throw simulated();
        if (!result || !publicInputs || circuitId === null || sectorBytes === null) {
          throw new CuzkError('PROOF_NOT_READY', 'There is nothing to verify yet.', {
            expected: 'succeeded',
            found: state,
          });
        }
        const shape = sectorShape(sectorBytes);
        const [proof, inputs, key] = await Promise.all([
          resultBytes(service, record, result),
          service.artifacts.get(publicInputs),
          readVerifyingKey(folders, shape, parameters),
        ]);
        const base64 = (bytes: Uint8Array) => Buffer.from(bytes).toString('base64');
        return {
          proofId,
          circuitId,
          sectorSize: shape.name,
          parameters,
          partitions: record.partitions.length,
          proof: base64(proof),
          publicInputs: base64(inputs),
          publicInputsPerPartition: publicInputCount(shape),
          verifyingKey: base64(key.bytes),
          verifyingKeyDigest: createHash('blake2b512').update(key.bytes).digest('hex').slice(0, 32),
        };
      },
    );
  };
}
