import { mkdtempSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { downloadResult, submitC1, waitForProof } from './proof-client.ts';

const servers: ReturnType<typeof createServer>[] = [];
afterEach(() => {
  for (const server of servers.splice(0)) server.close();
});

async function serve(
  answer: (request: IncomingMessage, body: string, response: ServerResponse) => void,
): Promise<string> {
  const server = createServer(async (request, response) => {
    let body = '';
    for await (const chunk of request) body += chunk;
    answer(request, body, response);
  });
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

const json = (response: ServerResponse, status: number, value: object): void => {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(value));
};
const sector = { miner: 'f01000', sectorNumber: '1' };
const options = { signal: new AbortController().signal, onChange: () => {} };
const view = (state: string, ended: boolean, error: object | null = null) => ({
  proofId: 'prf_1',
  state,
  endedAt: ended ? '2026-01-01T00:00:00.000Z' : null,
  partitions: [],
  error,
});

describe('proof client', () => {
  it('streams the file and names miner and sector', async () => {
    const file = join(mkdtempSync(join(tmpdir(), 'cuzk-client-')), 'c1.json');
    writeFileSync(file, '{"a":1}');
    const seen: string[] = [];
    const url = await serve((request, body, response) => {
      seen.push(request.url ?? '', request.headers['content-length'] ?? '', body);
      json(response, 202, { proofId: 'prf_1', state: 'queued', joined: false });
    });
    expect(await submitC1({ url, key: '' }, file, sector)).toMatchObject({ proofId: 'prf_1' });
    expect(seen).toEqual(['/v1/proofs?miner=f01000&sector=1', '7', '{"a":1}']);
  });

  it('sends the key it has, and none otherwise', async () => {
    const seen: (string | undefined)[] = [];
    const url = await serve((request, _body, response) => {
      seen.push(request.headers.authorization);
      json(response, 200, view('succeeded', true));
    });
    await waitForProof({ url, key: 'k1' }, 'prf_1', options);
    await waitForProof({ url, key: '' }, 'prf_1', options);
    expect(seen).toEqual(['Bearer k1', undefined]);
  });

  it('turns a problem document into the error it stands for', async () => {
    const url = await serve((_request, _body, response) =>
      json(response, 409, { code: 'PROOF_NOT_READY', detail: 'Not ready yet.', found: 'queued' }),
    );
    await expect(downloadResult({ url, key: '' }, 'prf_1')).rejects.toMatchObject({
      code: 'PROOF_NOT_READY',
      facts: { found: 'queued' },
    });
  });

  it('waits over an answer that says "later" and ends with the run', async () => {
    const answers = [
      (response: ServerResponse) => json(response, 503, { code: 'REDIS_UNAVAILABLE' }),
      (response: ServerResponse) => json(response, 200, view('running', false)),
      (response: ServerResponse) => json(response, 200, view('succeeded', true)),
    ];
    const url = await serve((_request, _body, response) => answers.shift()?.(response));
    const states: string[] = [];
    await waitForProof({ url, key: '' }, 'prf_1', {
      ...options,
      onChange: ({ state }) => states.push(state),
    });
    expect(states).toEqual(['running', 'succeeded']);
  });

  it('waits over an answer that breaks off: an API that was killed while it spoke', async () => {
    const text = JSON.stringify(view('succeeded', true));
    const answers = [
      (response: ServerResponse) => {
        response.writeHead(200, { 'content-length': text.length }).write(text.slice(0, 9));
        setTimeout(() => response.destroy(), 50);
      },
      (response: ServerResponse) => response.end(text),
    ];
    const url = await serve((_request, _body, response) => answers.shift()?.(response));
    expect(await waitForProof({ url, key: '' }, 'prf_1', options)).toMatchObject({
      state: 'succeeded',
    });
  });

  it('waits over what a proxy says for an API that is away', async () => {
    const page = (status: number) => (response: ServerResponse) =>
      response.writeHead(status, { 'content-type': 'text/html' }).end('<h1>Bad Gateway</h1>');
    const answers = [
      page(502),
      page(504),
      page(200),
      (response: ServerResponse) => json(response, 200, view('succeeded', true)),
    ];
    const url = await serve((_request, _body, response) => answers.shift()?.(response));
    expect(await waitForProof({ url, key: '' }, 'prf_1', options)).toMatchObject({
      state: 'succeeded',
    });
  });

  it('says where something else than the API answers', async () => {
    const file = join(mkdtempSync(join(tmpdir(), 'cuzk-client-')), 'c1.json');
    writeFileSync(file, '{"a":1}');
    for (const [status, page] of [
      [200, '<html>'],
      [404, '<html>'],
      [200, '7'],
      [200, 'null'],
    ] as const) {
      const url = await serve((_request, _body, response) => {
        response.writeHead(status).end(page);
      });
      await expect(submitC1({ url, key: '' }, file, sector)).rejects.toMatchObject({
        code: 'API_UNAVAILABLE',
        facts: { expected: `the API of a running service at ${url}` },
      });
    }
  });

  it('says that an address is none', async () => {
    for (const url of ['here', 'localhost:8080', 'ftp://127.0.0.1']) {
      await expect(downloadResult({ url, key: '' }, 'prf_1')).rejects.toMatchObject({
        code: 'REQUEST_INVALID',
        facts: { found: url },
      });
    }
  });

  it('throws the problem of a run that failed', async () => {
    const error = { code: 'C1_INCONSISTENT', detail: 'roots differ', pointer: '/comm_r' };
    const url = await serve((_request, _body, response) =>
      json(response, 200, view('failed', true, error)),
    );
    await expect(waitForProof({ url, key: '' }, 'prf_1', options)).rejects.toMatchObject({
      code: 'C1_INCONSISTENT',
      facts: { pointer: '/comm_r' },
    });
  });

  it('names the address that does not answer', async () => {
    const url = await serve(() => {});
    servers.splice(0).forEach((server) => {
      server.close();
    });
    await expect(downloadResult({ url, key: '' }, 'prf_1')).rejects.toMatchObject({
      code: 'API_UNAVAILABLE',
      facts: { found: url },
    });
  });
});
