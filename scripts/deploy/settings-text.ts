import { readdirSync, readFileSync } from 'node:fs';

const SOURCE = new URL('../../packages/service-kit/src/', import.meta.url);

/** The text of every file of service-kit that declares settings shared by services: `*-settings.ts`. */
export function sharedSettingsText(): string {
  return readdirSync(SOURCE, { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('-settings.ts'))
    .map((path) => readFileSync(new URL(path, SOURCE), 'utf8'))
    .join('\n');
}
