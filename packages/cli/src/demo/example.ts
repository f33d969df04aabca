import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { SectorC1 } from '../verify/verify-c1-proof.ts';

/** The same relative path holds from src/ and dist/. */
const EXAMPLES = new URL('../../../../examples/c1/', import.meta.url);

/** A real 2 KiB C1 and whose sector it is. */
export function demoExample(): SectorC1 {
  const folder = new URL('2KiB-V1_1-a/', EXAMPLES);
  const expected = JSON.parse(readFileSync(new URL('expected.json', folder), 'utf8')) as {
    readonly miner: string;
    readonly sectorId: string;
  };
  return {
    c1File: fileURLToPath(new URL('c1.json', folder)),
    miner: expected.miner,
    sectorNumber: String(expected.sectorId),
  };
}
