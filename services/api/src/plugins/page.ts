import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import staticFiles from '@fastify/static';
import type { FastifyInstance } from 'fastify';

/** The built page. The same relative path holds from src/ and dist/. */
const FOLDER = fileURLToPath(new URL('../../public/', import.meta.url));
const INDEX = 'index.html';

/** The page loads nothing from elsewhere and no script or style that is not a file of its own. */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "worker-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

const readIndex = (): Promise<Buffer | null> => readFile(`${FOLDER}${INDEX}`).catch(() => null);

/** Names the build of the page that is served, or null where none was built. */
export async function pageVersion(): Promise<string | null> {
  const index = await readIndex();
  return index === null ? null : createHash('sha256').update(index).digest('hex').slice(0, 12);
}

/** GET /: the live page. Files under /assets carry their digest in the name and are kept for ever. */
export async function page(app: FastifyInstance): Promise<void> {
  app.addHook('onRequest', async (_request, reply) => {
    reply.header('content-security-policy', POLICY);
  });
  if ((await readIndex()) === null) {
    app.get('/', { schema: { hide: true } }, async (_request, reply) =>
      reply
        .code(503)
        .type('text/plain')
        .send('The live page was not built: npm run build. The API is documented at /docs.\n'),
    );
    return;
  }
  await app.register(staticFiles, {
    root: `${FOLDER}assets`,
    prefix: '/assets/',
    immutable: true,
    maxAge: '365d',
    index: false,
  });
  app.get('/', { schema: { hide: true } }, async (_request, reply) =>
    reply.header('cache-control', 'no-cache').sendFile(INDEX, FOLDER, { cacheControl: false }),
  );
}
