import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseSectorSize, sectorShape } from '@cuzk/core/porep/sector';
import { residencyText } from '@cuzk/gpu/streaming/residency-text';
import { developmentParams } from '@cuzk/service-kit/circuits/params-folder';
import { loadConfig } from '@cuzk/service-kit/config/load-config';
import { eventually, TestFleet } from '@cuzk/service-kit/testing/open-test-service';
import { useTestRedis } from '@cuzk/service-kit/testing/use-test-redis';
import { afterEach, expect, it } from 'vitest';
import { GPU_WORKER_SETTINGS } from './config.ts';
import { DeviceSupervisor } from './device-supervisor.ts';

const childPath = fileURLToPath(new URL('./testing/loading-child.mjs', import.meta.url));
const sector = (name: string) => sectorShape(parseSectorSize(name));
const circuit = (name: string) => `of ${sector(name).sectorBytes}`;
type File = 'good' | 'malformed' | 'evicts' | 'dies once';

let redisUrl: string;
useTestRedis(({ options }) => {
  redisUrl = `redis://${options.host}:${options.port}`;
});
let fleet: TestFleet;
let supervisor: DeviceSupervisor;
afterEach(async () => {
  await supervisor.close();
  await fleet.close();
});

/** A supervisor whose parameter files are these; SECTOR_SIZES names `wanted`. */
async function supervise(files: Readonly<Record<string, File>>, wanted = Object.keys(files)) {
  fleet = new TestFleet(redisUrl);
  const config = loadConfig(GPU_WORKER_SETTINGS, {
    CUZK_CACHE_DIR: fleet.folder,
    FIL_PROOFS_PARAMETER_CACHE: join(fleet.folder, 'none'),
    ALLOW_DEVELOPMENT_PARAMS: '1',
    SECTOR_SIZES: wanted.join(','),
  });
  for (const [name, file] of Object.entries(files)) writeParams(name, file);
  supervisor = new DeviceSupervisor(await fleet.open('gpu-worker'), config, { childPath });
  return supervisor;
}

const paramsOf = (name: string) =>
  developmentParams({ developmentDir: join(fleet.folder, 'params') }, sector(name));

/** How often the device was asked to load a file. */
const loadsOf = (name: string): number =>
  readFileSync(`${paramsOf(name).paramsPath}.loads`, 'utf8').length;

function writeParams(name: string, file: File, key = 'a key'): void {
  const { paramsPath, vkPath } = paramsOf(name);
  mkdirSync(dirname(paramsPath), { recursive: true });
  writeFileSync(paramsPath, `a key${file}`);
  writeFileSync(vkPath, key);
}

it('a process that dies in the middle of a load is replaced, and loads all again', async () => {
  const device = await supervise({ '2KiB': 'good', '8MiB': 'dies once' });
  const started = device.start();
  const first = await eventually(() => device.circuits().includes(circuit('2KiB')) && device.pid);
  await started;
  // of what was on the lost device nothing is offered
  expect([device.ready, device.circuits(), device.pid]).toEqual([false, [], undefined]);
  await eventually(() => device.ready && device.circuits().length === 2);
  expect(device.pid).not.toBe(first);
  expect(device.circuits()).toEqual([circuit('2KiB'), circuit('8MiB')]);
  expect(await device.held()).toHaveLength(2);
});

it('a proof says what it was made with, also where the circuit is gone by then', async () => {
  const device = await supervise({ '2KiB': 'good' });
  await device.start();
  const { sectorBytes } = sector('2KiB');
  const witness = { path: 'none', artifact: { ref: 'none', bytes: 1, sha256: '' } };
  const proving = device.prove(sectorBytes, witness, new AbortController().signal, {
    onUploaded: () => {},
    onBegun: () => {},
  });
  expect(await device.evict(sector('2KiB'))).toBe(true);
  expect(await proving).toMatchObject({
    parameters: 'insecure-development',
    residency: residencyText(null),
  });
});

it('a damaged file keeps its own circuit away and no other one', async () => {
  const device = await supervise({ '2KiB': 'malformed', '8MiB': 'good' });
  await device.start();
  expect([device.ready, device.status]).toEqual([true, 'ready']);
  expect(device.circuits()).toEqual([circuit('8MiB')]);
  await expect(device.preload(sector('2KiB'))).rejects.toMatchObject({
    code: 'PARAMS_MALFORMED',
    message: expect.stringContaining('section a: truncated'),
  });
  expect(device.circuits()).toEqual([circuit('8MiB')]);
  // the same file was not read for that again
  expect(loadsOf('2KiB')).toBe(1);
  writeParams('2KiB', 'good');
  await device.preload(sector('2KiB'));
  expect(device.circuits()).toHaveLength(2);
  expect(loadsOf('2KiB')).toBe(2);
});

it('a file that was refused is read again by a new device process', async () => {
  const device = await supervise({ '2KiB': 'malformed', '8MiB': 'good' });
  await device.start();
  expect([device.ready, loadsOf('2KiB')]).toEqual([true, 1]);
  const first = device.pid as number;
  process.kill(first, 'SIGKILL');
  await eventually(() => device.ready && device.pid !== first);
  expect(loadsOf('2KiB')).toBe(2);
  expect(device.circuits()).toEqual([circuit('8MiB')]);
});

it('a file whose head is not the key beside it is refused before the device sees it', async () => {
  const device = await supervise({ '2KiB': 'good', '8MiB': 'good' });
  writeParams('2KiB', 'good', 'other');
  await device.start();
  expect(device.circuits()).toEqual([circuit('8MiB')]);
  await expect(device.preload(sector('2KiB'))).rejects.toMatchObject({
    code: 'PARAMS_MALFORMED',
    message: expect.stringContaining('of different setups'),
  });
});

it('the only file damaged: not ready, and the status says what is wrong with it', async () => {
  const device = await supervise({ '2KiB': 'malformed' });
  await device.start();
  expect(device.ready).toBe(false);
  expect(device.status).toContain('section a: truncated');
});

it('what was evicted for a load that failed is no longer offered, and loaded again', async () => {
  const device = await supervise({ '2KiB': 'good', '8MiB': 'evicts' }, ['2KiB']);
  await device.start();
  expect(device.circuits()).toEqual([circuit('2KiB')]);
  await expect(device.preload(sector('8MiB'))).rejects.toMatchObject({ code: 'PARAMS_MALFORMED' });
  expect([device.ready, device.circuits()]).toEqual([false, []]);
  await eventually(() => device.circuits().includes(circuit('2KiB')));
});
