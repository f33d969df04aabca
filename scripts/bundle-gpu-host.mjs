// Makes .bundle/: everything a bare Linux x64 GPU host needs to run the service (node, the WebGPU addon, built code,
// kernels, redis-server, the Vulkan and EGL loader packages) in one archive and one run.sh. Debian/Ubuntu only,
// because the loader parts come from apt. Usage: node scripts/bundle-gpu-host.mjs [--out DIR]
import { execFileSync } from 'node:child_process';
import {
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const outIndex = process.argv.indexOf('--out');
const out = outIndex > 0 ? process.argv[outIndex + 1] : join(root, '.bundle');
const stage = join(out, 'stage');
const LOADER_PACKAGES = [
  'libvulkan1',
  'libegl1',
  'libglvnd0',
  'libopengl0',
  'libgl1',
  'libglx0',
  'libgles2',
];
/** Left out of node_modules: types, maps, tests, documentation, other platforms' binaries. */
const SKIP =
  /(\.d\.[cm]?ts|\.map|\.md|\.tsbuildinfo|\.test\.js)$|\/(darwin|win32|linux-arm64)[^/]*(\/|$)|\/(docs?|test|tests|__tests__|examples?|benchmarks?)\//;

const run = (command, args, options = {}) =>
  execFileSync(command, args, {
    cwd: root,
    encoding: 'utf8',
    maxBuffer: 1 << 28,
    stdio: ['ignore', 'pipe', 'inherit'],
    ...options,
  });

function copyTree(from, to) {
  cpSync(from, to, {
    recursive: true,
    dereference: false,
    filter: (path) =>
      !SKIP.test(path.slice(from.length)) &&
      !path.slice(from.length).includes('/node_modules/.bin'),
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
    .filter((path) => path.includes('node_modules'));
  const plain = listed.filter(
    (path) => !existsSync(join(path, 'tsconfig.json')) || !path.includes('@cuzk/'),
  );
  for (const path of plain) {
    if (path.includes('/@cuzk/')) continue;
    copyTree(path, join(stage, relative(root, path)));
  }
}

function copyWorkspaces() {
  for (const group of ['packages', 'services']) {
    for (const name of readdirSync(join(root, group))) {
      for (const part of ['package.json', 'dist', 'kernels', 'bin', 'public']) {
        const from = join(root, group, name, part);
        if (existsSync(from)) copyTree(from, join(stage, group, name, part));
      }
      const link = join(stage, 'node_modules/@cuzk', name);
      mkdirSync(dirname(link), { recursive: true });
      run('ln', ['-sfn', `../../${group}/${name}`, link]);
    }
  }
  cpSync(join(root, 'package.json'), join(stage, 'package.json'));
  if (existsSync(join(root, 'examples')))
    cpSync(join(root, 'examples'), join(stage, 'examples'), { recursive: true });
}

/** redis-server with the shared libraries that a bare host may lack; they are used by redis alone. */
function copyRedis() {
  const binary = run('sh', ['-c', 'command -v redis-server || command -v valkey-server']).trim();
  const libraries = join(stage, 'redis/lib');
  mkdirSync(libraries, { recursive: true });
  cpSync(binary, join(stage, 'redis/redis-server'), { dereference: true });
  for (const line of run('ldd', [binary]).split('\n')) {
    const library = /=> (\/\S+)/.exec(line)?.[1];
    if (
      library === undefined ||
      /\/(libc|libm|libpthread|libdl|librt|ld-linux[^/]*)\.so/.test(library)
    )
      continue;
    cpSync(library, join(libraries, library.split('/').pop()), { dereference: true });
  }
}

function copyLoaders() {
  const folder = join(stage, 'deb');
  mkdirSync(folder, { recursive: true });
  run('apt-get', ['download', ...LOADER_PACKAGES], { cwd: folder });
}

const RUN = `#!/bin/bash
# Starts from the folder this file is in. With arguments: runs \`cuzk ARGUMENTS\`; without: \`cuzk serve\`.
set -eu
here="$(cd "$(dirname "$0")" && pwd)"
if [ ! -d "$here/app" ]; then
  mkdir "$here/app" && tar -xJf "$here/cuzk-gpu-host.tar.xz" -C "$here/app"
fi
if ! ldconfig -p | grep -q libvulkan && [ "$(id -u)" = 0 ]; then
  for package in "$here"/app/deb/*.deb; do dpkg -x "$package" /; done
  ldconfig
fi
if [ -z "\${VK_DRIVER_FILES:-}" ] && [ ! -e /usr/share/vulkan/icd.d/nvidia_icd.json ] && [ ! -e /etc/vulkan/icd.d/nvidia_icd.json ] \\
  && [ -e /usr/local/nvidia/share/vulkan/icd.d/nvidia_icd.json ]; then
  export VK_DRIVER_FILES=/usr/local/nvidia/share/vulkan/icd.d/nvidia_icd.json
fi
cat > "$here/app/redis/run" <<'REDIS'
#!/bin/sh
folder="$(dirname "$0")"
LD_LIBRARY_PATH="$folder/lib" exec "$folder/redis-server" "$@"
REDIS
chmod +x "$here/app/redis/run"
export PATH="$here/app/bin:$PATH" REDIS_SERVER_BIN="\${REDIS_SERVER_BIN:-$here/app/redis/run}"
cd "$here/app"
if [ "$#" = 0 ]; then set -- serve; fi
if [ "$1" = node ]; then shift; exec bin/node "$@"; fi
exec bin/node packages/cli/bin/cuzk.mjs "$@"
`;

rmSync(out, { recursive: true, force: true });
mkdirSync(stage, { recursive: true });
copyNode();
copyModules();
copyWorkspaces();
copyRedis();
copyLoaders();
const archive = join(out, 'cuzk-gpu-host.tar.xz');
run('tar', ['-C', stage, '-c', '-I', 'xz -6 -T2', '-f', archive, '.']);
writeFileSync(join(out, 'run.sh'), RUN, { mode: 0o755 });
rmSync(stage, { recursive: true, force: true });
process.stdout.write(`${archive} ${(statSync(archive).size / 2 ** 20).toFixed(1)} MiB\n`);
