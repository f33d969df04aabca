import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { sharedSettingsText } from './settings-text.ts';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const read = (path: string): string => readFileSync(`${ROOT}${path}`, 'utf8');

interface ComposeService {
  readonly image?: string;
  readonly user?: string;
  readonly command?: readonly string[];
  readonly environment?: Readonly<Record<string, string>>;
  readonly volumes?: readonly string[];
  readonly ports?: readonly string[];
  readonly devices?: readonly string[];
  readonly group_add?: readonly string[];
  readonly profiles?: readonly string[];
  readonly mem_limit?: string;
  readonly read_only?: boolean;
  readonly cap_drop?: readonly string[];
  readonly deploy?: { resources: { reservations: { devices: readonly Device[] } } };
}
interface Device {
  readonly driver: string;
  readonly capabilities: readonly string[];
}
interface ComposeFile {
  readonly services: Readonly<Record<string, ComposeService>>;
  readonly volumes?: Readonly<Record<string, unknown>>;
}

const compose = (path: string) => parse(read(path), { merge: true }) as ComposeFile;
const base = compose('docker-compose.yml');
const observability = compose('docker-compose.observability.yml');
const gpu = compose('docker-compose.gpu.yml');
const OURS = ['api', 'synth-worker', 'gpu-worker'];
const tools = Object.entries(observability.services).filter(([name]) => !OURS.includes(name));

const dockerCompose = (...args: string[]) =>
  spawnSync('docker-compose', args, { cwd: ROOT, encoding: 'utf8' });
const HAS_COMPOSE = dockerCompose('version').status === 0;
if (!HAS_COMPOSE) console.log('skipped: docker-compose is not here');
const files = (...names: string[]) => names.flatMap((name) => ['-f', name]);

describe('compose files', () => {
  it.skipIf(!HAS_COMPOSE)('are valid, alone and together, and a wrong key is not', () => {
    const main = 'docker-compose.yml';
    const all = [main, 'docker-compose.observability.yml', 'docker-compose.gpu.yml'];
    for (const set of [[main], all.slice(0, 2), [main, all[2] ?? ''], all]) {
      const checked = dockerCompose(
        ...files(...set),
        '--profile',
        'nvidia',
        '--profile',
        'dri',
        'config',
        '-q',
      );
      expect([checked.status, checked.stderr], set.join(' ')).toEqual([0, '']);
    }
    const broken = spawnSync('docker-compose', ['-f', '-', 'config', '-q'], {
      input: read(main).replace('mem_limit:', 'mem_limits:'),
      encoding: 'utf8',
    });
    expect(broken.status).not.toBe(0);
  });

  it.skipIf(!HAS_COMPOSE)('merge into one system whose processes speak to the collector', () => {
    const merged = dockerCompose(
      ...files('docker-compose.yml', 'docker-compose.observability.yml'),
      'config',
    );
    const { services } = parse(merged.stdout) as ComposeFile;
    for (const name of OURS) {
      expect(services[name]?.environment).toMatchObject({
        OTEL_EXPORTER_OTLP_ENDPOINT: 'http://otel-collector:4318',
        REDIS_URL: 'redis://redis:6379',
      });
    }
  });

  it.each([...tools, ...Object.entries(gpu.services).filter(([name]) => name !== 'gpu-worker')])(
    '%s runs without rights, within a memory limit, on a read-only root',
    (name, service) => {
      expect(service.read_only, name).toBe(true);
      expect(service.cap_drop, name).toEqual(['ALL']);
      expect(service.mem_limit, name).toMatch(/^\d+[mg]$/);
      if (service.image !== undefined) expect(service.image).toMatch(/:v?\d+\.\d+\.\d+/);
      for (const port of service.ports ?? []) expect(port).toMatch(/^127\.0\.0\.1:/);
    },
  );

  it('mount files that are there, and volumes that are declared', () => {
    const declared = new Set(
      [base, observability].flatMap(({ volumes }) => Object.keys(volumes ?? {})),
    );
    for (const { services } of [observability, gpu]) {
      for (const mount of Object.values(services).flatMap(({ volumes }) => volumes ?? [])) {
        const [source = ''] = mount.split(':');
        if (source.startsWith('./')) expect(existsSync(`${ROOT}${source}`), mount).toBe(true);
        else expect(declared, mount).toContain(source);
      }
    }
  });
});

describe('the tools beside the system', () => {
  it('find each other at the addresses of their configurations', () => {
    const collector = parse(read('deploy/otel-collector/config.yaml'));
    expect(collector.receivers.otlp.protocols.http.endpoint).toBe('0.0.0.0:4318');
    const tempo = parse(read('deploy/tempo/tempo.yaml'));
    const tempoPort = tempo.distributor.receivers.otlp.protocols.grpc.endpoint.split(':')[1];
    expect(collector.exporters['otlp/tempo'].endpoint).toBe(`tempo:${tempoPort}`);
    const sources = parse(read('deploy/grafana/provisioning/datasources/cuzk.yaml')).datasources;
    const urls = Object.fromEntries(
      sources.map(({ uid, url }: { uid: string; url: string }) => [uid, url]),
    );
    expect(urls).toEqual({
      prometheus: 'http://prometheus:9090',
      tempo: `http://tempo:${tempo.server.http_listen_port}`,
    });
  });

  it('use every part of a pipeline that is declared, and declare what they use', () => {
    const collector = parse(read('deploy/otel-collector/config.yaml'));
    const pipelines = Object.values(collector.service.pipelines) as Record<string, string[]>[];
    for (const kind of ['receivers', 'processors', 'exporters']) {
      const used = new Set(pipelines.flatMap((pipeline) => pipeline[kind] ?? []));
      expect([...used].toSorted()).toEqual(Object.keys(collector[kind]).toSorted());
    }
  });

  it('scrape every service of the system on the port it has there', () => {
    const { scrape_configs: jobs } = parse(read('deploy/prometheus/prometheus.yml'));
    const targets = jobs.flatMap((job: { dns_sd_configs: { names: string[]; port: number }[] }) =>
      job.dns_sd_configs.flatMap(({ names, port }) => names.map((name) => `${name}:${port}`)),
    );
    const dockerfile = read('deploy/docker/Dockerfile');
    const port = (stage: string) =>
      new RegExp(`FROM \\S+ AS ${stage}\\n[\\s\\S]*?EXPOSE (\\d+)`).exec(dockerfile)?.[1];
    for (const name of OURS) expect(targets).toContain(`${name}:${port(name)}`);
    for (const name of Object.keys(gpu.services)) expect(targets).toContain(`${name}:9466`);
  });
});

describe('devices', () => {
  const nvidia = gpu.services['gpu-worker-nvidia'];
  const dri = gpu.services['gpu-worker-dri'];

  it('of NVIDIA come with the graphics part of the driver and the file that names it to Vulkan', () => {
    expect(nvidia?.environment).toMatchObject({
      NVIDIA_DRIVER_CAPABILITIES: 'compute,utility,graphics',
      GPU: 'hardware',
    });
    expect(nvidia?.deploy?.resources.reservations.devices).toEqual([
      { driver: 'nvidia', count: 1, capabilities: ['gpu'] },
    ]);
    const [, target] =
      (nvidia?.volumes ?? []).find((mount) => mount.includes('icd'))?.split(':') ?? [];
    expect(nvidia?.environment?.VK_DRIVER_FILES).toBe(target);
    const icd = JSON.parse(read('deploy/docker/nvidia_icd.json'));
    expect(icd.ICD.library_path).toBe('libGLX_nvidia.so.0');
  });

  it('of AMD and Intel come with the render nodes and their group', () => {
    expect(dri?.devices).toEqual(['/dev/dri:/dev/dri']);
    expect(dri?.group_add?.[0]).toContain('RENDER_GROUP');
    expect(dri?.environment?.GPU).toBe('hardware');
  });

  it('find loader and drivers in the image', () => {
    const dockerfile = read('deploy/docker/Dockerfile');
    for (const name of ['libvulkan1', 'mesa-vulkan-drivers', 'libegl1', 'libglvnd0', 'libx11-6']) {
      expect(dockerfile).toContain(name);
    }
    expect(dockerfile).toContain('ln -s libEGL.so.1');
  });

  it('take the place of the software adapter', () => {
    expect(gpu.services['gpu-worker']).toEqual({ profiles: ['software'] });
  });

  it('set only variables that the part reads, or its driver', () => {
    const settings = `${sharedSettingsText()}${read('services/gpu-worker/src/config.ts')}`;
    for (const service of [nvidia, dri]) {
      const own = Object.keys(service?.environment ?? {}).filter(
        (name) => !/^(NVIDIA|VK)_/.test(name),
      );
      for (const name of own) expect(settings).toMatch(new RegExp(`\\b${name}\\b`));
    }
  });
});
