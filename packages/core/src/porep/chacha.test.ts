import { createCipheriv } from 'node:crypto';
import { expect, it } from 'vitest';
import { toHex } from '../bytes.ts';
import { chacha8Words, chacha20Stream } from './chacha.ts';

const key = Uint8Array.from({ length: 32 }, (_, i) => i);
const nonce = Uint8Array.of(0, 0, 0, 9, 0, 0, 0, 0x4a, 0, 0, 0, 0);

it('gives the ChaCha20 key stream of OpenSSL at any block', () => {
  const cipher = createCipheriv('chacha20', key, Uint8Array.of(0, 0, 0, 0, ...nonce));
  const expected = cipher.update(new Uint8Array(640));
  const stream = chacha20Stream(key, nonce);
  const read: Uint8Array[] = [];
  for (let offset = 0; offset < 640; offset += 32) read.push(stream(offset, 32));
  expect(toHex(Buffer.concat(read))).toBe(expected.toString('hex'));
  expect(toHex(stream(604, 4))).toBe(expected.subarray(604, 608).toString('hex'));
});

it('gives the published ChaCha8 output for the all-zero key', () => {
  const next = chacha8Words(new Uint8Array(32));
  const words = Uint32Array.from({ length: 16 }, next);
  expect(toHex(new Uint8Array(words.buffer))).toBe(
    '3e00ef2f895f40d67f5bb8e81f09a5a12c840ec3ce9a7f3b181be188ef711a1e' +
      '984ce172b9216f419f445367456d5619314a42a3da86b001387bfdb80e0cfe42',
  );
});

it('goes on into the next block', () => {
  const next = chacha8Words(key);
  const words = Array.from({ length: 40 }, next);
  expect(new Set(words).size).toBe(40);
});

it('refuses reads that cross a block or are not whole words', () => {
  const stream = chacha20Stream(key, nonce);
  expect(() => stream(48, 32)).toThrow(RangeError);
  expect(() => stream(2, 4)).toThrow(RangeError);
  expect(() => stream(0, 3)).toThrow(RangeError);
  expect(() => chacha20Stream(key, nonce.slice(1))).toThrow(/12 bytes/);
  expect(() => chacha8Words(key.slice(1))).toThrow(/32 bytes/);
});
