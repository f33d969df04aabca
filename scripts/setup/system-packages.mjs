import { spawnSync } from 'node:child_process';
import { findProgram } from './find-program.mjs';
import { runCommand } from './run-command.mjs';

const REDIS_PROGRAMS = ['redis-server', 'valkey-server'];
/** Debian's names of what llvmpipe needs to answer WebGPU without a screen. Dawn opens libEGL.so, not libEGL.so.1. */
const MESA_PACKAGES = ['libegl-dev', 'libgles2', 'libegl-mesa0', 'libgl1-mesa-dri'];
const MESA_LIBRARIES = ['libEGL.so ', 'libGLESv2.so.2', 'libEGL_mesa.so.0'];

/**
 * What a machine lacks, as package names of Debian. `redisUrl` says that a Redis runs elsewhere.
 * The probes are arguments, so that the decision can be tested without a machine of each kind.
 */
export function missingSystemPackages({ platform, redisUrl, findRedis, mesaMissing }) {
  const redis = redisUrl !== undefined || findRedis() !== null ? [] : ['redis-server'];
  const mesa = platform === 'linux' ? mesaMissing() : [];
  return [...redis, ...mesa];
}

/** How this machine gets `packages`: an apt run, or one line for people. */
export function installationPlan(packages, { platform, isRoot, hasApt }) {
  if (platform === 'darwin') return { advice: 'Install Redis first: brew install redis' };
  if (platform === 'linux' && hasApt) {
    const command = ['apt-get', 'install', '-y', '--no-install-recommends', ...packages];
    if (isRoot) return { commands: [['apt-get', 'update'], command] };
    return { advice: `Install these packages first: sudo ${command.join(' ')}` };
  }
  return {
    advice: `Install these with your package manager first (Debian's names): ${packages.join(' ')}`,
  };
}

/** Installs what is missing, or throws an Error whose message is one line that says what to install. */
export async function installSystemPackages(say) {
  const missing = missingSystemPackages({
    platform: process.platform,
    redisUrl: process.env.REDIS_URL,
    findRedis: () => findProgram(REDIS_PROGRAMS),
    mesaMissing: missingMesaPackages,
  });
  if (missing.length === 0) return 'Redis and the software GPU driver are present';
  const plan = installationPlan(missing, {
    platform: process.platform,
    isRoot: process.getuid?.() === 0,
    hasApt: findProgram(['apt-get']) !== null,
  });
  if (plan.commands === undefined) throw new Error(plan.advice);
  say(`installing through apt: ${missing.join(' ')}`);
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
  for (const command of plan.commands) await runCommand(command, { env });
  return `installed ${missing.join(' ')}`;
}

/** Asks dpkg where there is one, otherwise the dynamic linker's cache. */
function missingMesaPackages() {
  if (findProgram(['dpkg-query']) !== null) {
    // biome-ignore lint/suspicious/noTemplateCurlyInString: the placeholders are dpkg's.
    const query = ['-W', '-f=${Package} ${db:Status-Status}\n', ...MESA_PACKAGES];
    const { stdout } = spawnSync('dpkg-query', query, { encoding: 'utf8' });
    const installed = new Set(stdout.split('\n'));
    return MESA_PACKAGES.filter((name) => !installed.has(`${name} installed`));
  }
  const { stdout } = spawnSync('ldconfig', ['-p'], { encoding: 'utf8' });
  const libraries = stdout ?? '';
  return MESA_LIBRARIES.every((name) => libraries.includes(name)) ? [] : MESA_PACKAGES;
}
