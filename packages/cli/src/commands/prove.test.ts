import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseSectorSize, sectorShape } from '@cuzk/core/porep/sector';
import { developmentParams } from '@cuzk/service-kit/circuits/params-folder';
import { describe, expect, it } from 'vitest';
import { repositoryFile, runJson } from '../testing/run-program.ts';

const C1 = repositoryFile('examples/c1/2KiB-V1_1-a/c1.json');
const folder = mkdtempSync(join(tmpdir(), 'cuzk-prove-'));

const prove = (out: string, environment: Record<string, string> = {}) => {
  const sector = ['--miner', 'f01000', '--sector-number', '1'];
  return runJson(['prove', C1, ...sector, '--out', out], environment);
};

describe('cuzk prove', () => {
  it('says before it proves that the proof could not be written', async () => {
    for (const out of [join(folder, 'none', 'proof.bin'), folder]) {
      const { value, exitCode } = await prove(out);
      expect([value.code, value.found, exitCode]).toEqual(['REQUEST_INVALID', out, 1]);
    }
  });

  it('says before it proves that there is no key to verify the proof with', async () => {
    const developmentDir = join(folder, 'params');
    mkdirSync(developmentDir);
    const { paramsPath, vkPath } = developmentParams(
      { developmentDir },
      sectorShape(parseSectorSize('2KiB')),
    );
    writeFileSync(paramsPath, 'not read');
    const { value } = await prove(join(folder, 'proof.bin'), {
      CUZK_CACHE_DIR: folder,
      FIL_PROOFS_PARAMETER_CACHE: join(folder, 'production'),
      ALLOW_DEVELOPMENT_PARAMS: '1',
      GPU: 'hardware', // So that a machine without one ends here at once.
    });
    expect(value).toMatchObject({ code: 'PARAMS_MISSING', expected: vkPath });
  });
});
