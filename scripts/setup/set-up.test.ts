import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { cacheFolder, shaderCacheEnvironment } from './cache-folder.mjs';
import { findProgram } from './find-program.mjs';
import { nodeVersionProblem } from './node-version.mjs';
import { missingPackages } from './npm-packages.mjs';
import { installationPlan, missingSystemPackages } from './system-packages.mjs';

describe('Node version', () => {
  it.each(['20.19.0', '20.20.2', '22.1.0', '24.0.0'])('accepts %s', (version) => {
    expect(nodeVersionProblem(version)).toBeNull();
  });
  it.each(['16.20.2', '18.19.0', '20.18.3'])('answers %s with one plain sentence', (version) => {
    const sentence = nodeVersionProblem(version);
    expect(sentence).toContain(version);
    expect(sentence).toContain('20.19');
    expect(sentence).not.toContain('\n');
  });
});

describe('npm packages', () => {
  const entry = (version: string) => ({ version });
  function checkout(wanted: object, present: object, folders: readonly string[]): string {
    const root = mkdtempSync(join(tmpdir(), 'cuzk-set-up-'));
    mkdirSync(join(root, 'node_modules'));
    for (const name of folders) mkdirSync(join(root, 'node_modules', name));
    writeFileSync(join(root, 'package-lock.json'), JSON.stringify({ packages: wanted }));
    writeFileSync(
      join(root, 'node_modules', '.package-lock.json'),
      JSON.stringify({ packages: present }),
    );
    return root;
  }

  it('finds nothing to do where every locked version is there', () => {
    const packages = { 'node_modules/a': entry('1.0.0') };
    expect(missingPackages(checkout(packages, packages, ['a']))).toEqual([]);
  });
  it('names what is absent, of another version, or deleted by hand, and leaves optional ones out', () => {
    const wanted = {
      '': {},
      'node_modules/absent': entry('1.0.0'),
      'node_modules/older': entry('2.0.0'),
      'node_modules/deleted': entry('1.0.0'),
      'node_modules/elsewhere': { ...entry('1.0.0'), optional: true },
    };
    const present = {
      'node_modules/older': entry('1.0.0'),
      'node_modules/deleted': entry('1.0.0'),
    };
    expect(missingPackages(checkout(wanted, present, ['older']))).toEqual([
      'absent',
      'older',
      'deleted',
    ]);
  });
});

describe('system packages', () => {
  const probes = { findRedis: () => null, mesaMissing: () => ['libegl-dev'] };
  it('asks for Redis and the driver on Linux, for Redis alone on macOS', () => {
    expect(missingSystemPackages({ platform: 'linux', redisUrl: undefined, ...probes })).toEqual([
      'redis-server',
      'libegl-dev',
    ]);
    expect(missingSystemPackages({ platform: 'darwin', redisUrl: undefined, ...probes })).toEqual([
      'redis-server',
    ]);
  });
  it('needs no Redis here when REDIS_URL names one', () => {
    expect(
      missingSystemPackages({ platform: 'linux', redisUrl: 'redis://elsewhere', ...probes }),
    ).toEqual(['libegl-dev']);
  });
  it('installs through apt as root, and otherwise answers with one line', () => {
    const packages = ['redis-server', 'libegl-dev'];
    const linux = { platform: 'linux', hasApt: true };
    expect(installationPlan(packages, { ...linux, isRoot: true }).commands?.at(-1)).toEqual(
      expect.arrayContaining(['apt-get', 'install', ...packages]),
    );
    for (const plan of [
      installationPlan(packages, { ...linux, isRoot: false }),
      installationPlan(packages, { platform: 'linux', hasApt: false, isRoot: true }),
      installationPlan(['redis-server'], { platform: 'darwin', hasApt: false, isRoot: false }),
    ]) {
      expect(plan.commands).toBeUndefined();
      expect(plan.advice).toMatch(/redis/);
      expect(plan.advice).not.toContain('\n');
    }
  });
  it('finds a program only where PATH has an executable file of that name', () => {
    const folder = mkdtempSync(join(tmpdir(), 'cuzk-path-'));
    writeFileSync(join(folder, 'plain'), '', { mode: 0o644 });
    writeFileSync(join(folder, 'valkey-server'), '', { mode: 0o755 });
    expect(findProgram(['redis-server', 'valkey-server'], `/nowhere:${folder}`)).toBe(
      join(folder, 'valkey-server'),
    );
    expect(findProgram(['plain'], folder)).toBeNull();
  });
});

describe('cache folder', () => {
  it('is CUZK_CACHE_DIR, else below XDG_CACHE_HOME, else below ~/.cache', () => {
    expect(cacheFolder({ CUZK_CACHE_DIR: '/a', XDG_CACHE_HOME: '/b' })).toBe('/a');
    expect(cacheFolder({ XDG_CACHE_HOME: '/b' })).toBe('/b/cuzk');
    expect(cacheFolder({})).toMatch(/\.cache\/cuzk$/);
  });
  it('holds compiled kernels unless Mesa was told otherwise', () => {
    expect(shaderCacheEnvironment({ CUZK_CACHE_DIR: '/a' }).MESA_SHADER_CACHE_DIR).toBe('/a/mesa');
    expect(
      shaderCacheEnvironment({ CUZK_CACHE_DIR: '/a', MESA_SHADER_CACHE_DIR: '/m' })
        .MESA_SHADER_CACHE_DIR,
    ).toBe('/m');
  });
});
