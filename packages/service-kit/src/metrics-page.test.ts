import { describe, expect, it } from 'vitest';
import { createMetrics } from './metrics.ts';
import { MetricsPage, type MetricsPageSettings } from './metrics-page.ts';
import { freePort } from './testing/redis-server.ts';

const SETTINGS: MetricsPageSettings = {
  METRICS_KEY: '',
  METRICS_OPEN: '0',
  METRICS_HOST: '127.0.0.1',
  METRICS_PORT: 0,
};
const openPage = (settings: Partial<MetricsPageSettings>) =>
  MetricsPage.open(createMetrics('test', 'test'), { ...SETTINGS, ...settings });
const HERE = '127.0.0.1';
const AWAY = '10.1.2.3';

describe('the page of the metrics', () => {
  it.each([
    ['this host', {}, HERE, {}, 200],
    ['this host over IPv6', {}, '::1', {}, 200],
    ['this host as a mapped address', {}, '::ffff:127.0.0.1', {}, 200],
    ['another host', {}, AWAY, {}, 403],
    ['nobody', {}, undefined, {}, 403],
    ['another host behind a proxy here', {}, HERE, { 'x-forwarded-for': AWAY }, 403],
    ['anybody where it is open', { METRICS_OPEN: '1' }, AWAY, {}, 200],
    ['this host without the key', { METRICS_KEY: 'k' }, HERE, {}, 401],
    [
      'anybody without the key, open or not',
      { METRICS_KEY: 'k', METRICS_OPEN: '1' },
      AWAY,
      {},
      401,
    ],
    ['a wrong key', { METRICS_KEY: 'k' }, AWAY, { authorization: 'Bearer x' }, 401],
    ['the key in another form', { METRICS_KEY: 'k' }, AWAY, { authorization: 'Basic k' }, 401],
    ['the right key', { METRICS_KEY: 'k' }, AWAY, { authorization: 'Bearer k' }, 200],
  ])('answers %s', async (_who, settings, address, headers, status) => {
    const page = await openPage(settings);
    const answer = await page.answer({ address, headers });
    expect(answer.status).toBe(status);
    expect(answer.body.includes('target_info')).toBe(status === 200);
  });

  it('is on an address of its own where it has one, and there only', async () => {
    const port = await freePort();
    const page = await openPage({ METRICS_PORT: port, METRICS_KEY: 'secret' });
    try {
      const url = `http://127.0.0.1:${port}`;
      expect((await fetch(`${url}/metrics`)).status).toBe(401);
      const headers = { authorization: 'Bearer secret' };
      expect((await fetch(`${url}/metrics`, { headers })).status).toBe(200);
      expect((await fetch(`${url}/healthz`, { headers })).status).toBe(404);
      expect((await page.answer({ address: HERE, headers })).status).toBe(404);
    } finally {
      await page.close();
    }
  });
});
