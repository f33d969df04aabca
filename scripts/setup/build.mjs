import { existsSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { buildPage } from './page.mjs';
import { runCommand } from './run-command.mjs';

/** Builds what is stale. The compiler's own records decide, except where somebody removed a dist folder. */
export async function build(root, say) {
  for (const folder of projectFolders(root)) {
    const record = join(folder, 'tsconfig.tsbuildinfo');
    if (existsSync(record) && !existsSync(join(folder, 'dist'))) rmSync(record);
  }
  say('tsc -b (compiles what changed)');
  const compiler = join(root, 'node_modules', 'typescript', 'bin', 'tsc');
  await runCommand([process.execPath, compiler, '-b'], { cwd: root });
  await buildPage(root, say);
}

function projectFolders(root) {
  return ['packages', 'services'].flatMap((parent) =>
    readdirSync(join(root, parent)).map((name) => join(root, parent, name)),
  );
}
