import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { readGoldenCase } from '@cuzk/service-kit/testing/golden-case';
import { startGoldenProver } from '@cuzk/service-kit/testing/golden-prover';
import { eventually } from '@cuzk/service-kit/testing/open-test-service';
import { freePort } from '@cuzk/service-kit/testing/redis-server';
import { afterEach, expect, it } from 'vitest';
import { reaches, Scenario, submit } from './testing/service-processes.ts';

const DEPLOY = fileURLToPath(new URL('../../deploy/', import.meta.url));
const HAS_PROMETHEUS = spawnSync('prometheus', ['--version']).status === 0;
if (!HAS_PROMETHEUS) console.log("skipped: Prometheus is not here (Debian's package prometheus)");

let scenario: Scenario | undefined;
let prometheus: ChildProcess | undefined;
const closing: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0)) await close();
  prometheus?.kill('SIGKILL');
  await scenario?.close();
});

/** Prometheus with our rules, on these targets. Returns its address. */
async function startPrometheus(folder: string, targets: Record<string, string>): Promise<string> {
  mkdirSync(folder);
  cpSync(join(DEPLOY, 'prometheus', 'rules'), join(folder, 'rules'), { recursive: true });
  const jobs = Object.entries(targets).map(([job_name, target]) => ({
    job_name,
    static_configs: [{ targets: [target] }],
  }));
  const config = {
    global: { scrape_interval: '1s', evaluation_interval: '1s' },
    rule_files: ['rules/cuzk.yml'],
    scrape_configs: jobs,
  };
  writeFileSync(join(folder, 'prometheus.yml'), JSON.stringify(config)); // JSON is YAML.
  const port = await freePort();
  prometheus = spawn(
    'prometheus',
    [
      `--config.file=${join(folder, 'prometheus.yml')}`,
      `--storage.tsdb.path=${join(folder, 'data')}`,
      `--web.listen-address=127.0.0.1:${port}`,
    ],
    { stdio: 'ignore' },
  );
  const url = `http://127.0.0.1:${port}`;
  await eventually(async () => (await fetch(`${url}/-/ready`).catch(() => null))?.ok, 30_000);
  return url;
}

interface Answer {
  readonly status: string;
  readonly error?: string;
  readonly data: { readonly result: readonly { readonly value: [number, string] }[] };
}

it.skipIf(!HAS_PROMETHEUS)(
  'Prometheus scrapes the services, takes the alerts, and answers every query of the dashboards',
  async () => {
    scenario = await Scenario.open();
    const synthPort = await freePort();
    await scenario.start('api');
    await scenario.start('synth-worker', 'node-a', { OPS_PORT: String(synthPort) });
    const stage = await startGoldenProver(await scenario.join('gpu-worker', 'gpu-a'));
    closing.push(() => stage.drain());
    const url = await startPrometheus(join(scenario.folder, 'prometheus'), {
      'cuzk-api': scenario.url.replace('http://', ''),
      'cuzk-synth-worker': `127.0.0.1:${synthPort}`,
    });
    const query = async (expr: string): Promise<Answer> => {
      const response = await fetch(`${url}/api/v1/query?query=${encodeURIComponent(expr)}`);
      return (await response.json()) as Answer;
    };
    const numberOf = async (expr: string) => Number((await query(expr)).data.result[0]?.value[1]);
    await eventually(async () => (await numberOf('sum(up)')) === 2, 30_000);

    const golden = readGoldenCase('2KiB-V1_1-a');
    const { body } = await submit(scenario.url, golden.c1, { miner: 'f01000', sector: '1' });
    await reaches(scenario.url, body.proofId, ['succeeded']);
    await eventually(
      async () => (await numberOf('max(cuzk_proofs_ended_total{state="succeeded"})')) === 1,
      30_000,
    );
    expect(await numberOf('sum(cuzk_stage_duration_seconds_count{stage="synthesize"})')).toBe(1);
    expect(await numberOf('sum(cuzk_buffers_in_flight)')).toBe(0);
    expect(await numberOf('max(cuzk_workers{role="gpu-worker",state="ready"})')).toBe(1);

    const folder = join(DEPLOY, 'grafana', 'dashboards');
    const exprs = readdirSync(folder).flatMap((name) => {
      const { panels } = JSON.parse(readFileSync(join(folder, name), 'utf8')) as {
        panels: { targets: { expr?: string }[] }[];
      };
      return panels.flatMap(({ targets }) => targets.flatMap(({ expr }) => expr ?? []));
    });
    const answers = await Promise.all(exprs.map(query));
    const failed = answers.flatMap(({ status, error }) => (status === 'success' ? [] : [error]));
    expect(failed).toEqual([]);
    const shown = answers.filter(({ data }) => data.result.length > 0).length;
    console.log(`${exprs.length} queries of the dashboards, ${shown} with data`);
    expect(shown).toBeGreaterThan(30);

    const rules = (await (await fetch(`${url}/api/v1/rules`)).json()) as {
      data: { groups: { rules: { name: string; health: string; state: string }[] }[] };
    };
    const alerts = rules.data.groups.flatMap((group) => group.rules);
    expect(alerts.length).toBeGreaterThan(10);
    const evaluated = await eventually(async () => {
      const again = (await (await fetch(`${url}/api/v1/rules`)).json()) as typeof rules;
      const all = again.data.groups.flatMap((group) => group.rules);
      return all.every(({ health }) => health === 'ok') ? all : null;
    }, 30_000);
    expect(evaluated.filter(({ state }) => state === 'firing').map(({ name }) => name)).toEqual([]);
  },
);
