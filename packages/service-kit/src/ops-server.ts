import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { Metrics } from './metrics.ts';

export interface Readiness {
  readonly ready: boolean;
  readonly status: string;
}

export interface OpsServer {
  readonly port: number;
  close(): Promise<void>;
}

/** /healthz, /readyz and /metrics of a worker. Port 0 picks a free one. */
export async function startOpsServer(
  address: { readonly host: string; readonly port: number },
  metrics: Metrics,
  readiness: () => Readiness,
): Promise<OpsServer> {
  const server = createServer((request, response) => {
    void answer(request, response, metrics, readiness);
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(address.port, address.host, resolve);
  });
  const bound = server.address();
  return {
    port: typeof bound === 'object' && bound ? bound.port : address.port,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

async function answer(
  request: IncomingMessage,
  response: ServerResponse,
  metrics: Metrics,
  readiness: () => Readiness,
): Promise<void> {
  const reply = (status: number, type: string, body: string) =>
    response.writeHead(status, { 'content-type': type }).end(body);
  const json = (status: number, body: object) =>
    reply(status, 'application/json', JSON.stringify(body));
  const path = (request.url ?? '').split('?')[0];
  if (request.method !== 'GET') return void json(405, { error: 'method not allowed' });
  if (path === '/healthz') return void json(200, { status: 'ok' });
  if (path === '/readyz') {
    const state = readiness();
    return void json(state.ready ? 200 : 503, state);
  }
  if (path !== '/metrics') return void json(404, { error: 'not found' });
  try {
    reply(200, 'text/plain; version=0.0.4', await metrics.text());
  } catch {
    json(500, { error: 'metrics could not be read' });
  }
}
