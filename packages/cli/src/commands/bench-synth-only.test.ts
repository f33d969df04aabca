import { existsSync } from 'node:fs';
import { beforeAll, describe, expect, it } from 'vitest';
import type { SynthOnlyReport } from '../bench/run-synth-only.ts';
import { runCommandLine, runJson } from '../testing/run-program.ts';

/** The C1 is made by a process of its own, which runs what was built. */
const built = existsSync(new URL('../../dist/main.js', import.meta.url));
if (!built) console.log('cuzk bench synth-only: skipped, there is no build');

const synthOnly = async (...more: string[]): Promise<SynthOnlyReport> => {
  const { value } = await runJson(['bench', 'synth-only', '--sector', '2KiB', ...more]);
  return value as unknown as SynthOnlyReport;
};

describe.skipIf(!built)('cuzk bench synth-only', () => {
  let report: SynthOnlyReport;
  beforeAll(async () => {
    // Compiled once, for the digests of all aux.
    await runJson(['circuit', '--sector', '2KiB']);
    report = await synthOnly('--aux-digest');
  }, 120_000);

  it('times each partition and says what came out', () => {
    expect(report).toMatchObject({ sector: '2KiB', variant: 'V1_1', seed: '1' });
    expect(report.secondsPerPartition).toBeGreaterThan(0);
    expect(report.peakRssBytes).toBeGreaterThan(2 ** 20);
    const [partition] = report.partitions;
    expect(report.partitions).toHaveLength(1);
    // 40 inputs, 2,685,673 bits of plane, and the elements
    expect(partition?.witnessBytes).toBeGreaterThan(32 * 40 + 335_000);
    expect(partition?.auxSha256).toMatch(/^[0-9a-f]{64}$/);
  });

  it('gives the same digests for the same seed only', async () => {
    const again = await synthOnly('--aux-digest');
    const other = await synthOnly('--seed', '2');
    const digests = ({ partitions }: SynthOnlyReport) =>
      partitions.map(({ witnessSha256, auxSha256 }) => ({ witnessSha256, auxSha256 }));
    expect(digests(again)).toEqual(digests(report));
    expect(other.partitions[0]?.witnessSha256).not.toBe(report.partitions[0]?.witnessSha256);
    expect(other.partitions[0]?.auxSha256).toBeNull();
  });

  it('stops after so many partitions', async () => {
    const many = ['--variant', 'NonInteractive'];
    const two = await synthOnly(...many, '--partitions', '2');
    expect(two.partitions.map(({ index }) => index)).toEqual([0, 1]);
  });

  it('refuses what cannot be made up', async () => {
    const argv = ['bench', 'synth-only', '--sector', '32GiB', '--variant', 'Synthetic'];
    const { stderr, exitCode } = await runCommandLine(argv);
    expect(exitCode).toBe(1);
    expect(stderr).toContain('cannot be made up');
  });
});
