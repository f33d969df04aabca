import { cancelRun } from '@cuzk/service-kit/record/run-control';
import { eventually } from '@cuzk/service-kit/testing/open-test-service';
import { ingested } from '@cuzk/service-kit/testing/sample-proof';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { TestApi } from '../testing/open-test-api.ts';

let api: TestApi;
let url: string;
/** Readers that the notifications of this process still have. */
let listeners = 0;

beforeEach(async () => {
  api = await TestApi.open();
  const { notifications } = api.service;
  const onProof = notifications.onProof.bind(notifications);
  listeners = 0;
  notifications.onProof = (proofId, listener) => {
    const stop = onProof(proofId, listener);
    listeners++;
    return () => {
      listeners--;
      stop();
    };
  };
  url = await api.app.listen({ host: '127.0.0.1', port: 0 });
});
afterEach(() => api.close());

/** Sends requests that are given up while Redis stands still, before it has answered any. */
async function giveUp(path: string, count: number): Promise<void> {
  const leaving = new AbortController();
  api.redis.freeze();
  const requests = Array.from({ length: count }, () =>
    fetch(`${url}${path}`, { signal: leaving.signal }).catch(() => null),
  );
  await new Promise((resolve) => setTimeout(resolve, 500));
  leaving.abort();
  await Promise.all(requests);
  await new Promise((resolve) => setTimeout(resolve, 100));
  api.redis.thaw();
  await eventually(async () => (await fetch(`${url}/v1/proofs`)).ok);
}

describe('the stream of the status', () => {
  it('has room again when readers have gone before their first word', async () => {
    await giveUp('/v1/status/events', 256);
    const leaving = new AbortController();
    const answer = await fetch(`${url}/v1/status/events`, { signal: leaving.signal });
    leaving.abort();
    expect(answer.status).toBe(200);
  });
});

describe('the stream of a proof', () => {
  it('ends with a reader that has gone before its first word', async () => {
    const proofId = await ingested(api.service.redis, 1);
    await giveUp(`/v1/proofs/${proofId}/events`, 3);
    await eventually(() => listeners === 0, 2_000);
  });

  it('is over for a reader that has had its end, as EventSource comes back', async () => {
    const proofId = await ingested(api.service.redis, 1);
    await cancelRun(api.service.redis, proofId, 'cancelled');
    const events = `${url}/v1/proofs/${proofId}/events`;
    const text = await (await fetch(events)).text();
    const last = text.match(/(?<=^id: ).*$/gm)?.at(-1) ?? '';
    const again = await fetch(events, {
      headers: { 'last-event-id': last },
      signal: AbortSignal.timeout(3_000),
    });
    expect([again.status, await again.text()]).toEqual([204, '']);
  });
});

it('a stream has no head: a request for it would never end', async () => {
  const proofId = await ingested(api.service.redis, 1);
  for (const path of ['/v1/status/events', `/v1/proofs/${proofId}/events`]) {
    const signal = AbortSignal.timeout(3_000);
    expect((await fetch(`${url}${path}`, { method: 'HEAD', signal })).status).toBe(404);
  }
});
