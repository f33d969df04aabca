import { expect, it } from 'vitest';
import { fromHex, toHex } from '../bytes.ts';
import { nobleHashes } from './hashes.ts';
import { registeredProof } from './registered-proof.ts';
import { parseMinerAddress, proverIdOfActor, replicaIdOf } from './replica-id.ts';
import { C1_CASES, readC1Case } from './testing/vectors.ts';

it('turns actor ids into left-aligned varints', () => {
  const text = (actorId: bigint) => toHex(proverIdOfActor(actorId)).replace(/(00)+$/, '');
  expect(text(1000n)).toBe('e807');
  expect(text(0n)).toBe('');
  expect(text(127n)).toBe('7f');
  expect(text(128n)).toBe('8001');
  expect(text(2n ** 63n - 1n)).toBe('ffffffffffffffff7f');
  expect(() => proverIdOfActor(2n ** 63n)).toThrow(RangeError);
  expect(() => proverIdOfActor(-1n)).toThrow(RangeError);
});

it('reads ID addresses of both networks and nothing else', () => {
  expect(parseMinerAddress('f01000')).toBe(1000n);
  expect(parseMinerAddress('t09223372036854775807')).toBe(2n ** 63n - 1n);
  for (const text of [
    '1000',
    'f1000',
    'f001',
    'f0',
    'f0-1',
    'F01000',
    'f01000 ',
    'f09223372036854775808',
    'f2abc',
  ]) {
    expect(() => parseMinerAddress(text)).toThrow(
      expect.objectContaining({ code: 'REQUEST_INVALID' }),
    );
  }
});

it.each(C1_CASES)('derives prover id and replica id of the sealed sector %s', (name) => {
  const { expected } = readC1Case(name);
  const proverId = proverIdOfActor(parseMinerAddress(expected.miner));
  expect(toHex(proverId)).toBe(expected.proverId);
  const parts = {
    proverId,
    sectorId: BigInt(expected.sectorId),
    ticket: fromHex(expected.ticket),
    commD: fromHex(expected.commD),
    porepId: registeredProof(expected.registeredProof).porepId,
  };
  expect(toHex(replicaIdOf(parts, nobleHashes))).toBe(expected.replicaId);
  expect(toHex(replicaIdOf({ ...parts, sectorId: parts.sectorId + 1n }, nobleHashes))).not.toBe(
    expected.replicaId,
  );
  expect(() => replicaIdOf({ ...parts, sectorId: 2n ** 64n }, nobleHashes)).toThrow(RangeError);
});
