// `npm run demo`: set-up, then `cuzk demo` with the same arguments. stdout belongs to the demo alone.
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { ROOT, setUp } from './setup.mjs';

await setUp();
const launcher = join(ROOT, 'packages', 'cli', 'bin', 'cuzk.mjs');
const child = spawn(process.execPath, [launcher, 'demo', ...process.argv.slice(2)], {
  stdio: 'inherit',
  cwd: ROOT,
});
// The terminal sends Ctrl-C to the demo too; it stops what it started and then decides the exit code.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) {
  process.on(signal, () => {
    if (signal !== 'SIGINT') child.kill(signal);
  });
}
child.on('exit', (code, signal) => {
  process.exitCode = code ?? (signal === 'SIGINT' ? 130 : 1);
});
