import { createHash } from 'node:crypto';
import { expect, it } from 'vitest';
import { fromHex, toHex } from '../bytes.ts';
import { checkC1 } from './c1-check.ts';
import type { PartitionInput } from './partition-input.ts';
import {
  decodePartitionInput,
  encodePartitionInput,
  partitionInputFileBytes,
} from './partition-input-file.ts';
import { sectorShape } from './sector.ts';
import { hexed } from './testing/hexed.ts';
import { nodeHashes } from './testing/node-hashes.ts';
import { readC1Case } from './testing/vectors.ts';

async function goldenInput(): Promise<PartitionInput> {
  const { c1, expected } = readC1Case('2KiB-V1_1-a');
  const inputs: PartitionInput[] = [];
  await checkC1([c1], {
    proverId: fromHex(expected.proverId),
    sectorId: BigInt(expected.sectorId),
    hashes: nodeHashes,
    onPartition: (input) => {
      inputs.push(input);
    },
  });
  return inputs[0];
}

/** A file whose checksum is right again after a change. */
function resealed(file: Uint8Array, change: (bytes: Uint8Array) => void): Uint8Array {
  const copy = file.slice();
  change(copy);
  const end = copy.length - 32;
  copy.set(createHash('sha256').update(copy.subarray(0, end)).digest(), end);
  return copy;
}

it('lays a partition input out as version 1 says', async () => {
  const input = await goldenInput();
  const file = encodePartitionInput(input);
  expect(partitionInputFileBytes(sectorShape(2048))).toBe(file.length);
  expect(toHex(file.subarray(0, 32))).toBe(
    '435a5049' +
      '01000000' +
      '0008000000000000' +
      '00000000' +
      '02000000' +
      '27000000' +
      '00000000',
  );
  expect(toHex(file.subarray(32, 64))).toBe(toHex(input.replicaId));
  expect(toHex(file.subarray(160, 192))).toBe(toHex(input.commC));
  expect(toHex(file.subarray(-32))).toBe(
    createHash('sha256').update(file.subarray(0, -32)).digest('hex'),
  );
  expect(hexed(decodePartitionInput(file))).toEqual(hexed(input));
});

it('refuses a file that is not one, is cut, long, or of another version or size', async () => {
  const file = encodePartitionInput(await goldenInput());
  const refused = (bytes: Uint8Array, message: RegExp) => {
    expect(() => decodePartitionInput(bytes)).toThrow(
      expect.objectContaining({
        code: 'PARTITION_INPUT_MALFORMED',
        message: expect.stringMatching(message),
      }),
    );
  };
  refused(new Uint8Array(0), /wrong length/);
  refused(file.subarray(0, 191), /wrong length/);
  refused(file.subarray(0, -1), /wrong length/);
  refused(Uint8Array.from([...file, 0]), /wrong length/);
  refused(file.with(0, 0x44), /wrong magic/);
  refused(file.with(4, 2), /wrong version/);
  refused(file.with(8, 1), /wrong sector size/);
  refused(file.with(20, 3), /wrong count/);
  refused(file.with(24, 3), /wrong count/);
  refused(file.with(28, 1), /wrong count/);
  const first = 192 + 39 * 32;
  refused(
    resealed(file, (bytes) => bytes.set([64], first)),
    /too big/,
  );
  refused(
    resealed(file, (bytes) => bytes.set([2], first + 40)),
    /too big/,
  );
  const column = first + 40 + 6 * 33;
  refused(
    resealed(file, (bytes) => bytes.set([8], column + 64)),
    /too big/,
  );
});

it('finds a damaged byte anywhere behind the header', async () => {
  const file = encodePartitionInput(await goldenInput());
  for (const offset of [32, 191, 5000, file.length - 33, file.length - 1]) {
    expect(() => decodePartitionInput(file.with(offset, file[offset] ^ 1))).toThrow(
      expect.objectContaining({ code: 'ARTIFACT_DIGEST_MISMATCH', retryable: true }),
    );
  }
});

it('does not write an input with other counts than its size', async () => {
  const input = await goldenInput();
  const [first] = input.challenges;
  expect(() => encodePartitionInput({ ...input, challenges: [first] })).toThrow(RangeError);
  expect(() => encodePartitionInput({ ...input, publicInputs: [] })).toThrow(RangeError);
  expect(() => encodePartitionInput({ ...input, commC: new Uint8Array(31) })).toThrow(RangeError);
  const short = { ...first, commDPath: { ...first.commDPath, base: [] } };
  expect(() => encodePartitionInput({ ...input, challenges: [first, short] })).toThrow(RangeError);
});
