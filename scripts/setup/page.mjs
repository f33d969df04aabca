import { existsSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

const PAGE = 'services/api/web';
const PUBLIC = 'services/api/public';
/** What the page is made of: its own files, and what it imports of the packages. */
const SOURCES = [
  PAGE,
  'services/api/src/status',
  'packages/core/src',
  'packages/service-kit/src/record',
];

/** Bundles the live page when a source is newer than the last bundle, or when `force` is set. */
export async function buildPage(root, say, { force = false } = {}) {
  const index = join(root, PUBLIC, 'index.html');
  if (!force && existsSync(index) && newest(root) < statSync(index).mtimeMs) return;
  say('vite (bundles the live page)');
  const { build } = await import('vite');
  await build({
    root: join(root, PAGE),
    configFile: false,
    logLevel: 'warn',
    publicDir: false,
    // The packages' sources, so that the page does not wait for the compiler.
    resolve: { conditions: ['@cuzk/source', 'module', 'browser', 'import'] },
    oxc: { jsx: { runtime: 'automatic', importSource: 'preact' } },
    worker: { format: 'es' },
    build: {
      outDir: join(root, PUBLIC),
      emptyOutDir: true,
      target: 'es2023',
      // Inlined files would need a laxer content security policy.
      assetsInlineLimit: 0,
      modulePreload: { polyfill: false },
      reportCompressedSize: false,
    },
  });
}

function newest(root) {
  const times = SOURCES.flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile() && !entry.name.endsWith('.test.ts'))
      .map((entry) => statSync(join(entry.parentPath, entry.name)).mtimeMs),
  );
  return Math.max(statSync(fileURLToPath(import.meta.url)).mtimeMs, ...times);
}

// `npm run build:page`
if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  const root = fileURLToPath(new URL('../..', import.meta.url));
  await buildPage(root, (line) => process.stderr.write(`${line}\n`), { force: true });
}
