import { readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';

/**
 * Unit tests that take more than some seconds each: whole circuits, whole witnesses, all golden records. `npm test`
 * runs them; the quick set has the same checks on smaller pieces.
 */
const LONG = [
  'packages/cli/src/commands/circuit.test.ts',
  'packages/cli/src/commands/witness.test.ts',
  'packages/core/src/gadgets/golden-gadgets.test.ts',
  'packages/core/src/gadgets/merkle-inclusion.test.ts',
  'packages/core/src/gadgets/sha256.test.ts',
  'packages/core/src/groth16/golden-circuits.test.ts',
  'packages/core/src/porep/circuit-shape.test.ts',
  'packages/core/src/porep/circuit-witness.test.ts',
  'packages/core/src/porep/public-inputs.test.ts',
  'packages/core/src/porep/stacked-circuit.test.ts',
  'packages/core/src/porep/synthesize.test.ts',
  'packages/core/src/porep/synthetic/synthetic-circuit.test.ts',
  'packages/core/src/porep/synthetic/synthetic-sector.test.ts',
  'scripts/deploy/compose.test.ts',
  'scripts/docs/commands.test.ts',
];

/** A test that starts a Redis names the class that does it. */
const STARTS_REDIS = /\bTestRedis\b/;

/** Unit tests of the repository: those of the quick set, and why each other one is left out. */
export function chooseQuickTests(root) {
  const files = ['packages', 'services', 'scripts'].flatMap((folder) =>
    testFiles(join(root, folder)),
  );
  const quick = [];
  const leftOut = [];
  for (const file of files) {
    const path = relative(root, file);
    if (LONG.includes(path)) leftOut.push({ path, why: 'long' });
    else if (STARTS_REDIS.test(readFileSync(file, 'utf8'))) leftOut.push({ path, why: 'Redis' });
    else quick.push(file);
  }
  return { quick, leftOut };
}

function testFiles(folder) {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) {
      return ['node_modules', 'dist'].includes(entry.name) ? [] : testFiles(path);
    }
    return entry.name.endsWith('.test.ts') && !entry.name.endsWith('.gpu.test.ts') ? [path] : [];
  });
}

export { LONG };
