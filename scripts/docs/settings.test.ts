import { existsSync } from 'node:fs';
import { expect, it } from 'vitest';
import { readRepositoryText } from './markdown.ts';

const SOURCES = [
  'packages/service-kit/src/config/shared-settings.ts',
  'services/api/src/config.ts',
  'services/synth-worker/src/config.ts',
  'services/gpu-worker/src/config.ts',
];

/** Settings as the services' schemas name them. */
const inSchemas = new Set(
  SOURCES.filter((path) => existsSync(new URL(`../../${path}`, import.meta.url))).flatMap((path) =>
    [...readRepositoryText(path).matchAll(/^ {2}([A-Z][A-Z0-9_]+): /gm)].map(
      ([, name]) => name ?? '',
    ),
  ),
);
/** Environment variables that the command line reads besides. */
const inCommandLine = [
  ...readRepositoryText('packages/cli/src/config.ts').matchAll(
    /source\.([A-Z][A-Z0-9_]+)|choose\(\s*'([A-Z][A-Z0-9_]+)'/g,
  ),
].map(([, read, chosen]) => read ?? chosen ?? '');

const section =
  /## Configuration\n([\s\S]*?)\n## /.exec(readRepositoryText('README.md'))?.[1] ?? '';
const documented = [...section.matchAll(/^\| `([A-Z][A-Z0-9_]+)`/gm)].map(([, name]) => name ?? '');

it('README has each setting once, and no other', () => {
  const settings = new Set([...inSchemas, ...inCommandLine]);
  expect(settings.size).toBeGreaterThan(10);
  expect(documented.toSorted()).toEqual([...settings].toSorted());
});
