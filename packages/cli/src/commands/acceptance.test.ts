import { createHash } from 'node:crypto';
import {
  copyFileSync,
  existsSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { parseSectorSize, sectorShape } from '@cuzk/core/porep/sector';
import { developmentParams, productionParams } from '@cuzk/service-kit/circuits/params-folder';
import { afterAll, describe, expect, it } from 'vitest';
import type { AcceptanceReport } from '../acceptance/run-acceptance.ts';
import { repositoryFile, runCommandLine, runJson } from '../testing/run-program.ts';

const sector = sectorShape(parseSectorSize('2KiB'));
const vk = readFileSync(repositoryFile('packages/core/vectors/params/2KiB.vk'));
const folder = mkdtempSync(join(tmpdir(), 'cuzk-acceptance-'));
const { paramsPath, vkPath } = productionParams({ productionDir: folder }, sector);
const parametersJson = join(folder, 'parameters.json');
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const digestOf = (bytes: Uint8Array): string =>
  createHash('blake2b512').update(bytes).digest('hex').slice(0, 32);
/** A parameters.json of our own, so that any files can play the published ones. */
const publish = (params: string, key: string): void => {
  const entry = (digest: string) => ({ cid: 'Qm', digest, sector_size: 2048 });
  const listed = { [basename(paramsPath)]: entry(params), [basename(vkPath)]: entry(key) };
  writeFileSync(parametersJson, JSON.stringify(listed));
};
const environment = { FIL_PROOFS_PARAMETER_CACHE: folder, GPU: 'software' };
const accept = async (more: readonly string[] = [], settings: NodeJS.ProcessEnv = environment) => {
  const argv = ['acceptance', '--sector', '2KiB', '--parameters-json', parametersJson, ...more];
  const { value, exitCode } = await runJson(argv, settings);
  return { report: value as unknown as AcceptanceReport, exitCode };
};
/** The check that failed, which must be the last one, and its code. */
const failure = ({ checks, passed }: AcceptanceReport) => {
  expect({ passed, failed: checks.filter((check) => !check.passed).length }).toEqual({
    passed: false,
    failed: 1,
  });
  const last = checks.at(-1);
  return { name: last?.name, code: last?.problem?.code };
};

describe('cuzk acceptance', () => {
  it('says which file is not the published one, and goes no further', async () => {
    publish(digestOf(vk), digestOf(vk));
    const missing = await accept();
    expect(missing.exitCode).toBe(1);
    expect(failure(missing.report)).toEqual({
      name: '.vk has its published digest',
      code: 'PARAMS_MISSING',
    });
    writeFileSync(vkPath, vk.subarray(1));
    expect(failure((await accept()).report).code).toBe('PARAMS_DIGEST_MISMATCH');
    writeFileSync(vkPath, vk);
    writeFileSync(paramsPath, vk.subarray(1));
    expect(failure((await accept()).report)).toEqual({
      name: '.params has its published digest',
      code: 'PARAMS_DIGEST_MISMATCH',
    });
  });

  it('finds a key that is of another setup than the parameters', async () => {
    const other = Buffer.from(vk);
    other[100] ^= 1;
    writeFileSync(paramsPath, other);
    writeFileSync(vkPath, vk);
    publish(digestOf(other), digestOf(vk));
    expect(failure((await accept()).report)).toEqual({
      name: 'key and parameters belong together',
      code: 'PARAMS_MALFORMED',
    });
  });

  it('needs digests: those it was built with, or a list that names both files', async () => {
    writeFileSync(parametersJson, '{}');
    expect(failure((await accept()).report).code).toBe('PARAMS_MISSING');
    const { value } = await runJson(['acceptance', '--sector', '4KiB'], environment);
    expect(failure(value as unknown as AcceptanceReport).code).toBe('PARAMS_MISSING');
    const { stdout } = await runCommandLine(['acceptance', '--sector', '2KiB'], environment);
    expect(stdout).toMatch(/FAIL .*\.vk has its published digest.*PARAMS_DIGEST_MISMATCH/);
    expect(stdout).toContain('2KiB V1_1: NOT ACCEPTED');
  });

  it('verifies a C2 only with all that it is a proof of', async () => {
    const { value } = await runJson(
      ['acceptance', '--sector', '2KiB', '--proof', 'proof.bin'],
      environment,
    );
    expect(value).toMatchObject({ code: 'REQUEST_INVALID', found: '1 of the four' });
  });
});

const cacheDir = join(homedir(), '.cache', 'cuzk');
const made = developmentParams({ developmentDir: join(cacheDir, 'params') }, sector);
const slow = process.env.SLOW === '1' && existsSync(made.paramsPath);
if (!slow)
  console.log(
    'a whole acceptance at 2 KiB: left out, it takes minutes; set SLOW=1 after npm run demo',
  );

it.skipIf(!slow)(
  'accepts files that play the published ones, by a proof of its own and one that is given',
  async () => {
    rmSync(paramsPath, { force: true });
    symlinkSync(made.paramsPath, paramsPath);
    copyFileSync(made.vkPath, vkPath);
    publish(digestOf(readFileSync(made.paramsPath)), digestOf(vk));
    const proof = join(folder, 'proof.bin');
    const example = repositoryFile('examples/c1/2KiB-V1_1-a');
    const expected = JSON.parse(readFileSync(join(example, 'expected.json'), 'utf8'));
    writeFileSync(proof, Buffer.from(expected.developmentProof.proof, 'hex'));
    const known = ['--proof', proof, '--c1', join(example, 'c1.json'), '--miner', 'f01000'];
    const settings = { ...environment, CUZK_CACHE_DIR: cacheDir };
    const good = await accept([...known, '--sector-number', '1', '--gpu-memory', '1GiB'], settings);
    expect(good.report).toMatchObject({ passed: true, partitions: 1, digests: parametersJson });
    expect(good.report.residency).toContain('streamed');
    expect(good.report.peakDeviceBytes).toBeLessThan(2 ** 30);
    expect(good.exitCode).toBe(0);
  },
  900_000,
);
