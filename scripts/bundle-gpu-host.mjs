// `npm run bundle:gpu-host`: makes .bundle/, everything that a bare Linux x64 GPU host needs to run the service (node,
// the WebGPU addon, built code, kernels, redis-server, the Vulkan and EGL loader packages), as one archive and one
// run.sh. Debian and Ubuntu only, because the loader parts come from apt. Usage: node scripts/bundle-gpu-host.mjs
// [--out DIR]
import { execFileSync } from 'node:child_process';
import { chmodSync, cpSync, existsSync, mkdirSync, readdirSync, rmSync, statSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from './setup/build.mjs';
import { findProgram } from './setup/find-program.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const outIndex = process.argv.indexOf('--out');
const out = outIndex > 0 ? process.argv[outIndex + 1] : join(root, '.bundle');
const stage = join(out, 'stage');
/** What a workspace needs to run. */
const PARTS = ['package.json', 'dist', 'bin', 'kernels', 'lua', 'public'];
const LOADER_PACKAGES = [
  'libvulkan1',
  'libegl1',
  'libglvnd0',
  'libopengl0',
  'libgl1',
  'libglx0',
  'libgles2',
];
/** Left out of packages: types, maps, documents (licences stay), other platforms' binaries. */
const SKIP =
  /(\.d\.[cm]?ts|\.map|(?<!\/licen[cs]e[^/]*)\.md|\.tsbuildinfo)$|\/(darwin|win32|linux-arm64)[^/]*(\/|$)|\/node_modules\/\.bin/i;
/** Left out where they stand at the top of a package; deeper down such a folder may be code. */
const SKIP_AT_TOP = /^\/(docs?|tests?|__tests__|examples?|benchmarks?)(\/|$)/;

/** Part of every Linux: two versions of these in one process do not go together. */
const SYSTEM_LIBRARY = /\/(libc|libm|libpthread|libdl|librt|ld-linux[^/]*)\.so/;

const run = (command, args, options = {}) =>
  execFileSync(command, args, {
    cwd: root,
    encoding: 'utf8',
    maxBuffer: 1 << 28,
    stdio: ['ignore', 'pipe', 'inherit'],
    ...options,
  });

function copyTree(from, to) {
  const wanted = (path) => !SKIP.test(path) && !SKIP_AT_TOP.test(path);
  cpSync(from, to, {
    recursive: true,
    dereference: false,
    filter: (path) => wanted(path.slice(from.length)),
  });
}

function copyNode() {
  const target = join(stage, 'bin/node');
  mkdirSync(dirname(target), { recursive: true });
  cpSync(process.execPath, target, { dereference: true });
  try {
    run('strip', [target]);
  } catch {
    process.stderr.write('strip not found: the bundle carries an unstripped node\n');
  }
}

/** Production dependencies of all workspaces, as npm resolves them. */
function copyModules() {
  const listed = run('npm', ['ls', '--omit=dev', '--all', '--parseable'])
    .split('\n')
    .filter((path) => path.includes('node_modules') && !path.includes('/@cuzk/'));
  for (const path of listed) copyTree(path, join(stage, relative(root, path)));
}

function copyWorkspaces() {
  for (const group of ['packages', 'services']) {
    for (const name of readdirSync(join(root, group))) {
      for (const part of PARTS) {
        const from = join(root, group, name, part);
        if (existsSync(from)) copyTree(from, join(stage, group, name, part));
      }
      const link = join(stage, 'node_modules/@cuzk', name);
      mkdirSync(dirname(link), { recursive: true });
      run('ln', ['-sfn', `../../${group}/${name}`, link]);
    }
  }
  for (const part of ['package.json', 'examples', 'LICENSE-APACHE', 'LICENSE-MIT']) {
    cpSync(join(root, part), join(stage, part), { recursive: true });
  }
}

function copyScript(name, to) {
  cpSync(join(root, 'scripts/bundle', name), to);
  chmodSync(to, 0o755);
}

/** redis-server with the shared libraries that a bare host may lack; they are used by redis alone. */
function copyRedis() {
  const binary = findProgram(['redis-server', 'valkey-server']);
  if (binary === null) throw new Error('no redis-server on this machine: run npm run setup first');
  const libraries = join(stage, 'redis/lib');
  mkdirSync(libraries, { recursive: true });
  cpSync(binary, join(stage, 'redis/redis-server'), { dereference: true });
  copyScript('run-redis.sh', join(stage, 'redis/run'));
  const copyright = '/usr/share/doc/redis-server/copyright';
  if (existsSync(copyright)) cpSync(copyright, join(stage, 'redis/copyright'));
  for (const line of run('ldd', [binary]).split('\n')) {
    const library = /=> (\/\S+)/.exec(line)?.[1];
    if (library === undefined || SYSTEM_LIBRARY.test(library)) continue;
    cpSync(library, join(libraries, library.split('/').pop()), { dereference: true });
  }
}

function copyLoaders() {
  const folder = join(stage, 'deb');
  mkdirSync(folder, { recursive: true });
  run('apt-get', ['download', ...LOADER_PACKAGES], { cwd: folder });
}

await build(root, (line) => process.stderr.write(`bundle: ${line}\n`));
rmSync(stage, { recursive: true, force: true });
mkdirSync(stage, { recursive: true });
copyNode();
copyModules();
copyWorkspaces();
copyRedis();
copyLoaders();
const archive = join(out, 'cuzk-gpu-host.tar.xz');
run('tar', ['-C', stage, '--owner=0', '--group=0', '-c', '-I', 'xz -6 -T0', '-f', archive, '.']);
copyScript('run.sh', join(out, 'run.sh'));
rmSync(stage, { recursive: true, force: true });
process.stdout.write(`${archive} ${(statSync(archive).size / 1e6).toFixed(1)} MB\n`);
