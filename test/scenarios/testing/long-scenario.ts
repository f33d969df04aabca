import { it } from 'vitest';

const ALL = process.env.SLOW === '1';

/** `it` for a scenario that takes long: left out unless all are asked for, and then it says so. */
export function itLong(claim: string, run: () => Promise<void>, timeoutMs = 600_000): void {
  if (!ALL) console.log(`skipped: "${claim}" takes long: npm run test:scenario -- --all`);
  it.skipIf(!ALL)(claim, { timeout: timeoutMs }, run);
}
