import { bls12_381 } from '@noble/curves/bls12-381.js';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { bigintToBe, fromHex, toHex } from '../bytes.ts';
import { CuzkError } from '../errors.ts';
import { FP_MODULUS } from '../field/fp.ts';
import { FR_MODULUS } from '../field/fr.ts';
import { FP2_CODEC } from './coordinate-codec.ts';
import { g1 } from './g1.ts';
import { g2 } from './g2.ts';
import {
  fromNobleG1,
  fromNobleG2,
  isInG2,
  NobleG1Point,
  NobleG2Point,
  toNobleG1,
  toNobleG2,
} from './noble-points.ts';
import {
  decodeG1Compressed,
  decodeG1Uncompressed,
  decodeG2Compressed,
  decodeG2Uncompressed,
  encodeG1Compressed,
  encodeG1Uncompressed,
  encodeG2Compressed,
  encodeG2Uncompressed,
  G1_COMPRESSED_BYTES,
  G1_UNCOMPRESSED_BYTES,
  G2_COMPRESSED_BYTES,
  G2_UNCOMPRESSED_BYTES,
  type PointDecoding,
} from './point-encoding.ts';
import { G1_GENERATOR, type G1Affine, G2_GENERATOR, type G2Affine } from './points.ts';

const options: PointDecoding = { code: 'PROOF_MALFORMED', what: 'the point' };
const unchecked: PointDecoding = { ...options, checkSubgroup: false };
const withInfinity: PointDecoding = { ...options, allowInfinity: true };

/** Every form of both groups behind one interface, so that each rejection is tried on all four. */
const FORMS = [
  {
    name: 'G1 compressed',
    length: G1_COMPRESSED_BYTES,
    compressed: true,
    sample: encodeG1Compressed(G1_GENERATOR),
    decode: decodeG1Compressed,
    encode: (p: unknown) => encodeG1Compressed(p as G1Affine),
  },
  {
    name: 'G1 uncompressed',
    length: G1_UNCOMPRESSED_BYTES,
    compressed: false,
    sample: encodeG1Uncompressed(G1_GENERATOR),
    decode: decodeG1Uncompressed,
    encode: (p: unknown) => encodeG1Uncompressed(p as G1Affine),
  },
  {
    name: 'G2 compressed',
    length: G2_COMPRESSED_BYTES,
    compressed: true,
    sample: encodeG2Compressed(G2_GENERATOR),
    decode: decodeG2Compressed,
    encode: (p: unknown) => encodeG2Compressed(p as G2Affine),
  },
  {
    name: 'G2 uncompressed',
    length: G2_UNCOMPRESSED_BYTES,
    compressed: false,
    sample: encodeG2Uncompressed(G2_GENERATOR),
    decode: decodeG2Uncompressed,
    encode: (p: unknown) => encodeG2Uncompressed(p as G2Affine),
  },
];

function failure(run: () => unknown): CuzkError {
  try {
    run();
  } catch (error) {
    if (error instanceof CuzkError) return error;
    throw error;
  }
  throw new Error('expected a CuzkError, but nothing was thrown');
}

describe.each(FORMS)('$name', ({ length, compressed, sample, decode, encode }) => {
  const flag = compressed ? 0xc0 : 0x40;
  const infinity = Uint8Array.from({ length }, (_, i) => (i === 0 ? flag : 0));
  const altered = (change: (bytes: Uint8Array) => void): Uint8Array => {
    const bytes = Uint8Array.from(sample);
    change(bytes);
    return bytes;
  };
  const expectNotOnCurve = (bytes: Uint8Array, reason: RegExp, how = options): void => {
    const error = failure(() => decode(bytes, how));
    expect(error.code).toBe('PROOF_MALFORMED');
    expect(error.message).toContain('the point: not on curve');
    expect(error.message).toMatch(reason);
  };

  it('round-trips the generator', () => {
    expect(toHex(encode(decode(sample, options)))).toBe(toHex(sample));
  });

  it('round-trips infinity where it is allowed, rejects it otherwise', () => {
    expect(decode(infinity, withInfinity)).toBeNull();
    expect(encode(null)).toEqual(infinity);
    const error = failure(() => decode(infinity, options));
    expect(error.message).toContain('the point: point at infinity');
  });

  it('rejects padding in the encoding of infinity', () => {
    for (const position of [1, length - 1]) {
      const bytes = Uint8Array.from(infinity);
      bytes[position] = 1;
      expectNotOnCurve(bytes, /beside the flag of infinity/, withInfinity);
    }
    const low = Uint8Array.from(infinity);
    low[0] |= 1;
    expectNotOnCurve(low, /beside the flag of infinity/, withInfinity);
  });

  it('rejects flags of the other form and the sign flag where it has no meaning', () => {
    if (compressed) {
      expectNotOnCurve(
        altered((b) => {
          b[0] &= 0x7f;
        }),
        /compression flag/,
      );
      const signed = Uint8Array.from(infinity);
      signed[0] |= 0x20;
      expectNotOnCurve(signed, /beside the flag of infinity/, withInfinity);
    } else {
      for (const bits of [0x80, 0x20, 0xa0, 0xc0, 0x60, 0xe0]) {
        expectNotOnCurve(
          altered((b) => {
            b[0] |= bits;
          }),
          /flag bits/,
        );
      }
    }
  });

  it('rejects a coordinate of q or more in every position', () => {
    const tooLarge = [FP_MODULUS, (1n << 381n) - 1n].map((v) => bigintToBe(v, 48));
    for (let offset = 0; offset < length; offset += 48) {
      for (const coordinate of tooLarge) {
        const bytes = altered((b) => {
          b.set(coordinate, offset);
          if (compressed && offset === 0) b[0] |= 0x80;
        });
        expectNotOnCurve(bytes, /coordinate ≥ q/);
      }
    }
  });

  it('rejects a wrong length, saying both lengths', () => {
    const error = failure(() => decode(sample.subarray(1), options));
    expect(error.message).toContain(`expected exactly ${length} bytes but got ${length - 1}`);
  });

  it('rejects a flipped low bit of the last byte', () => {
    expectNotOnCurve(
      altered((b) => {
        b[length - 1] ^= 1;
      }),
      compressed ? /no point|subgroup/ : /curve equation/,
    );
  });
});

describe('subgroup check', () => {
  const outsideG1: G1Affine = { x: 0n, y: 2n };
  /** The first point of the twist outside G2 with x = k + u. */
  const outsideG2 = ((): G2Affine => {
    for (let k = 0n; ; k++) {
      const x = { c0: k, c1: 1n };
      const y = FP2_CODEC.sqrt(g2.rightSide(x));
      if (y !== undefined && !isInG2({ x, y })) return { x, y };
    }
  })();

  it('is made by default and left out on request', () => {
    expect(g1.isOnCurve(outsideG1) && g2.isOnCurve(outsideG2)).toBe(true);
    const cases: [Uint8Array, (b: Uint8Array, o: PointDecoding) => unknown, unknown][] = [
      [encodeG1Compressed(outsideG1), decodeG1Compressed, outsideG1],
      [encodeG1Uncompressed(outsideG1), decodeG1Uncompressed, outsideG1],
      [encodeG2Compressed(outsideG2), decodeG2Compressed, outsideG2],
      [encodeG2Uncompressed(outsideG2), decodeG2Uncompressed, outsideG2],
    ];
    for (const [bytes, decode, point] of cases) {
      expect(failure(() => decode(bytes, options)).message).toContain('outside the subgroup');
      expect(decode(bytes, unchecked)).toEqual(point);
    }
  });
});

describe('agreement with noble', () => {
  const scalar = fc.bigInt({ min: 1n, max: FR_MODULUS - 1n });

  it('writes and reads the same bytes for random points of both groups and signs', () => {
    fc.assert(
      fc.property(scalar, (k) => {
        const p = NobleG1Point.BASE.multiplyUnsafe(k);
        const q = NobleG2Point.BASE.multiplyUnsafe(k);
        const [p1, q1] = [fromNobleG1(p), fromNobleG2(q)];
        expect(encodeG1Compressed(p1)).toEqual(p.toBytes(true));
        expect(encodeG1Uncompressed(p1)).toEqual(p.toBytes(false));
        expect(encodeG2Compressed(q1)).toEqual(q.toBytes(true));
        expect(encodeG2Uncompressed(q1)).toEqual(q.toBytes(false));
        expect(decodeG1Compressed(encodeG1Compressed(p1), options)).toEqual(p1);
        expect(decodeG1Uncompressed(encodeG1Uncompressed(p1), options)).toEqual(p1);
        expect(decodeG2Compressed(encodeG2Compressed(q1), options)).toEqual(q1);
        expect(decodeG2Uncompressed(encodeG2Uncompressed(q1), options)).toEqual(q1);
        expect(toNobleG1(p1).equals(p) && toNobleG2(q1).equals(q)).toBe(true);
      }),
      { numRuns: 10 },
    );
  });

  it('accepts exactly what noble accepts among damaged compressed encodings', () => {
    const base = encodeG1Compressed(fromNobleG1(NobleG1Point.BASE.multiplyUnsafe(12345n)));
    const accepts = (run: () => unknown): boolean => {
      try {
        run();
        return true;
      } catch {
        return false;
      }
    };
    fc.assert(
      fc.property(fc.nat({ max: 47 }), fc.nat({ max: 255 }), (position, mask) => {
        const bytes = Uint8Array.from(base);
        bytes[position] ^= mask;
        const ours = accepts(() => decodeG1Compressed(bytes, options));
        expect(ours).toBe(accepts(() => bls12_381.G1.Point.fromBytes(bytes)));
      }),
      { numRuns: 60 },
    );
  });

  it('knows the published generator encodings', () => {
    expect(toHex(encodeG1Compressed(G1_GENERATOR))).toBe(
      '97f1d3a73197d7942695638c4fa9ac0fc3688c4f9774b905a14e3a3f171bac586c55e83ff97a1aeffb3af00adb22c6bb',
    );
    expect(fromHex(toHex(encodeG2Compressed(G2_GENERATOR)))).toEqual(NobleG2Point.BASE.toBytes());
  });
});
