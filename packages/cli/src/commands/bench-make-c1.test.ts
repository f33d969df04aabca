import { createHash } from 'node:crypto';
import { existsSync, mkdtempSync, readdirSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { checkC1 } from '@cuzk/core/porep/c1-check';
import { proverIdOfActor } from '@cuzk/core/porep/replica-id';
import { nodeHashes } from '@cuzk/service-kit/circuits/node-hashes';
import { describe, expect, it } from 'vitest';
import { runCommandLine, runJson } from '../testing/run-program.ts';

const slow = process.env.SLOW === '1';
if (!slow) console.log('cuzk bench make-c1: 32 GiB and 64 GiB are made with SLOW=1 only');

const folder = mkdtempSync(join(tmpdir(), 'cuzk-make-c1-'));
const makeC1 = (sector: string, out: string, ...more: string[]) =>
  runJson(['bench', 'make-c1', '--sector', sector, '--out', join(folder, out), ...more]);

async function checkedPartitions(file: string, actor: bigint, sectorId: bigint): Promise<number> {
  const { partitions } = await checkC1([readFileSync(join(folder, file))], {
    proverId: proverIdOfActor(actor),
    sectorId,
    hashes: nodeHashes,
    onPartition: () => {},
  });
  return partitions;
}

describe('cuzk bench make-c1', () => {
  it.each([
    ['2KiB', 'V1', 1],
    ['2KiB', 'Synthetic', 1],
    ['2KiB', 'NonInteractive', 13],
    ['8MiB', 'V1_1', 1],
  ])('writes a C1 of %s %s that passes every check', async (sector, variant, partitions) => {
    const out = `${sector}-${variant}.json`;
    const { value, exitCode } = await makeC1(
      sector,
      out,
      ...['--variant', variant, '--miner', 't0123', '--sector-number', '45'],
    );
    expect(exitCode).toBe(0);
    const bytes = readFileSync(join(folder, out));
    const sha256 = createHash('sha256').update(bytes).digest('hex');
    expect(value).toMatchObject({ bytes: bytes.length, sha256, partitions, sectorNumber: '45' });
    expect(await checkedPartitions(out, 123n, 45n)).toBe(partitions);
    await expect(checkedPartitions(out, 123n, 46n)).rejects.toThrow(/replica_id/);
  });

  it('writes the same bytes for the same seed only', async () => {
    const seeds = ['5', '5', '6'];
    const runs = await Promise.all(
      seeds.map((seed, i) => makeC1('2KiB', `seed-${i}.json`, '--seed', seed)),
    );
    const [a, b, c] = runs.map(({ value }) => value.sha256);
    expect(a).toBe(b);
    expect(a).not.toBe(c);
  });

  it.each([
    ['32GiB', ['--variant', 'Synthetic'], /cannot be made up, only sealed/],
    ['4KiB', [], /no C1 of this sector size/],
    ['2KiB', ['--seed', '-1'], /seed is not a number/],
    ['2KiB', ['--variant', 'V2'], /Allowed choices/],
    ['2KiB', ['--miner', 'f1abc'], /not an ID address/],
  ])('refuses %s %j and writes nothing', async (sector, more, message) => {
    const { value, exitCode } = await makeC1(sector, 'refused.json', ...more);
    expect(exitCode).toBe(1);
    expect(value).toMatchObject({ code: 'REQUEST_INVALID' });
    expect(value.message).toMatch(message);
    expect(existsSync(join(folder, 'refused.json'))).toBe(false);
  });

  it('says so where it cannot write', async () => {
    const { value } = await makeC1('2KiB', 'no-such-folder/c1.json');
    expect(value).toMatchObject({ code: 'REQUEST_INVALID' });
    expect(value.message).toMatch(/cannot be written/);
  });

  it('leaves no partial file and tells people size, time and digest', async () => {
    const out = join(folder, 'plain.json');
    const argv = ['bench', 'make-c1', '--sector', '2KiB', '--out', out];
    const { stdout, exitCode } = await runCommandLine(argv);
    expect(exitCode).toBe(0);
    expect(stdout).toMatch(/plain\.json: \d+ bytes in \d+\.\d s, sha256 [0-9a-f]{64}\n/);
    expect(readdirSync(folder).filter((name) => name.includes('partial'))).toEqual([]);
  });

  it.skipIf(!slow).each(['32GiB', '64GiB'])(
    'makes %s, ten partitions, in bounded memory',
    async (sector) => {
      const out = `${sector}.json`;
      const { value } = await makeC1(sector, out);
      const { bytes, seconds, peakRssBytes } = value;
      console.log(
        `${sector}: ${bytes} bytes in ${Number(seconds).toFixed(1)} s, ` +
          `at most ${(Number(peakRssBytes) / 2 ** 20).toFixed(0)} MiB in this process`,
      );
      expect(bytes).toBeGreaterThan(38e6);
      expect(await checkedPartitions(out, 1000n, 1n)).toBe(10);
    },
    600_000,
  );
});
