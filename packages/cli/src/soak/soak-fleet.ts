import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { ServiceSettings } from '@cuzk/service-kit/open-service';
import { type StartedProcess, startProcess } from '../fleet/started-process.ts';

const WORKER = fileURLToPath(
  new URL(
    '../dist/simulated/simulated-worker.js',
    import.meta.resolve('@cuzk/service-kit/open-service'),
  ),
);
const STOP_GRACE_MS = 3_000;

export interface SoakShape {
  readonly redisUrl: string;
  readonly folder: string;
  readonly partitions: number;
  readonly witnessBytes: number;
  readonly handoffBytes: number;
  readonly devices: number;
  readonly synthesizeMs: number;
  readonly proveMs: number;
  readonly failShare: number;
  readonly environment: Readonly<Record<string, string>>;
}

export type SoakRole = 'cpu' | 'prover';

/** Settings of every process of a simulated fleet. */
export const soakSettings = (shape: SoakShape, node: string): ServiceSettings => ({
  REDIS_URL: shape.redisUrl,
  ARTIFACT_DIR: join(shape.folder, 'artifacts'),
  NODE_NAME: node,
  INSTANCE: '0',
  LOG_LEVEL: 'warn',
  OTEL_EXPORTER_OTLP_ENDPOINT: '',
  SPAN_FILE: '',
  METRICS_KEY: '',
  METRICS_OPEN: '0',
  METRICS_HOST: '127.0.0.1',
  METRICS_PORT: 0,
});

/** `seed`: of what fails in this process. */
function planOf(shape: SoakShape, role: SoakRole, node: string, seed: number): object {
  const { partitions, witnessBytes, handoffBytes, devices, proveMs, synthesizeMs, failShare } =
    shape;
  const circuitId = 'simulated';
  const settings = soakSettings(shape, node);
  if (role === 'prover') {
    const failCode = 'GPU_DEVICE_LOST';
    return {
      settings,
      seed,
      proving: { circuits: [circuitId], devices, proveMs, failShare, failCode },
    };
  }
  return {
    settings,
    seed,
    // Nobody is away from Redis in a soak: silence may be judged at once.
    coordinator: { handoffBytes, window: 4 * devices + 16, quietMs: 0 },
    cpu: { circuitId, partitions, witnessBytes, threads: 8, synthesizeMs, failShare },
  };
}

/** Processes of a simulated fleet, each of which may be killed and comes back. */
export class SoakFleet {
  readonly #shape: SoakShape;
  readonly #running = new Map<string, StartedProcess>();
  readonly #roles: ReadonlyMap<string, SoakRole>;
  readonly #seed: number;
  #starts = 0;
  kills = 0;

  constructor(
    shape: SoakShape,
    seed: number,
    processes: { readonly cpu: number; readonly prover: number },
  ) {
    this.#shape = shape;
    this.#seed = seed;
    const names = (role: SoakRole) =>
      Array.from({ length: processes[role] }, (_, i) => [`${role}-${i}`, role] as const);
    this.#roles = new Map([...names('cpu'), ...names('prover')]);
  }

  async start(): Promise<void> {
    for (const node of this.#roles.keys()) await this.#start(node);
  }

  pid(node: string): number {
    return (this.#running.get(node) as StartedProcess).pid;
  }

  /** Ends one process as a crash would, and starts another in its place. `pick`: 0 up to 1. */
  async killOne(pick: number): Promise<void> {
    const nodes = [...this.#roles.keys()];
    const node = nodes[Math.floor(pick * nodes.length)] as string;
    const { pid, ended } = this.#running.get(node) as StartedProcess;
    process.kill(pid, 'SIGKILL');
    await ended;
    this.kills++;
    await this.#start(node);
  }

  async stop(): Promise<void> {
    await Promise.all([...this.#running.values()].map((child) => child.stop(STOP_GRACE_MS)));
  }

  async #start(node: string): Promise<void> {
    const { environment } = this.#shape;
    const role = this.#roles.get(node) as SoakRole;
    const plan = planOf(this.#shape, role, node, this.#seed + ++this.#starts);
    const started = await startProcess({
      name: node,
      command: [process.execPath, WORKER, JSON.stringify(plan)],
      environment,
      output: { file: join(this.#shape.folder, `${node}.log`) },
    });
    this.#running.set(node, started);
  }
}
