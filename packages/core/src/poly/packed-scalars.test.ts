import fc from 'fast-check';
import { expect, it } from 'vitest';
import { FR_MODULUS, frToBytes } from '../field/fr.ts';
import {
  allocateScalars,
  isZeroScalar,
  readScalar,
  scalarBytes,
  scalarCount,
  writeScalar,
} from './packed-scalars.ts';

it('scalars read back as written, their bytes are the canonical encodings', () => {
  const scalar = fc.bigInt({ min: 0n, max: FR_MODULUS - 1n });
  fc.assert(
    fc.property(fc.array(fc.oneof(scalar, fc.constant(0n)), { maxLength: 20 }), (values) => {
      const packed = allocateScalars(values.length);
      values.forEach((value, i) => {
        writeScalar(packed, i, value);
      });
      expect(scalarCount(packed)).toBe(values.length);
      expect(values.map((_, i) => readScalar(packed, i))).toEqual(values);
      expect(values.map((_, i) => isZeroScalar(packed, i))).toEqual(values.map((v) => v === 0n));
      expect([...scalarBytes(packed)]).toEqual(values.flatMap((value) => [...frToBytes(value)]));
    }),
  );
});
