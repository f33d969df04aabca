import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type CliConfig, shaderCacheDir } from '../config.ts';
import type { ProcessPlan } from './started-process.ts';

/** Workers of the smallest whole system, in the order in which they are started. */
export const SERVICE_NAMES = ['synth-worker', 'gpu-worker', 'api'] as const;
export type ServiceName = (typeof SERVICE_NAMES)[number];

export interface ServiceSettings {
  readonly config: CliConfig;
  readonly redisUrl: string;
  readonly artifactDir: string;
  /** Every service answers /healthz and /readyz on its port. */
  readonly ports: Readonly<Record<ServiceName, number>>;
}

/** The entry point of a service. The same relative path holds from src/ and dist/. */
const mainFile = (name: ServiceName): string =>
  fileURLToPath(new URL(`../../../../services/${name}/dist/main.js`, import.meta.url));

/**
 * How to run one service on this machine: the caller's environment, and on top of it what makes the processes
 * meet (Redis, artifact folder, port) and share the caches of this machine.
 */
export function servicePlan(
  name: ServiceName,
  settings: ServiceSettings,
  output: ProcessPlan['output'],
): ProcessPlan {
  const { config } = settings;
  mkdirSync(settings.artifactDir, { recursive: true });
  mkdirSync(shaderCacheDir(config), { recursive: true });
  return {
    name,
    command: [process.execPath, '--enable-source-maps', mainFile(name)],
    environment: {
      MESA_SHADER_CACHE_DIR: shaderCacheDir(config),
      HOST: '127.0.0.1',
      ...config.environment,
      REDIS_URL: settings.redisUrl,
      ARTIFACT_DIR: settings.artifactDir,
      CUZK_CACHE_DIR: config.cacheDir,
      // The API serves on PORT, workers answer about themselves on OPS_PORT.
      PORT: String(settings.ports[name]),
      OPS_PORT: String(settings.ports[name]),
    },
    output,
  };
}

/** Where the parts of a system keep their files below one folder. */
export const systemFolders = (folder: string) => ({
  redis: join(folder, 'redis'),
  artifacts: join(folder, 'artifacts'),
  logs: join(folder, 'logs'),
});
