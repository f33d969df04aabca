// Makes this checkout ready to run: npm packages, build, Redis, software GPU driver. Running it again does
// nothing that is already done. Everything it prints goes to stderr.
import { fileURLToPath, pathToFileURL } from 'node:url';
import { build } from './setup/build.mjs';
import { requireNode } from './setup/node-version.mjs';
import { installNpmPackages } from './setup/npm-packages.mjs';
import { installSystemPackages } from './setup/system-packages.mjs';

export const ROOT = fileURLToPath(new URL('..', import.meta.url));

/** `system: false` leaves Redis and drivers out: unit tests need neither. */
export async function setUp({ system = true } = {}) {
  requireNode();
  const say = (line) => process.stderr.write(`set-up: ${line}\n`);
  try {
    if (system) say(await installSystemPackages(say));
    say(await installNpmPackages(ROOT, say));
    await build(ROOT, say);
  } catch (error) {
    process.stderr.write(`${error.message}\n`);
    process.exit(1);
  }
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) await setUp();
