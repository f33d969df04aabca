import { oneForEach } from './one-for-each.ts';

/**
 * The WGSL linker. A kernel file is plain WGSL; lines `// @import "path"` name the files it needs, relative to
 * itself. Numbers arrive as typed `const` lines; a body is never edited as text. Declarations begin at the start of a
 * line, and no other code does; what `main` does not reach is left out, since reading it is most of what a start takes.
 */
export type WgslConst = { readonly type: 'u32' | 'f32' | 'bool'; readonly value: number };

export interface WgslSource {
  readonly code: string;
  /** Original file and line of a line of `code` (1-based). */
  locate(line: number): string;
}

/** Reads a kernel file by its path below kernels/, e.g. `msm/digits.wgsl`. The same path always gives the same text. */
export type KernelReader = (path: string) => string;

/** A function, structure, constant or variable of a module. */
interface Declaration {
  readonly name: string;
  readonly lines: { readonly text: string; readonly origin: string }[];
  /** Every name in it, of whatever kind. */
  readonly names: Set<string>;
}

interface WgslFile {
  /** As written, relative to the file. */
  readonly imports: readonly string[];
  readonly declarations: readonly Declaration[];
}

const IMPORT = /^\/\/ @import "(.+)"$/;
const DECLARATION = /^(?:fn|struct|const|alias|(?:@group.* )?var<[^>]*>)\s+(\w+)/;
const NAME = /[A-Za-z_]\w*/g;
const ENTRY = 'main';

/**
 * What `entry` and everything it imports declare, each file once, dependencies first, as far as its `main` reaches it.
 * `substitute` maps an import (as resolved, below kernels/) to another file: that is how a field variant is chosen.
 * Throws Error on an import cycle and on code outside a declaration.
 */
export function linkWgsl(
  read: KernelReader,
  entry: string,
  constants: Readonly<Record<string, WgslConst>> = {},
  substitute: Readonly<Record<string, string>> = {},
): WgslSource {
  const declarations = Object.entries(constants).map(([name, constant]) =>
    declare(name, renderConst(name, constant), `constant ${name}`),
  );
  const done = new Set<string>();
  const visit = (path: string, stack: readonly string[]): void => {
    if (stack.includes(path))
      throw new Error(`WGSL import cycle: ${[...stack, path].join(' -> ')}`);
    if (done.has(path)) return;
    done.add(path);
    const file = fileOf(read, path);
    for (const target of file.imports) {
      const resolved = resolvePath(path, target);
      visit(substitute[resolved] ?? resolved, [...stack, path]);
    }
    declarations.push(...file.declarations);
  };
  visit(substitute[entry] ?? entry, []);
  const lines = reachedFrom(ENTRY, declarations).flatMap((each) => each.lines);
  return {
    code: lines.map(({ text }) => text).join('\n'),
    locate: (line) => lines[line - 1]?.origin ?? `line ${line}`,
  };
}

/** In their order. */
function reachedFrom(entry: string, all: readonly Declaration[]): Declaration[] {
  // a name that two files declare is for the compiler to refuse
  const named = new Map<string, Declaration[]>();
  for (const each of all) named.set(each.name, [...(named.get(each.name) ?? []), each]);
  const reached = new Set([entry]);
  // a set that grows is walked to its end
  for (const name of reached) {
    for (const declaration of named.get(name) ?? []) {
      for (const used of declaration.names) if (named.has(used)) reached.add(used);
    }
  }
  return all.filter(({ name }) => reached.has(name));
}

/** Files by who reads them: a kernel is linked from the same few dozen files as the one before. */
const filesOf = oneForEach((_: KernelReader) => new Map<string, WgslFile>());

function fileOf(read: KernelReader, path: string): WgslFile {
  const known = filesOf(read);
  let file = known.get(path);
  if (file === undefined) {
    file = parseFile(path, read(path));
    known.set(path, file);
  }
  return file;
}

function parseFile(path: string, text: string): WgslFile {
  const imports: string[] = [];
  const declarations: Declaration[] = [];
  // attributes stand before what they belong to
  let waiting: Declaration['lines'] = [];
  text.split('\n').forEach((line, i) => {
    const target = IMPORT.exec(line)?.[1];
    if (target !== undefined) imports.push(target);
    if (line.startsWith('//') || line.trim() === '') return;
    const origin = `${path}:${i + 1}`;
    const name = DECLARATION.exec(line)?.[1];
    if (name !== undefined) {
      declarations.push({ name, lines: waiting, names: new Set() });
      waiting = [];
    } else if (line.startsWith('@')) {
      waiting.push({ text: line, origin });
      return;
    }
    const current = declarations.at(-1);
    if (current === undefined) throw new Error(`${origin}: expected a declaration`);
    current.lines.push({ text: line, origin });
  });
  for (const { lines, names } of declarations) addNames(lines, names);
  return { imports, declarations };
}

function declare(name: string, text: string, origin: string): Declaration {
  return { name, lines: [{ text, origin }], names: new Set() };
}

function addNames(lines: Declaration['lines'], names: Set<string>): void {
  for (const { text } of lines) for (const [name] of text.matchAll(NAME)) names.add(name);
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
