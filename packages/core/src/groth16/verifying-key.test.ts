import { describe, expect, it } from 'vitest';
import { toHex } from '../bytes.ts';
import { encodeG1Uncompressed } from '../curve/point-encoding.ts';
import { goldenBytes, goldenJson } from './testing/golden.ts';
import {
  announcedInputs,
  decodeCount,
  decodeVerifyingKey,
  encodeCount,
  encodeVerifyingKey,
  VERIFYING_KEY_HEAD_BYTES,
  verifyingKeyBytes,
} from './verifying-key.ts';

const KEYS = [
  { name: 'params/2KiB.vk', inputs: 40 },
  { name: 'params/8MiB.vk', inputs: 40 },
  { name: 'small/poseidon2.vk', inputs: 2 },
  { name: 'small/sha256-node.vk', inputs: 2 },
];

describe.each(KEYS)('$name', ({ name, inputs }) => {
  const bytes = goldenBytes(name);

  it('round-trips', () => {
    const vk = decodeVerifyingKey(bytes);
    expect(vk.ic.length).toBe(inputs);
    expect(announcedInputs(bytes)).toBe(inputs);
    expect(verifyingKeyBytes(inputs)).toBe(bytes.length);
    expect(toHex(encodeVerifyingKey(vk))).toBe(toHex(bytes));
  });
});

describe('a damaged key', () => {
  const golden = goldenBytes('small/poseidon2.vk');
  const altered = (change: (bytes: Uint8Array) => void): Uint8Array => {
    const bytes = Uint8Array.from(golden);
    change(bytes);
    return bytes;
  };
  const g1Infinity = encodeG1Uncompressed(null);
  const g1OutsideSubgroup = encodeG1Uncompressed({ x: 0n, y: 2n });

  it.each([
    ['alphaG1', 95],
    ['betaG1', 191],
    ['betaG2', 383],
    ['gammaG2', 575],
    ['deltaG1', 671],
    ['deltaG2', 863],
    ['ic[0]', 963],
    ['ic[1]', 1059],
  ])('names the bad point: %s', (point, offset) => {
    const bytes = altered((b) => {
      b[offset] ^= 1;
    });
    expect(() => decodeVerifyingKey(bytes)).toThrow(
      `[PARAMS_MALFORMED] verifying key: ${point}: not on curve`,
    );
  });

  it('with a point outside the subgroup is refused', () => {
    for (const [offset, name] of [
      [96, 'betaG1'],
      [868, 'ic[0]'],
    ] as const) {
      const bytes = altered((b) => b.set(g1OutsideSubgroup, offset));
      expect(() => decodeVerifyingKey(bytes)).toThrow(`${name}: not on curve (outside`);
    }
  });

  it('with ic at infinity is refused; alpha at infinity is not, as in the reference', () => {
    expect(() => decodeVerifyingKey(altered((b) => b.set(g1Infinity, 868 + 96)))).toThrow(
      'ic[1]: point at infinity',
    );
    expect(decodeVerifyingKey(altered((b) => b.set(g1Infinity))).alphaG1).toBeNull();
  });

  it('of the wrong length is refused', () => {
    expect(() => decodeVerifyingKey(golden.subarray(0, 1059))).toThrow(
      'expected exactly 1060 bytes but got 1059',
    );
    expect(() => decodeVerifyingKey(golden.subarray(0, 100))).toThrow(
      `expected at least ${VERIFYING_KEY_HEAD_BYTES} bytes but got 100`,
    );
    const more = altered((b) => {
      b[867] = 3;
    });
    expect(() => decodeVerifyingKey(more)).toThrow('expected exactly 1156 bytes but got 1060');
    const none = altered((b) => {
      b[867] = 0;
    });
    expect(() => decodeVerifyingKey(none.subarray(0, 868))).toThrow('no ic points');
  });
});

it('counts are big-endian, as the count fields of the golden file', () => {
  const { sections } = goldenJson<{ sections: { count_field?: string; points?: number }[] }>(
    'params/2KiB-params.json',
  );
  for (const { count_field, points } of sections.slice(1)) {
    expect(toHex(encodeCount(points ?? -1))).toBe(count_field);
    expect(decodeCount(encodeCount(points ?? -1))).toBe(points);
  }
  for (const count of [-1, 2 ** 32, 1.5]) expect(() => encodeCount(count)).toThrow(RangeError);
});
