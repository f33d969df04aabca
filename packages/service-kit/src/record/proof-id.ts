import { randomBytes } from 'node:crypto';

/** `prf_` and a UUID version 7: sorts by time of creation. */
export function newProofId(unixMs: number = Date.now()): string {
  const bytes = randomBytes(16);
  bytes.writeUIntBE(unixMs, 0, 6);
  bytes[6] = 0x70 | ((bytes[6] as number) & 0x0f);
  bytes[8] = 0x80 | ((bytes[8] as number) & 0x3f);
  const hex = bytes.toString('hex');
  const groups = [0, 8, 12, 16, 20, 32];
  return `prf_${groups
    .slice(1)
    .map((end, i) => hex.slice(groups[i], end))
    .join('-')}`;
}

const PROOF_ID = /^prf_[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

export const isProofId = (text: string): boolean => PROOF_ID.test(text);
