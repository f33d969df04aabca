import { expect, it } from 'vitest';
import { checkC1OfAnySector } from './c1-check.ts';
import { c1JsonPieces } from './c1-json.ts';
import { partitionCounts } from './fill-counts.ts';
import type { PartitionInput } from './partition-input.ts';
import { sectorShape } from './sector.ts';
import { synthesizePartition } from './synthesize.ts';
import { nodeHashes } from './testing/node-hashes.ts';
import { sealSector } from './testing/seal-sector.ts';

const slow = process.env.SLOW === '1';
if (!slow) console.log('skipped: sealing 32 GiB where its challenges look takes a minute (SLOW=1)');

function* c1Bytes(): Generator<Uint8Array> {
  const sealed = sealSector({
    proof: 'StackedDrg32GiBV1_1',
    proverId: new Uint8Array(32),
    sectorId: 1n,
    ticket: new Uint8Array(32).fill(1),
    seed: new Uint8Array(32).fill(2),
  });
  const encoder = new TextEncoder();
  for (const piece of c1JsonPieces(sealed)) yield encoder.encode(piece);
}

it.skipIf(!slow)(
  'a 32 GiB partition agrees with its commitments and statement, in bounded memory',
  async () => {
    const partitions: PartitionInput[] = [];
    await checkC1OfAnySector(c1Bytes(), {
      hashes: nodeHashes,
      onPartition(partition) {
        partitions.push(partition);
      },
    });
    expect(partitions.length).toBe(10);
    const shape = sectorShape(32 * 2 ** 30);
    const counts = partitionCounts(shape);
    const before = process.memoryUsage();
    const started = process.cpuUsage();
    let last = performance.now();
    let longestGapMs = 0;
    const witness = synthesizePartition(partitions[9], shape, {
      checkpoint() {
        const now = performance.now();
        longestGapMs = Math.max(longestGapMs, now - last);
        last = now;
      },
    });
    const { user, system } = process.cpuUsage(started);
    const { arrayBuffers } = process.memoryUsage();
    const megabytes = (arrayBuffers - before.arrayBuffers) / 1e6;
    console.log(
      `32 GiB partition: ${((user + system) / 1000).toFixed(0)} ms of processor time, ` +
        `${megabytes.toFixed(0)} MB of buffers, longest gap ${longestGapMs.toFixed(1)} ms`,
    );
    expect(witness.bitPlane.length).toBe(Math.ceil(counts.aux / 32));
    expect(witness.elements.length).toBe(8 * counts.elements);
    const witnessBytes = witness.bitPlane.byteLength + witness.elements.byteLength;
    expect(arrayBuffers - before.arrayBuffers).toBeLessThan(2 * witnessBytes);
  },
  600_000,
);
