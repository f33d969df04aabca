import { writeFileSync } from 'node:fs';
import { API_SETTINGS } from '@cuzk/api/config';
import { GPU_WORKER_SETTINGS } from '@cuzk/gpu-worker/config';
import { SHARED_SETTINGS } from '@cuzk/service-kit/config/shared-settings';
import { SYNTH_WORKER_SETTINGS } from '@cuzk/synth-worker/config';
import { expect, it } from 'vitest';
import { readRepositoryText } from './markdown.ts';

interface Setting {
  readonly description?: string;
  readonly default?: unknown;
  readonly enum?: readonly string[];
}

const SERVICES = {
  api: API_SETTINGS.properties,
  'synth-worker': SYNTH_WORKER_SETTINGS.properties,
  'gpu-worker': GPU_WORKER_SETTINGS.properties,
} as unknown as Record<string, Record<string, Setting>>;

const HEAD = `# Settings

Environment variables of the services, read once at start. A wrong one ends the process with a list of all that is wrong. This page is made from the schemas: \`npm run docs\` writes it, and a test compares it.

The command line reads \`CUZK_CACHE_DIR\` (default: \`cuzk\` below \`XDG_CACHE_HOME\` or \`~/.cache\`), \`FIL_PROOFS_PARAMETER_CACHE\`, \`ALLOW_DEVELOPMENT_PARAMS\`, \`GPU\`, \`GPU_WORKERS\` (most gpu-workers that it starts; otherwise one for each card), \`REDIS_URL\`, \`REDIS_SERVER_BIN\` (the Redis that it starts; otherwise redis-server or valkey-server on PATH), \`API_KEY\` (sent to an API that asks for one: \`TENANTS_FILE\`) and \`PARAMETER_MIRRORS\` (see operations.md), and hands its environment on to the services that it starts.
`;

/** The table of one group of settings. */
function table(settings: Readonly<Record<string, Setting>>): string {
  const rows = Object.entries(settings)
    .toSorted(([a], [b]) => a.localeCompare(b))
    .map(([name, setting]) => {
      const text = (setting.description ?? '').replaceAll('|', '\\|');
      const choices = setting.enum === undefined ? '' : ` (${setting.enum.join(', ')})`;
      return `| \`${name}\` | ${defaultText(setting)} | ${text}${choices} |`;
    });
  return ['| variable | default | what |', '|---|---|---|', ...rows].join('\n');
}

function defaultText({ default: value }: Setting): string {
  if (value === undefined) return 'must be set';
  return value === '' ? 'empty' : `\`${String(value).replace(/^.*\/\.cache/, '~/.cache')}\``;
}

function page(): string {
  const shared = Object.keys(SHARED_SETTINGS);
  const own = Object.entries(SERVICES).map(([service, settings]) => {
    const entries = Object.entries(settings).filter(([name]) => !shared.includes(name));
    return `## ${service}\n\n${table(Object.fromEntries(entries))}\n`;
  });
  return [HEAD, `## Every service\n\n${table(SHARED_SETTINGS)}\n`, ...own].join('\n');
}

it('docs/settings.md is what the schemas say', () => {
  const expected = page();
  if (process.env.UPDATE_DOCS === '1') {
    writeFileSync(new URL('../../docs/settings.md', import.meta.url), expected);
  }
  expect(readRepositoryText('docs/settings.md'), 'npm run docs writes it anew').toBe(expected);
});

it('README names settings that some service or the command line reads', () => {
  const section =
    /## Configuration\n([\s\S]*?)\n## /.exec(readRepositoryText('README.md'))?.[1] ?? '';
  const named = [...section.matchAll(/^\| `([A-Z][A-Z0-9_]+)`/gm)].map(([, name]) => name ?? '');
  const commandLine = [...HEAD.matchAll(/`([A-Z][A-Z0-9_]+)`/g)].map(([, name]) => name ?? '');
  const services = Object.values(SERVICES).flatMap((settings) => Object.keys(settings));
  const known = [...services, ...commandLine];
  expect(named.length).toBeGreaterThan(5);
  expect(named.filter((name) => !known.includes(name))).toEqual([]);
});

it('every setting says what it is for', () => {
  for (const settings of Object.values(SERVICES)) {
    for (const [name, { description = '' }] of Object.entries(settings)) {
      expect(description.length, name).toBeGreaterThan(10);
    }
  }
});
