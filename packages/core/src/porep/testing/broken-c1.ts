import type { BrokenC1 } from './break-c1.ts';
import { CONTENT, COUNTS } from './broken-content.ts';
import { NOT_JSON, STRUCTURE, VALUES } from './broken-form.ts';
import { TAMPERED } from './broken-seal.ts';

/** The sector that every broken document claims to be; it is the case 2KiB-V1_1-a. */
export const BROKEN_C1_SECTOR = { miner: 'f01000', sectorId: '1' };

export const BROKEN_C1S: readonly BrokenC1[] = [
  ...NOT_JSON,
  ...STRUCTURE,
  ...VALUES,
  ...COUNTS,
  ...CONTENT,
  ...TAMPERED,
];
