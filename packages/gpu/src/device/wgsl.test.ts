import { expect, it } from 'vitest';
import { linkWgsl } from './wgsl.ts';

const FILES: Readonly<Record<string, string>> = {
  'a/entry.wgsl': [
    '// A kernel.',
    '// @import "../field/fast.wgsl"',
    '// @import "pairs.wgsl"',
    '@group(0) @binding(0) var<storage, read_write> out: array<u32>;',
    '@group(0) @binding(1) var<storage, read> unused_binding: array<u32>;',
    'var<workgroup> tile: array<u32, SIZE>;',
    '',
    '@compute @workgroup_size(WG)',
    'fn main() {',
    '  // not_called in a comment only costs its declaration',
    '  out[0] = double(ROW);',
    '}',
  ].join('\n'),
  'a/pairs.wgsl': '// @import "../field/fast.wgsl"\nfn pair() -> u32 { return double(2u); }',
  'field/fast.wgsl': 'const SIZE: u32 = 4u;\nfn double(x: u32) -> u32 { return helper(x, x); }',
  'field/slow.wgsl': [
    'struct Wide {',
    '  low: u32,',
    '}',
    'fn helper(x: Wide) -> Wide {',
    '  return x;',
    '}',
    'fn double(x: u32) -> u32 {',
    '  return helper(Wide(x)).low;',
    '}',
  ].join('\n'),
  'field/bare.wgsl': 'helper();',
  'a/circle.wgsl': '// @import "circle.wgsl"\nfn main() {}',
};
const read = (path: string): string => {
  const text = FILES[path];
  if (text === undefined) throw new Error(`no ${path}`);
  return text;
};
const constants = {
  WG: { type: 'u32', value: 64 },
  ROW: { type: 'u32', value: 6 },
  OTHER: { type: 'bool', value: 1 },
} as const;

it('a kernel has what its main reaches, dependencies first, and nothing else', () => {
  const { code } = linkWgsl(read, 'a/entry.wgsl', constants);
  expect(code.split('\n')).toEqual([
    'const WG: u32 = 64u;',
    'const ROW: u32 = 6u;',
    'fn double(x: u32) -> u32 { return helper(x, x); }',
    '@group(0) @binding(0) var<storage, read_write> out: array<u32>;',
    '@compute @workgroup_size(WG)',
    'fn main() {',
    '  // not_called in a comment only costs its declaration',
    '  out[0] = double(ROW);',
    '}',
  ]);
});

it('a file is replaced by another one, and every line says where it is from', () => {
  const { code, locate } = linkWgsl(read, 'a/entry.wgsl', constants, {
    'field/fast.wgsl': 'field/slow.wgsl',
  });
  const lines = code.split('\n');
  const at = (text: string): string => locate(lines.indexOf(text) + 1);
  expect(lines).toContain('  low: u32,');
  expect(at('  return helper(Wide(x)).low;')).toBe('field/slow.wgsl:8');
  expect(at('@compute @workgroup_size(WG)')).toBe('a/entry.wgsl:8');
  expect(at('const WG: u32 = 64u;')).toBe('constant WG');
  expect(locate(lines.length + 1)).toBe(`line ${lines.length + 1}`);
});

it('a cycle of imports, and code outside a declaration, are errors that name the place', () => {
  expect(() => linkWgsl(read, 'a/circle.wgsl')).toThrow('a/circle.wgsl -> a/circle.wgsl');
  expect(() =>
    linkWgsl(read, 'a/entry.wgsl', {}, { 'field/fast.wgsl': 'field/bare.wgsl' }),
  ).toThrow('field/bare.wgsl:1: expected a declaration');
});
