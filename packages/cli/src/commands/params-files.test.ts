import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { open } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { layOutParams } from '@cuzk/core/groth16/params-layout';
import { parseSectorSize, sectorShape } from '@cuzk/core/porep/sector';
import {
  developmentParams,
  type ParamsLocation,
  productionParams,
} from '@cuzk/service-kit/circuits/params-folder';
import {
  canMountDisks,
  mountSmallDisk,
  unmountSmallDisks,
} from '@cuzk/service-kit/testing/small-disk';
import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import { repositoryFile, runCommandLine, runJson } from '../testing/run-program.ts';

const sector = sectorShape(parseSectorSize('2KiB'));
/** Of development parameters. */
const vk = readFileSync(repositoryFile('packages/core/vectors/params/2KiB.vk'));
/** Points of a 2 KiB parameter file (spec §4.7). */
const { sections, sizeBytes } = layOutParams({
  ...{ inputs: 40, h: 2 ** 22 - 1, l: 2_685_673 },
  ...{ a: 2_674_948, b: 685_522 },
});

const productionDir = mkdtempSync(join(tmpdir(), 'cuzk-production-'));
const environment = { FIL_PROOFS_PARAMETER_CACHE: productionDir };
const production = productionParams({ productionDir }, sector);
let development: ParamsLocation;

/** A file with the key and the counts of real parameters and without points, which takes no disk. */
async function writeParams({ paramsPath, vkPath }: ParamsLocation): Promise<void> {
  mkdirSync(dirname(paramsPath), { recursive: true });
  writeFileSync(vkPath, vk);
  writeFileSync(paramsPath, vk);
  truncateSync(paramsPath, sizeBytes);
  const file = await open(paramsPath, 'r+');
  for (const { offset, count } of Object.values(sections)) {
    const bytes = Buffer.alloc(4);
    bytes.writeUInt32BE(count);
    await file.write(bytes, 0, 4, offset - 4);
  }
  await file.close();
}

const check = (...more: string[]) =>
  runJson(['params', 'check', '--sector', '2KiB', ...more], environment);
/** The one problem that a check found. */
async function problem(): Promise<Record<string, string>> {
  const { value, exitCode } = await check();
  expect(exitCode).toBe(1);
  const { good, checked } = value as { good: boolean; checked: { problem: never }[] };
  expect({ good, files: checked.length }).toEqual({ good: false, files: 1 });
  return checked[0]?.problem ?? {};
}

beforeAll(async () => {
  // Compiled once, so that the checks find it.
  await runJson(['circuit', '--sector', '2KiB']);
  const { value } = await runJson(['params', 'status'], environment);
  development = developmentParams({ developmentDir: String(value.developmentDir) }, sector);
}, 120_000);
afterEach(() => {
  for (const { paramsPath, vkPath } of [production, development]) {
    rmSync(paramsPath, { force: true });
    rmSync(vkPath, { force: true });
  }
});

describe('cuzk params status', () => {
  it('says what is there and what Filecoin publishes', async () => {
    await writeParams(development);
    const { value } = await runJson(['params', 'status'], environment);
    const sectors = value.sectors as { sector: string }[];
    expect(sectors.find((entry) => entry.sector === '2KiB')).toMatchObject({
      published: true,
      production: { paramsBytes: null, vkBytes: null, digestChecked: false },
      development: { paramsBytes: sizeBytes, vkBytes: vk.length },
    });
    expect(sectors.find((entry) => entry.sector === '4KiB')).toMatchObject({ published: false });
    const { stdout } = await runCommandLine(['params', 'status'], environment);
    expect(stdout).toMatch(/2KiB +production: none; insecure-development: 1\.04 GiB/);
  });
});

describe('cuzk params check', () => {
  it('finds good what has the layout of the circuit and its key', async () => {
    await writeParams(development);
    const { value, exitCode } = await check();
    expect({ value, exitCode }).toMatchObject({
      exitCode: 0,
      value: { good: true, checked: [{ kind: 'insecure-development', bytes: sizeBytes }] },
    });
  });

  it('finds a key of another setup', async () => {
    await writeParams(development);
    const other = Buffer.from(vk);
    other[100] ^= 1;
    writeFileSync(development.vkPath, other);
    expect(await problem()).toMatchObject({ code: 'PARAMS_MALFORMED' });
  });

  it('names the section that is cut off, and the one with other counts', async () => {
    await writeParams(development);
    truncateSync(development.paramsPath, sizeBytes - 1);
    expect((await problem()).message).toContain('section bG2');
    await writeParams(development);
    const file = await open(development.paramsPath, 'r+');
    await file.write(Buffer.from([0, 0, 0, 5]), 0, 4, sections.h.offset - 4);
    await file.close();
    expect((await problem()).message).toContain('section');
  });

  it('finds production files that are not the published ones', async () => {
    await writeParams(production);
    expect(await problem()).toMatchObject({ code: 'PARAMS_DIGEST_MISMATCH' });
  });

  it('says that there is nothing to check', async () => {
    expect(await check()).toMatchObject({ exitCode: 1, value: { code: 'PARAMS_MISSING' } });
    const all = await runJson(['params', 'check', '--full'], environment);
    expect(all).toMatchObject({ exitCode: 0, value: { good: true, checked: [] } });
  });
});

describe.skipIf(!canMountDisks())('cuzk params make', () => {
  it('says before it opens a device that the disk has too little room, with the bytes needed and found', async () => {
    const folder = mountSmallDisk('1m') as string;
    const { value, exitCode } = await runJson(
      ['params', 'make', '--sector', '2KiB', '--out', folder],
      { ...environment, GPU: 'hardware' },
    );
    expect({ value, exitCode }).toMatchObject({
      exitCode: 1,
      value: {
        code: 'DISK_FULL',
        expected: `${sizeBytes} bytes free in ${folder}`,
        found: '1048576 bytes',
      },
    });
    expect(readdirSync(folder)).toEqual([]);
    unmountSmallDisks();
  });
});

describe('cuzk params fetch', () => {
  it('asks the mirror for the file by name, and keeps nothing that is not published', async () => {
    const asked: string[] = [];
    const server = createServer((request, response) => {
      asked.push(request.url ?? '');
      response.end(vk);
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/params`;
    const argv = ['params', 'fetch', '--sector', '2KiB'];
    const { value } = await runJson(argv, { ...environment, PARAMETER_MIRRORS: url });
    server.close();
    expect(value).toMatchObject({ code: 'PARAMS_DIGEST_MISMATCH' });
    expect(asked).toEqual([`/params/${basename(production.vkPath)}`]);
    const { value: status } = await runJson(['params', 'status'], environment);
    expect(JSON.stringify(status)).not.toContain(`"vkBytes":${vk.length}`);
  });

  it('refuses sizes without published parameters, and mirrors that are none', async () => {
    const small = await runJson(['params', 'fetch', '--sector', '4KiB'], environment);
    expect(small.value).toMatchObject({ code: 'REQUEST_INVALID' });
    const argv = ['params', 'fetch', '--sector', '2KiB', '--mirrors', '/srv/params'];
    expect((await runJson(argv, environment)).value).toMatchObject({ code: 'CONFIG_INVALID' });
  });
});
