import { randomBytes } from 'node:crypto';
import { CuzkError } from '@cuzk/core/errors';
import { isOn } from '@cuzk/service-kit/config/load-config';
import type { FastifyInstance, FastifyReply } from 'fastify';
import type { ApiContext } from '../api-context.ts';
import { pageVersion } from '../plugins/page.ts';
import { MemoryHistory } from '../status/memory-history.ts';
import { StatusFeed } from '../status/status-feed.ts';

/** A comment line this often, so that proxies keep the connection and readers notice a dead one. */
const HEARTBEAT_MS = 10_000;
/** Watchers of one process. */
const STREAMS_MAX = 256;
/** A reader that lets this much pile up is cut off; it comes back and begins anew. */
const BACKLOG_BYTES_MAX = 4 * 2 ** 20;

/**
 * GET /v1/status: the state of the fleet in the shape of cuzk's /status, extended. /v1/status/events: the same as
 * server-sent events, one `status` and then a `change` for all that changes. A reader that was cut off gets the
 * whole `status` again, which leaves no gap. /v1/status/history: memory of the last half hour.
 */
export function status({ service, config }: ApiContext) {
  return async function statusRoutes(app: FastifyInstance): Promise<void> {
    const facts = {
      chaos: isOn(config.CHAOS),
      page: await pageVersion(),
    };
    const feed = new StatusFeed(service, facts);
    const history = new MemoryHistory(service);
    const open = new Set<FastifyReply['raw']>();
    app.addHook('preClose', async () => {
      history.close();
      for (const raw of open) raw.end();
    });
    app.get(
      '/v1/status',
      { schema: { tags: ['operations'], summary: "The fleet, in the shape of cuzk's /status" } },
      async (_request, reply) =>
        reply.header('cache-control', 'no-store').send(await feed.status()),
    );
    app.get(
      '/v1/status/history',
      { schema: { tags: ['operations'], summary: 'Memory of every process, last half hour' } },
      async (_request, reply) => reply.header('cache-control', 'no-store').send(history.read()),
    );
    app.get(
      '/v1/status/events',
      {
        exposeHeadRoute: false, // Its answer would have no end.
        schema: { tags: ['operations'], summary: 'The status and its changes (SSE)' },
      },
      async (_request, reply) => {
        if (open.size >= STREAMS_MAX) {
          throw new CuzkError('CAPACITY_EXHAUSTED', 'Too many watch the status already.', {
            expected: `at most ${STREAMS_MAX} readers of one process`,
          });
        }
        await stream(feed, reply, open);
      },
    );
  };
}

async function stream(
  feed: StatusFeed,
  reply: FastifyReply,
  open: Set<FastifyReply['raw']>,
): Promise<void> {
  const { raw } = reply;
  const session = randomBytes(4).toString('hex');
  let sent = 0;
  const send = (event: string, data: unknown) => {
    raw.write(`id: ${session}-${sent++}\nevent: ${event}\ndata: ${JSON.stringify(data)}\n\n`);
    if (raw.writableLength > BACKLOG_BYTES_MAX) raw.destroy();
  };
  // Before the head is written: an error here is still an ordinary answer.
  const { status: first, stop } = await feed.subscribe({
    change: (change) => send('change', change),
  });
  reply.hijack();
  if (raw.destroyed) return stop(); // The reader went away meanwhile: nothing will say so again.
  open.add(raw);
  const beat = setInterval(() => raw.write(': still here\n\n'), HEARTBEAT_MS);
  raw.on('close', () => {
    stop();
    clearInterval(beat);
    open.delete(raw);
  });
  raw.writeHead(200, {
    'content-type': 'text/event-stream',
    'cache-control': 'no-store',
    'x-accel-buffering': 'no',
  });
  send('status', first);
}
