import { readdirSync, readFileSync } from 'node:fs';

/** A process of a deployment on this host. */
export interface FoundProcess {
  readonly pid: number;
  readonly parentPid: number;
  /** `api`, `synth-worker`, `gpu-worker`, `gpu-worker/device` or `redis`. */
  readonly name: string;
  /** Its environment, where this user may read it; otherwise empty. */
  readonly environment: Readonly<Record<string, string>>;
}

/** Where processes are listed; a folder of the same form in tests. */
const PROC = '/proc';
const SERVICE = /services\/(api|synth-worker|gpu-worker)\/dist\/main\.js$/;
const DEVICE = /services\/gpu-worker\/dist\/device-child\.js$/;
/** Redis writes its address behind its name. */
const REDIS = /(?:redis|valkey)-server(?:\0| ).*:(\d+)/;

function read(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}

function nameOf(commandLine: string): string | null {
  const words = commandLine.split('\0').filter(Boolean);
  for (const word of words) {
    const service = SERVICE.exec(word)?.[1];
    if (service !== undefined) return service;
    if (DEVICE.test(word)) return 'gpu-worker/device';
  }
  return null;
}

function environmentOf(proc: string, pid: number): Record<string, string> {
  const pairs = read(`${proc}/${pid}/environ`).split('\0').filter(Boolean);
  return Object.fromEntries(
    pairs.map((pair) => [pair.slice(0, pair.indexOf('=')), pair.slice(pair.indexOf('=') + 1)]),
  );
}

const parentOf = (proc: string, pid: number): number =>
  // The name in brackets may hold anything, also brackets.
  Number(/^\d+ \(.*\) \S (\d+)/s.exec(read(`${proc}/${pid}/stat`))?.[1] ?? 0);

/**
 * Services of cuzk, the device processes they started, and the Redis servers that they use, on this host. With
 * `ancestorPid`, those that this process has started, at any depth.
 */
export function findProcesses(ancestorPid: number | null, proc: string = PROC): FoundProcess[] {
  const pids = readdirSync(proc)
    .filter((name) => /^\d+$/.test(name))
    .map(Number);
  const parents = new Map(pids.map((pid) => [pid, parentOf(proc, pid)]));
  const wanted = pids.filter(
    (pid) => ancestorPid === null || descendsFrom(parents, pid, ancestorPid),
  );
  const lines = wanted.map((pid) => [pid, read(`${proc}/${pid}/cmdline`)] as const);
  const found = (pid: number, name: string, environment: Record<string, string>) => ({
    pid,
    parentPid: parents.get(pid) ?? 0,
    name,
    environment,
  });
  const services = lines.flatMap(([pid, line]) => {
    const name = nameOf(line);
    return name === null ? [] : [found(pid, name, environmentOf(proc, pid))];
  });
  const ports = new Set(services.flatMap(({ environment }) => localRedisPort(environment)));
  const servers = lines.flatMap(([pid, line]) => {
    const port = REDIS.exec(line)?.[1];
    return port !== undefined && ports.has(Number(port)) ? [found(pid, 'redis', {})] : [];
  });
  return [...servers, ...services];
}

function descendsFrom(
  parents: ReadonlyMap<number, number>,
  pid: number,
  ancestor: number,
): boolean {
  for (let at: number | undefined = pid; at !== undefined && at > 0; at = parents.get(at)) {
    if (at === ancestor) return true;
  }
  return false;
}

/** Port of a Redis on this host, as the environment of a service names it. */
function localRedisPort({
  REDIS_URL = 'redis://127.0.0.1:6379',
}: Readonly<Record<string, string>>): number[] {
  try {
    const { hostname, port } = new URL(REDIS_URL);
    return ['127.0.0.1', 'localhost', '[::1]'].includes(hostname) ? [Number(port || 6379)] : [];
  } catch {
    return [];
  }
}
