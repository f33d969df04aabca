#!/usr/bin/env node
// Launcher that is checked in, so that `npx --no cuzk` works before and after a build.
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const main = new URL('../dist/main.js', import.meta.url);
if (!existsSync(fileURLToPath(main))) {
  process.stderr.write('cuzk is not built yet: run `npm run build` in the repository root.\n');
  process.exit(1);
}
await import(main.href);
