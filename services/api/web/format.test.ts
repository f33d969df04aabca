import { describe, expect, it } from 'vitest';
import {
  count,
  formatBytes,
  formatMs,
  formatSeconds,
  formatTight,
  shortId,
  shortWorker,
  withShortIds,
} from './format.ts';

describe('figures carry units', () => {
  it.each([
    [0, '0 B'],
    [1023, '1023 B'],
    [1024, '1.00 KiB'],
    [74_000_000, '70.6 MiB'],
    [47_352_012_800, '44.1 GiB'],
    [2 ** 42, '4.00 TiB'],
  ])('%d bytes', (bytes, text) => expect(formatBytes(bytes)).toBe(text));
  it.each([
    [-5, '0 ms'],
    [999.4, '999 ms'],
    [1_000, '1.0 s'],
    [99_940, '99.9 s'],
    [99_960, '1 min 40 s'],
    [3_599_600, '1 h 00 min'],
    [90_061_000, '1 d 1 h'],
  ])('%d ms', (ms, text) => expect(formatMs(ms)).toBe(text));
  it('whole seconds for what ticks', () => {
    expect([0.9, 59.9, 100].map(formatSeconds)).toEqual(['0 s', '59 s', '1 min 40 s']);
  });
  it('little room in cells', () => {
    expect([85, 417.9, 1_020, 7_200].map(formatTight)).toEqual(['85 s', '417 s', '17 min', '2 h']);
  });
  it('one is no plural', () => {
    expect([count(1, 'byte'), count(1920, 'byte')]).toEqual(['1 byte', '1,920 bytes']);
  });
});

describe('names are cut to what differs', () => {
  const id = 'prf_01a22943-1234-7abc-8def-0123456789ab';
  it('of proofs', () => {
    expect(shortId(id)).toBe('prf_…456789ab');
    expect(withShortIds(`most by ${id} (2)`)).toBe('most by prf_…456789ab (2)');
  });
  it('of workers', () => expect(shortWorker('gpu-worker/node-a/0')).toBe('node-a/0'));
});
