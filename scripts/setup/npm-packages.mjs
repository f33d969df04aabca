import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { runCommand } from './run-command.mjs';

/**
 * Names that package-lock.json asks for and node_modules does not hold in that version. npm leaves a lock of
 * what it installed in node_modules; packages for other platforms (optional) are missing there rightly.
 */
export function missingPackages(root) {
  const wanted = readLock(join(root, 'package-lock.json'));
  const present = readLock(join(root, 'node_modules', '.package-lock.json'));
  return Object.entries(wanted)
    .filter(([path, entry]) => path.startsWith('node_modules/') && !entry.optional)
    .filter(([path, entry]) => {
      const found = present[path];
      if (found === undefined || !existsSync(join(root, path))) return true;
      return !entry.link && found.version !== entry.version;
    })
    .map(([path]) => path.slice('node_modules/'.length));
}

/** Installs exactly the locked packages when some are missing or of another version. Returns what it did. */
export async function installNpmPackages(root, say) {
  const missing = missingPackages(root);
  if (missing.length === 0) return 'npm packages are installed';
  say(`npm ci (${missing.length} packages missing or of another version)`);
  const npm = process.platform === 'win32' ? 'npm.cmd' : 'npm';
  await runCommand([npm, 'ci', '--no-audit', '--no-fund'], { cwd: root });
  return 'npm packages installed';
}

function readLock(file) {
  if (!existsSync(file)) return {};
  const { packages = {} } = JSON.parse(readFileSync(file, 'utf8'));
  return packages;
}
