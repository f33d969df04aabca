import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { readRepositoryText } from '../docs/markdown.ts';
import { sharedSettingsText } from './settings-text.ts';

const FOLDER = fileURLToPath(new URL('../../deploy/systemd/', import.meta.url));
const REPOSITORY = fileURLToPath(new URL('../../', import.meta.url));
const UNITS = readdirSync(FOLDER).filter((name) => name.endsWith('.service'));
const analyze = (...args: string[]) => spawnSync('systemd-analyze', args, { encoding: 'utf8' });
const HAS_ANALYZE = analyze('--version').status === 0;
if (!HAS_ANALYZE) console.log('skipped: systemd-analyze is not here');

const text = (name: string): string => readFileSync(join(FOLDER, name), 'utf8');
const valuesOf = (name: string, key: string): string[] =>
  text(name)
    .split('\n')
    .filter((line) => line.startsWith(`${key}=`))
    .map((line) => line.slice(key.length + 1));

/** The unit as systemd would find it on a machine: a template with an instance, programs that are there. */
function installed(name: string): string {
  const file = join(mkdtempSync(join(tmpdir(), 'cuzk-units-')), name.replace('@.', '@0.'));
  writeFileSync(file, text(name).replaceAll('/usr/bin/node', process.execPath));
  return file;
}

describe('systemd units', () => {
  it('are one for the whole system and one for each role', () => {
    expect(UNITS.toSorted()).toEqual([
      'cuzk-api.service',
      'cuzk-gpu-worker@.service',
      'cuzk-synth-worker.service',
      'cuzk.service',
    ]);
  });

  it.skipIf(!HAS_ANALYZE).each(UNITS)('%s holds in systemd-analyze', (name) => {
    const { status, stderr } = analyze('verify', installed(name));
    expect([status, stderr]).toEqual([0, '']);
  });

  it.skipIf(!HAS_ANALYZE)('are refused with a value that systemd does not know', () => {
    const file = installed('cuzk-api.service');
    writeFileSync(file, readFileSync(file, 'utf8').replace('KillMode=mixed', 'KillMode=mixt'));
    expect(analyze('verify', file).stderr).toContain('mixt');
  });

  it.skipIf(!HAS_ANALYZE).each(UNITS)('%s is hardened: exposure at most 2 of 10', (name) => {
    const args = ['security', '--offline=true', '--threshold=20', installed(name)];
    const { status, stdout } = analyze(...args);
    console.log(stdout.trim().split('\n').at(-1));
    expect(status).toBe(0);
  });

  it.each(UNITS)('%s runs a program of the release, as a user without rights', (name) => {
    const [command = ''] = valuesOf(name, 'ExecStart');
    const script = command.split(' ').find((word) => word.endsWith('.js')) ?? '';
    const source = script.replace('/dist/', '/src/').replace(/\.js$/, '.ts');
    expect(readRepositoryText(source).length).toBeGreaterThan(0);
    expect([valuesOf(name, 'User'), valuesOf(name, 'WorkingDirectory')]).toEqual([
      ['cuzk'],
      ['/opt/cuzk/current'],
    ]);
    expect(valuesOf(name, 'EnvironmentFile').length).toBeGreaterThan(0);
  });

  it.each(UNITS)('%s gives a stop more time than the service takes at most', (name) => {
    const [seconds = '0'] = valuesOf(name, 'TimeoutStopSec');
    // STOP_MS_MAX of run-service.ts is 10 s; cuzk serve stops its processes within 15 s each.
    expect(Number(seconds)).toBeGreaterThanOrEqual(name === 'cuzk.service' ? 30 : 15);
    expect(valuesOf(name, 'KillMode')).toEqual(['mixed']);
  });

  it.each(UNITS)('%s is not started again with settings that cannot be used', async (name) => {
    const status = valuesOf(name, 'RestartPreventExitStatus');
    const [command = ''] = valuesOf(name, 'ExecStart');
    const [, ...args] = command.split(' ');
    const script = args.map((arg) => (arg.endsWith('.js') ? join(REPOSITORY, arg) : arg));
    // Each program refuses one of these, before it opens anything.
    const env = { PATH: process.env.PATH, REDIS_URL: 'http://x', GPU: 'none', LOG_LEVEL: 'fatal' };
    const ended = spawnSync(process.execPath, script, { env, encoding: 'utf8' });
    expect([String(ended.status)]).toEqual(status);
    expect(ended.stdout + ended.stderr).toContain('CONFIG_INVALID');
  });

  it('only a gpu-worker sees devices, and those of every vendor', () => {
    for (const name of UNITS) {
      const devices = valuesOf(name, 'DeviceAllow').join(' ');
      if (name === 'cuzk-api.service' || name === 'cuzk-synth-worker.service') {
        expect(valuesOf(name, 'PrivateDevices')).toEqual(['yes']);
        expect(devices).toBe('');
      } else {
        expect(devices).toContain('char-drm rw');
        expect(devices).toContain('char-nvidia-uvm rw');
        expect(valuesOf(name, 'SupplementaryGroups')).toEqual(['render video']);
      }
    }
  });

  it('the example of settings names settings that exist', () => {
    const names = [...text('cuzk.env').matchAll(/^#?([A-Z][A-Z_]+)=/gm)].map(([, name]) => name);
    const settings = sharedSettingsText();
    expect(names.length).toBeGreaterThan(6);
    for (const name of names) expect(settings).toMatch(new RegExp(`^ {2}${name}:`, 'm'));
  });
});
