import { existsSync, readFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { eventually } from '@cuzk/service-kit/testing/open-test-service';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { TestApi } from '../testing/open-test-api.ts';

let api: TestApi;
beforeAll(async () => {
  api = await TestApi.open();
});
afterAll(() => api.close());

it('an address that cannot be read is answered in the words of our table', async () => {
  for (const path of ['%zz', `prf_${'a'.repeat(200)}`]) {
    const answer = await api.call('GET', `/v1/proofs/${path}`);
    expect(answer.headers['content-type']).toContain('application/problem+json');
    expect([answer.statusCode, answer.json().code]).toEqual(
      path === '%zz' ? [400, 'REQUEST_INVALID'] : [404, 'PROOF_NOT_FOUND'],
    );
  }
});

it('a client that goes away in the middle of its body is no fault of ours', async () => {
  const { hostname, port } = new URL(await api.app.listen({ host: '127.0.0.1', port: 0 }));
  const socket = connect(Number(port), hostname);
  socket.write(
    'POST /v1/proofs?miner=f01000&sector=1 HTTP/1.1\r\nhost: x\r\ncontent-length: 5000\r\n\r\n{"reg',
  );
  await new Promise((resolve) => setTimeout(resolve, 200));
  socket.destroy();
  const spans = join(api.fleet.folder, 'spans.jsonl');
  const told = await eventually(() => {
    const lines = existsSync(spans) ? readFileSync(spans, 'utf8').split('\n') : [];
    return lines.find((line) => line.includes('"cuzk.accepted"'));
  });
  expect(JSON.parse(told).attributes['error.type']).toBe('REQUEST_INVALID');
});
