/**
 * The WGSL linker. A kernel file is plain WGSL; lines `// @import "path"` name the files it needs, relative to
 * itself. Numbers arrive as typed `const` lines; a body is never edited as text.
 */
export type WgslConst = { readonly type: 'u32' | 'f32' | 'bool'; readonly value: number };

export interface WgslSource {
  readonly code: string;
  /** Original file and line of a line of `code` (1-based). */
  locate(line: number): string;
}

/** Reads a kernel file by its path below kernels/, e.g. `msm/digits.wgsl`. */
export type KernelReader = (path: string) => string;

const IMPORT = /^\/\/ @import "(.+)"$/;

/**
 * Concatenates `entry` and everything it imports, each file once, dependencies first.
 * `substitute` maps an import (as resolved, below kernels/) to another file: that is how a field variant is chosen.
 * Throws Error on an import cycle.
 */
export function linkWgsl(
  read: KernelReader,
  entry: string,
  constants: Readonly<Record<string, WgslConst>> = {},
  substitute: Readonly<Record<string, string>> = {},
): WgslSource {
  const lines: string[] = [];
  const origins: string[] = [];
  const push = (text: string, origin: string): void => {
    lines.push(text);
    origins.push(origin);
  };
  for (const [name, constant] of Object.entries(constants))
    push(renderConst(name, constant), `constant ${name}`);
  const done = new Set<string>();
  const visit = (path: string, stack: readonly string[]): void => {
    if (stack.includes(path))
      throw new Error(`WGSL import cycle: ${[...stack, path].join(' -> ')}`);
    if (done.has(path)) return;
    done.add(path);
    const source = read(path).split('\n');
    for (const line of source) {
      const target = IMPORT.exec(line)?.[1];
      if (target === undefined) continue;
      const resolved = resolvePath(path, target);
      visit(substitute[resolved] ?? resolved, [...stack, path]);
    }
    source.forEach((line, i) => {
      push(line, `${path}:${i + 1}`);
    });
  };
  visit(substitute[entry] ?? entry, []);
  return { code: lines.join('\n'), locate: (line) => origins[line - 1] ?? `line ${line}` };
}

function renderConst(name: string, { type, value }: WgslConst): string {
  if (type === 'u32') return `const ${name}: u32 = ${value >>> 0}u;`;
  if (type === 'bool') return `const ${name}: bool = ${value !== 0};`;
  return `const ${name}: f32 = ${Number.isInteger(value) ? value.toFixed(1) : value}f;`;
}

function resolvePath(from: string, target: string): string {
  const parts = from.split('/').slice(0, -1);
  for (const part of target.split('/')) {
    if (part === '..') parts.pop();
    else if (part !== '.') parts.push(part);
  }
  return parts.join('/');
}
