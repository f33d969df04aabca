// Writes packages/gpu/kernel-texts.js: all WGSL files as one module, so that a browser needs no file system and a
// bundler no plug-in. Runs before the package is packed; with --remove, afterwards.
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';

const target = (name) => new URL(`../packages/gpu/${name}`, import.meta.url);

if (process.argv.includes('--remove')) {
  rmSync(target('kernel-texts.js'));
  rmSync(target('kernel-texts.d.ts'));
} else {
  write();
}

function write() {
  const folder = new URL('../packages/gpu/kernels/', import.meta.url);
  const paths = readdirSync(folder, { recursive: true })
    .map((path) => path.replaceAll('\\', '/'))
    .filter((path) => path.endsWith('.wgsl'))
    .sort();
  const texts = Object.fromEntries(
    paths.map((path) => [path, readFileSync(new URL(path, folder), 'utf8')]),
  );
  const comment = '/** WGSL texts by path below kernels/. */';
  writeFileSync(
    target('kernel-texts.js'),
    `${comment}\nexport const kernelTexts = ${JSON.stringify(texts, null, 1)};\n`,
  );
  writeFileSync(
    target('kernel-texts.d.ts'),
    `${comment}\nexport declare const kernelTexts: Readonly<Record<string, string>>;\n`,
  );
}
