// Writes packages/gpu/kernel-texts.js: all WGSL files as one module, so that a browser needs no file system and a
// bundler no plug-in. Runs before the package is packed.
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';

const folder = new URL('../packages/gpu/kernels/', import.meta.url);
const paths = readdirSync(folder, { recursive: true })
  .map((path) => path.replaceAll('\\', '/'))
  .filter((path) => path.endsWith('.wgsl'))
  .sort();
const texts = Object.fromEntries(
  paths.map((path) => [path, readFileSync(new URL(path, folder), 'utf8')]),
);
const target = (name) => new URL(`../packages/gpu/${name}`, import.meta.url);
writeFileSync(
  target('kernel-texts.js'),
  `/** WGSL texts by path below kernels/. */\nexport const kernelTexts = ${JSON.stringify(texts, null, 1)};\n`,
);
writeFileSync(
  target('kernel-texts.d.ts'),
  '/** WGSL texts by path below kernels/. */\nexport declare const kernelTexts: Readonly<Record<string, string>>;\n',
);
