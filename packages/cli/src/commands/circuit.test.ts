import { describe, expect, it } from 'vitest';
import { readGolden, runJson } from '../testing/run-program.ts';

const QUICK = ['2KiB'];
const SLOW = ['4KiB', '16KiB', '32KiB', '8MiB', '16MiB', '512MiB', '1GiB'];
const slow = process.env.SLOW === '1';
if (!slow) console.log(`cuzk circuit: ${SLOW.join(', ')} run with SLOW=1 only`);

describe('cuzk circuit', () => {
  it.each(slow ? [...QUICK, ...SLOW] : QUICK)('runs the golden circuit of %s', async (size) => {
    const golden = readGolden(`shape/${size}.json`);
    const { inputs, aux, constraints } = golden as Record<string, number>;
    const expected = {
      inputs,
      aux,
      constraints,
      rows: (inputs ?? 0) + (constraints ?? 0),
      r1csHash: golden.r1cs_hash_blake2s256,
    };
    const command = ['circuit', '--sector', size];
    expect(await runJson([...command, '--no-cache'])).toEqual({ value: expected, exitCode: 0 });
    if (slow) expect(await runJson(command)).toEqual({ value: expected, exitCode: 0 });
  });
});
