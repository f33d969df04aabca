import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { sharedSettingsText } from './settings-text.ts';

const ROOT = new URL('../../', import.meta.url);
const read = (path: string): string => readFileSync(new URL(path, ROOT), 'utf8');
const exists = (path: string): boolean => existsSync(fileURLToPath(new URL(path, ROOT)));

interface Instruction {
  readonly name: string;
  readonly text: string;
}
interface Stage {
  readonly from: string;
  readonly name: string;
  readonly instructions: readonly Instruction[];
}

/** Stages of the Dockerfile: continuation lines joined, comments left out. */
function readStages(): Stage[] {
  const lines = read('deploy/docker/Dockerfile')
    .split('\n')
    .filter((line) => !line.startsWith('#'))
    .join('\n')
    .replaceAll('\\\n', ' ')
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '');
  const stages: { from: string; name: string; instructions: Instruction[] }[] = [];
  for (const line of lines) {
    const [, name = '', text = ''] = /^([A-Z]+)\s+(.*)$/.exec(line) ?? [];
    const stage = /^(\S+) AS (\S+)$/.exec(text);
    if (name === 'FROM') {
      stages.push({ from: stage?.[1] ?? '', name: stage?.[2] ?? '', instructions: [] });
    } else stages.at(-1)?.instructions.push({ name, text });
  }
  return stages;
}

const stages = readStages();
const stageOf = (name: string): Stage => {
  const found = stages.find((stage) => stage.name === name);
  if (found === undefined) throw new Error(`no stage ${name}`);
  return found;
};

/** Instructions of a stage and of the stages it is built on, first to last. */
function lineage(name: string): Instruction[] {
  const stage = stageOf(name);
  const below = stages.some((other) => other.name === stage.from) ? lineage(stage.from) : [];
  return [...below, ...stage.instructions];
}

const compose = parse(read('docker-compose.yml'), { merge: true }) as {
  services: Record<string, ComposeService>;
  volumes: Record<string, unknown>;
};
interface ComposeService {
  readonly image?: string;
  readonly build?: {
    readonly context: string;
    readonly dockerfile: string;
    readonly target: string;
  };
  readonly environment?: Readonly<Record<string, string>>;
  readonly volumes?: readonly string[];
  readonly healthcheck?: object;
  readonly mem_limit?: string;
  readonly profiles?: readonly string[];
}
const services = Object.entries(compose.services);
const built = services.filter(([, { build }]) => build !== undefined);

describe('Dockerfile', () => {
  it('pins its base image to an exact version', () => {
    expect(read('deploy/docker/Dockerfile')).toMatch(
      /^ARG NODE_IMAGE=node:\d+\.\d+\.\d+-bookworm-slim$/m,
    );
    for (const { from } of stages) {
      expect(from === `\${NODE_IMAGE}` || stages.some(({ name }) => name === from)).toBe(true);
    }
  });

  it('copies the manifest of every workspace before npm ci', () => {
    const { instructions } = stageOf('build');
    const install = instructions.findIndex(({ text }) => text === 'npm ci');
    expect(install).toBeGreaterThan(0);
    const before = instructions.slice(0, install);
    const copied = before.flatMap(({ text }) => text.split(' ').slice(0, -1));
    const manifests = ['packages', 'services'].flatMap((parent) =>
      readdirSync(new URL(parent, ROOT))
        .map((name) => `${parent}/${name}/package.json`)
        .filter(exists),
    );
    expect(copied).toEqual(expect.arrayContaining(manifests));
  });

  it('copies only what is there', () => {
    const sources = stages
      .flatMap(({ instructions }) => instructions)
      .filter(({ name, text }) => name === 'COPY' && !text.startsWith('--from'))
      .flatMap(({ text }) => text.split(' ').slice(0, -1));
    expect(sources.filter((path) => !exists(path))).toEqual([]);
  });

  it.each(['api', 'synth-worker', 'gpu-worker', 'cli'])('runs %s without rights', (target) => {
    const instructions = lineage(target);
    const user = instructions.filter(({ name }) => name === 'USER').at(-1);
    expect(user?.text).toBe('node');
    expect(instructions.some(({ name }) => name === 'ENTRYPOINT')).toBe(true);
  });
});

describe('docker-compose.yml', () => {
  it('has one service for each part of the smallest system', () => {
    const always = services.filter(([, { profiles }]) => profiles === undefined);
    expect(always.map(([name]) => name)).toEqual(['redis', 'api', 'synth-worker', 'gpu-worker']);
  });

  it('builds targets that the Dockerfile has', () => {
    for (const [name, { build }] of built) {
      expect(build, name).toMatchObject({ context: '.', dockerfile: 'deploy/docker/Dockerfile' });
      expect(stageOf(build?.target ?? '').name).toBe(build?.target);
    }
  });

  it('gives every part a memory limit, a pinned image and, where it stays up, a health check', () => {
    for (const [name, service] of services) {
      expect(service.mem_limit, name).toMatch(/^\d+[mg]$/);
      if (service.image !== undefined) expect(service.image).toMatch(/:\d+\.\d+\.\d+/);
      if (service.profiles === undefined) expect(service.healthcheck, name).toBeDefined();
    }
  });

  it('mounts volumes that it declares, where the image has a folder for them', () => {
    for (const [name, service] of services) {
      for (const mount of service.volumes ?? []) {
        const [volume = '', folder = ''] = mount.split(':');
        expect(Object.keys(compose.volumes), name).toContain(volume);
        const made = lineage('runtime').some(
          ({ text }) => text.includes(`mkdir -p`) && text.includes(folder),
        );
        expect(made || service.build === undefined, mount).toBe(true);
      }
    }
  });

  it('sets only variables that the part reads', () => {
    for (const [name, { environment = {}, build }] of built) {
      const folder = build?.target === 'cli' ? 'packages/cli' : `services/${name}`;
      const settings = [sharedSettingsText(), read(`${folder}/src/config.ts`)].join('\n');
      for (const variable of Object.keys(environment)) {
        expect(settings, `${name}: ${variable}`).toMatch(new RegExp(`\\b${variable}\\b`));
      }
    }
  });
});
