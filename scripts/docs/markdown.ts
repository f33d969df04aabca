import { readdirSync, readFileSync } from 'node:fs';

const ROOT = new URL('../../', import.meta.url);

export const readRepositoryText = (path: string): string =>
  readFileSync(new URL(path, ROOT), 'utf8');

/** Every document of the repository, by path. */
export function documents(): { readonly path: string; readonly text: string }[] {
  const inFolder = (folder: string): string[] =>
    readdirSync(new URL(folder, ROOT))
      .filter((name) => name.endsWith('.md'))
      .map((name) => `${folder}${name}`);
  return [...inFolder('./'), ...inFolder('docs/'), ...inFolder('docs/adr/')].map((path) => ({
    path: path.replace('./', ''),
    text: readRepositoryText(path),
  }));
}

/** Contents of the fenced blocks of one language. */
export function fences(text: string, language: string): string[] {
  const pattern = new RegExp(`^\`\`\`${language}\\n([\\s\\S]*?)^\`\`\`$`, 'gm');
  return [...text.matchAll(pattern)].map(([, content]) => content ?? '');
}

/** Everything quoted as code inside a line. */
export const inlineCode = (text: string): string[] =>
  [...text.replace(/^```[\s\S]*?^```$/gm, '').matchAll(/`([^`\n]+)`/g)].map(
    ([, code]) => code ?? '',
  );
