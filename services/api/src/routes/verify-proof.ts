import { CuzkError } from '@cuzk/core/errors';
import type { ParamsFolders } from '@cuzk/service-kit/circuits/params-folder';
import type { VerifySeal } from '@cuzk/service-kit/threads/verify-tasks';
import type { FastifyInstance } from 'fastify';
import { type Static, Type } from 'typebox';
import type { ApiContext } from '../api-context.ts';
import { parseMiner, parseSector } from '../intake/sector-identity.ts';

const hex32 = (description: string) =>
  Type.String({ pattern: '^[0-9a-fA-F]{64}$', description: `${description}, 32 bytes in hex` });

const Body = Type.Object({
  registeredProof: Type.String({ description: 'For example StackedDrg32GiBV1_1', maxLength: 64 }),
  commR: hex32('comm_r'),
  commD: hex32('comm_d'),
  ticket: hex32('Ticket'),
  seed: hex32('Interactive seed'),
  miner: Type.String({ maxLength: 64 }),
  sector: Type.Unsafe<string | number>({
    type: ['string', 'integer'],
    maxLength: 32,
    minimum: 0,
    // JSON rounds what is larger, and a rounded number is another sector.
    maximum: Number.MAX_SAFE_INTEGER,
    description: 'Sector number; above 2^53 - 1 as text',
  }),
  proof: Type.String({
    description: 'Partition proofs, 192 bytes each, base64',
    maxLength: 65_536,
  }),
});
type Body = Static<typeof Body>;

/** Verifications under way in this process, on one thread: some seconds of work, and at most 100 KB each. */
const UNDER_WAY_MAX = 32;

/** POST /v1/verify: whether a seal proof holds, with the answers of verify_seal. */
export function verifyProof({ verifier, folders }: ApiContext) {
  let underWay = 0;
  const verify = async (body: Body) => {
    if (underWay >= UNDER_WAY_MAX) {
      throw new CuzkError('CAPACITY_EXHAUSTED', 'Too many verifications are under way.', {
        expected: `at most ${UNDER_WAY_MAX} at once`,
      });
    }
    underWay++;
    try {
      return await verifier.run(taskOf(body, folders));
    } finally {
      underWay--;
    }
  };
  return async function verifyProofRoutes(app: FastifyInstance): Promise<void> {
    app.post<{ Body: Body }>(
      '/v1/verify',
      { schema: { body: Body, tags: ['verify'], summary: 'Verify a seal proof' } },
      async ({ body }) => {
        const { verified, parameters } = await verify(body);
        return { verified, parameters };
      },
    );
  };
}

const taskOf = (body: Body, folders: ParamsFolders): VerifySeal => ({
  task: 'seal',
  folders,
  registeredProof: body.registeredProof,
  commR: Buffer.from(body.commR, 'hex'),
  commD: Buffer.from(body.commD, 'hex'),
  ticket: Buffer.from(body.ticket, 'hex'),
  seed: Buffer.from(body.seed, 'hex'),
  minerId: parseMiner(body.miner),
  sectorNumber: parseSector(String(body.sector)),
  proof: proofBytes(body.proof),
});

function proofBytes(text: string): Uint8Array {
  if (/^[A-Za-z0-9+/]*={0,2}$/.test(text) && text.length % 4 === 0)
    return Buffer.from(text, 'base64');
  throw new CuzkError('PROOF_MALFORMED', 'The proof is not standard base64.', {
    pointer: '/proof',
    expected: 'standard base64 with padding',
    found: 'other characters or a wrong length',
  });
}
