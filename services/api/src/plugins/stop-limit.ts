import type { FastifyInstance } from 'fastify';
import fastifyPlugin from 'fastify-plugin';

/** Half of what a service has for its stop: calls that are held get their answer, presence and spans have the rest. */
const HELD_CALLS_MS = 5_000;

/**
 * Cuts what is still open this long after a stop began: an upload that stalls, a connection on which nobody has asked
 * for anything yet. Node waits for those as for calls.
 */
export const stopLimit = fastifyPlugin(
  async (app: FastifyInstance) => {
    app.addHook('preClose', async () => {
      setTimeout(() => app.server.closeAllConnections(), HELD_CALLS_MS).unref();
    });
  },
  { name: 'stop-limit' },
);
