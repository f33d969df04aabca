import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { CliConfig } from '../config.ts';
import { pinnedTo } from './cards.ts';
import type { ProcessPlan } from './started-process.ts';

export type ServiceName = 'synth-worker' | 'gpu-worker' | 'api';

/** One process of a system. */
export interface ServiceInstance {
  /** `gpu-worker`, `gpu-worker-1`, … */
  readonly name: string;
  readonly service: ServiceName;
  /** Tells workers of one kind apart. */
  readonly instance: number;
  /** Every service answers /healthz and /readyz on its port. */
  readonly port: number;
  /** The one card it may see, by its node; null: all of them. */
  readonly card: string | null;
}

export interface ServiceSettings {
  readonly config: CliConfig;
  readonly redisUrl: string;
  readonly artifactDir: string;
  /** Nodes of all cards of this machine. */
  readonly cards: readonly string[];
}

/** The entry point of a service. The same relative path holds from src/ and dist/. */
const mainFile = (name: ServiceName): string =>
  fileURLToPath(new URL(`../../../../services/${name}/dist/main.js`, import.meta.url));

/**
 * How to run one service on this machine: the caller's environment, and on top of it what makes the processes
 * meet (Redis, artifact folder, port) and share the caches of this machine.
 */
export function servicePlan(
  { name, service, instance, port, card }: ServiceInstance,
  settings: ServiceSettings,
  output: ProcessPlan['output'],
): ProcessPlan {
  const { config } = settings;
  mkdirSync(settings.artifactDir, { recursive: true });
  const command = [process.execPath, '--enable-source-maps', mainFile(service)] as const;
  return {
    name,
    command: card === null ? command : pinnedTo(card, settings.cards, command),
    environment: {
      HOST: '127.0.0.1',
      ...config.environment,
      ...(instance === 0 ? {} : { INSTANCE: String(instance) }),
      REDIS_URL: settings.redisUrl,
      ARTIFACT_DIR: settings.artifactDir,
      CUZK_CACHE_DIR: config.cacheDir,
      // The API serves on PORT, workers answer about themselves on OPS_PORT.
      PORT: String(port),
      OPS_PORT: String(port),
    },
    output,
  };
}

/** Where a service of this machine answers: on the address that HOST names, or on all. */
export function urlOf(
  { port }: Pick<ServiceInstance, 'port'>,
  { HOST = '' }: Readonly<Record<string, string>>,
): string {
  const host = ['', '0.0.0.0', '::'].includes(HOST) ? '127.0.0.1' : HOST;
  return `http://${host.includes(':') ? `[${host}]` : host}:${port}`;
}

/** Where the parts of a system keep their files below one folder. */
export const systemFolders = (folder: string) => ({
  redis: join(folder, 'redis'),
  artifacts: join(folder, 'artifacts'),
  logs: join(folder, 'logs'),
});
