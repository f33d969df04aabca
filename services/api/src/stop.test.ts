import { connect, type Socket } from 'node:net';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { TestApi } from './testing/open-test-api.ts';

let api: TestApi;
const sockets: Socket[] = [];

beforeEach(async () => {
  api = await TestApi.open();
});
afterEach(async () => {
  for (const socket of sockets.splice(0)) socket.destroy();
  await api.close();
});

/** Opens a connection that sends this and then nothing more. */
async function openSilent(url: string, text: string): Promise<void> {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname);
  sockets.push(socket);
  socket.on('error', () => {});
  await new Promise<void>((resolve) => socket.once('connect', resolve));
  if (text !== '') socket.write(text);
}

it('a stop does not wait for clients that opened a connection and say nothing, nor for an upload that stalls', async () => {
  const url = await api.app.listen({ host: '127.0.0.1', port: 0 });
  await openSilent(url, ''); // As browsers keep one ready.
  await openSilent(url, 'GET /healthz HTTP/1.1\r\nhost:');
  await openSilent(
    url,
    'POST /v1/proofs?miner=f01000&sector=1 HTTP/1.1\r\nhost: x\r\ncontent-length: 5000\r\n\r\n{"regis',
  );
  await new Promise((resolve) => setTimeout(resolve, 200));
  const startedAt = performance.now();
  await api.app.close();
  expect(performance.now() - startedAt).toBeLessThan(7_000);
  const left: string[] = [];
  for await (const { ref } of api.service.artifacts.list('')) left.push(ref);
  expect(left).toEqual([]);
});
