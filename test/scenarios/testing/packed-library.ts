import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const repository = fileURLToPath(new URL('../../../', import.meta.url));
/** What the packages need of others; the network is not asked. */
const DEPENDENCIES = ['@noble', '@types', '@webgpu', 'undici-types', 'webgpu'];

export interface ScratchProject {
  readonly folder: string;
  /** Runs a program of the repository's node_modules, or `node`, there; throws with its output where it fails. */
  run(program: string, args: readonly string[], environment?: Record<string, string>): string;
  remove(): void;
}

/** Nothing here takes a minute; a program that waits for something fails the test. */
const PROGRAM_TIMEOUT_MS = 150_000;

/**
 * The example as a project of its own outside the repository, with @cuzk/core and @cuzk/gpu unpacked as npm packs them.
 */
export function unpackOwnCircuit(): ScratchProject {
  const folder = mkdtempSync(join(tmpdir(), 'cuzk-own-circuit-'));
  const modules = join(folder, 'node_modules');
  for (const name of ['core', 'gpu']) {
    const target = join(modules, '@cuzk', name);
    mkdirSync(target, { recursive: true });
    const cwd = join(repository, 'packages', name);
    const packed = execFileSync('npm', ['pack', '--silent', '--pack-destination', folder], { cwd });
    const archive = join(folder, packed.toString().trim().split('\n').at(-1) ?? '');
    execFileSync('tar', ['-xzf', archive, '-C', target, '--strip-components=1']);
  }
  for (const name of DEPENDENCIES) {
    symlinkSync(join(repository, 'node_modules', name), join(modules, name));
  }
  cpSync(join(repository, 'examples/own-circuit'), folder, { recursive: true });
  return {
    folder,
    run: (program, args, environment = {}) => {
      const [file, first] =
        program === 'node'
          ? [process.execPath, []]
          : [process.execPath, [join(repository, 'node_modules', program)]];
      const env = { ...process.env, ...environment };
      return execFileSync(file, [...first, ...args], {
        cwd: folder,
        env,
        encoding: 'utf8',
        timeout: PROGRAM_TIMEOUT_MS,
      });
    },
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}
