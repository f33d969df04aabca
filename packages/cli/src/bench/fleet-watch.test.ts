import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { afterEach, expect, it } from 'vitest';
import type { FleetStatus } from '../proof-client.ts';
import { FleetWatch } from './fleet-watch.ts';

const servers: ReturnType<typeof createServer>[] = [];
afterEach(() => {
  for (const server of servers.splice(0)) server.close();
});

/** An API whose GET /v1/status answers with one status after the other; the last one stays. */
async function serve(...statuses: FleetStatus[]): Promise<string> {
  const server = createServer((_request, response) => {
    const status = statuses.length > 1 ? statuses.shift() : statuses[0];
    response.end(JSON.stringify(status));
  });
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

const status = (scratch: number, srs: number, resident: number): FleetStatus => ({
  gpu_workers: [
    { adapter: 'H200', device_bytes: { srs, scratch } },
    { adapter: 'H200', device_bytes: { srs: 1, scratch: 0 } },
    { adapter: null, device_bytes: null },
  ],
  workers: [{ resident_bytes: resident }, { resident_bytes: 5 }, { resident_bytes: null }],
});

it('keeps the moment at which the devices held most, and the largest resident sum', async () => {
  const url = await serve(status(10, 100, 7), status(90, 100, 6), status(0, 100, 1));
  const watch = new FleetWatch({ url, key: '' }, { ownProcesses: false });
  await delay(1200);
  expect(await watch.close()).toEqual({
    adapters: ['H200'],
    deviceBytes: { srs: 101, scratch: 90 },
    deviceTotalBytes: 191,
    residentTotalBytes: 12,
  });
});

it('goes on where nobody answers, and counts no process that is not part of the system', async () => {
  const watch = new FleetWatch({ url: 'http://127.0.0.1:9', key: '' }, { ownProcesses: true });
  expect(await watch.close()).toEqual({
    adapters: [],
    deviceBytes: {},
    deviceTotalBytes: 0,
    residentTotalBytes: 0,
  });
});
