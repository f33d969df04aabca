import { expect, it } from 'vitest';
import { toHex } from '../bytes.ts';
import { type CheckedC1, checkC1 } from './c1-check.ts';
import type { PartitionInput } from './partition-input.ts';
import { parseMinerAddress, proverIdOfActor } from './replica-id.ts';
import { nodeHashes } from './testing/node-hashes.ts';
import { C1_CASES, type C1Expected, readC1Case } from './testing/vectors.ts';

function* split(bytes: Uint8Array, size: number): Generator<Uint8Array> {
  for (let i = 0; i < bytes.length; i += size) yield bytes.subarray(i, i + size);
}

async function check(
  c1: Uint8Array,
  expected: Pick<C1Expected, 'miner' | 'sectorId'>,
  chunkBytes = 65_536,
): Promise<{ checked: CheckedC1; partitions: PartitionInput[] }> {
  const partitions: PartitionInput[] = [];
  const checked = await checkC1(split(c1, chunkBytes), {
    proverId: proverIdOfActor(parseMinerAddress(expected.miner)),
    sectorId: BigInt(expected.sectorId),
    hashes: nodeHashes,
    onPartition: (partition) => {
      partitions.push(partition);
    },
  });
  return { checked, partitions };
}

it.each(C1_CASES)('accepts %s and gives the public inputs of the Rust stack', async (name) => {
  const { c1, expected } = readC1Case(name);
  const started = performance.now();
  const { checked, partitions } = await check(c1, expected);
  const ms = performance.now() - started;
  console.log(`${name}: ${c1.length} bytes parsed and checked in ${ms.toFixed(0)} ms`);
  expect(checked.header.registeredProof.name).toBe(expected.registeredProof);
  expect(partitions.map((partition) => partition.publicInputs.map(toHex))).toEqual(
    expected.publicInputs,
  );
});
