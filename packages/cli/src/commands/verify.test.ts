import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parameterFileName } from '@cuzk/core/porep/circuit-id';
import { parseSectorSize, sectorShape } from '@cuzk/core/porep/sector';
import { beforeAll, describe, expect, it } from 'vitest';
import { repositoryFile, runCommandLine, runJson } from '../testing/run-program.ts';

const c1 = repositoryFile('examples/c1/2KiB-V1_1-a/c1.json');
const vk = repositoryFile('packages/core/vectors/params/2KiB.vk');
const shape = sectorShape(parseSectorSize('2KiB'));

describe('cuzk verify', () => {
  let folder = '';
  let proof = '';
  const command = (file: string, sector = '1', ...more: string[]) => [
    ...['verify', file, '--c1', c1, '--miner', 'f01000', '--sector-number', sector],
    ...more,
  ];
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'cuzk-verify-'));
    proof = join(folder, 'proof.bin');
    const expected = readFileSync(repositoryFile('examples/c1/2KiB-V1_1-a/expected.json'), 'utf8');
    writeFileSync(proof, Buffer.from(JSON.parse(expected).developmentProof.proof, 'hex'));
  });

  it('accepts the golden proof', async () => {
    expect(await runJson(command(proof, '1', '--vk', vk))).toEqual({
      value: {
        verified: true,
        registeredProof: 'StackedDrg2KiBV1_1',
        partitions: 1,
        parameters: 'unknown',
      },
      exitCode: 0,
    });
  });

  it('answers no, with exit code 1, for another sector', async () => {
    const { value, exitCode } = await runJson(command(proof, '2', '--vk', vk));
    expect({ verified: value.verified, exitCode }).toEqual({ verified: false, exitCode: 1 });
  });

  it('refuses bytes that are no proof', async () => {
    const short = join(folder, 'short.bin');
    writeFileSync(short, readFileSync(proof).subarray(0, 191));
    const { value, exitCode } = await runJson(command(short, '1', '--vk', vk));
    expect(exitCode).toBe(1);
    expect(value).toMatchObject({ code: 'PROOF_MALFORMED', found: '191 bytes' });
  });

  it('takes the development key of this machine only where it is allowed', async () => {
    const params = join(folder, 'params');
    mkdirSync(params, { recursive: true });
    copyFileSync(vk, join(params, `insecure-development-${parameterFileName(shape, 'vk')}`));
    const environment = { CUZK_CACHE_DIR: folder, FIL_PROOFS_PARAMETER_CACHE: folder };
    const refused = await runJson(command(proof), environment);
    expect(refused.value.code).toBe('PARAMS_MISSING');
    const allowed = { ...environment, ALLOW_DEVELOPMENT_PARAMS: '1' };
    const { value } = await runJson(command(proof), allowed);
    expect(value).toMatchObject({ verified: true, parameters: 'insecure-development' });
  });

  it('refuses a production key that is not the published one', async () => {
    const productionDir = join(folder, 'production');
    mkdirSync(productionDir);
    copyFileSync(vk, join(productionDir, parameterFileName(shape, 'vk')));
    const { value } = await runJson(command(proof), { FIL_PROOFS_PARAMETER_CACHE: productionDir });
    expect(value.code).toBe('PARAMS_DIGEST_MISMATCH');
  });

  it.each([
    ['a miner that is no ID address', ['--miner', 'f1abc'], 'REQUEST_INVALID'],
    ['a sector number that is none', ['--sector-number', '-1'], 'REQUEST_INVALID'],
    ['a C1 that is not there', ['--c1', '/nowhere/c1.json'], 'REQUEST_INVALID'],
    ['a C1 that is not JSON', ['--c1', vk], 'C1_NOT_JSON'],
  ])('refuses %s', async (_what, wrong, code) => {
    const { stderr, exitCode } = await runCommandLine([
      ...command(proof, '1', '--vk', vk),
      ...wrong,
    ]);
    expect(exitCode).toBe(1);
    expect(stderr).toContain(`[${code}]`);
  });
});
