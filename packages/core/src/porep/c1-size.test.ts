import { expect, it } from 'vitest';
import { checkC1 } from './c1-check.ts';
import { c1Reader } from './c1-reader.ts';
import { readJsonChunks } from './json-input.ts';
import { proverIdOfActor } from './replica-id.ts';
import { nodeHashes } from './testing/node-hashes.ts';
import { madeUpFr, sealedC1, sealSector } from './testing/seal-sector.ts';

const CHUNK_BYTES = 65_536;
const slow = process.env.SLOW === '1';
if (!slow) console.log('32 GiB C1: left out, it takes a minute or two (SLOW=1 runs it)');

/** A C1 of a 32 GiB sector: ten partitions, 180 challenges. */
function bigC1(): Uint8Array {
  return sealedC1(
    sealSector({
      proof: 'StackedDrg32GiBV1_1',
      proverId: proverIdOfActor(1000n),
      sectorId: 32n,
      ticket: madeUpFr('ticket'),
      seed: madeUpFr('seed'),
    }),
  );
}

function* chunksOf(bytes: Uint8Array): Generator<Uint8Array> {
  for (let i = 0; i < bytes.length; i += CHUNK_BYTES) yield bytes.subarray(i, i + CHUNK_BYTES);
}

it.skipIf(!slow)(
  'a 32 GiB C1 is read at 20 MB/s or more and passes every check',
  { timeout: 600_000 },
  async () => {
    const document = bigC1();
    const megabytes = document.length / 1e6;
    // Processor time, so that other work on the machine does not count.
    const seconds = async (work: () => Promise<unknown>): Promise<number> => {
      const started = process.cpuUsage();
      await work();
      const { user, system } = process.cpuUsage(started);
      return (user + system) / 1e6;
    };

    let challenges = 0;
    const sink = { onHeader() {}, onChallenge: () => challenges++ };
    const read = () => readJsonChunks(chunksOf(document), c1Reader(sink));
    // The first reading also pays for compiling the reader.
    const reading = Math.min(await seconds(read), await seconds(read));
    expect(challenges).toBe(360);

    const partitions: number[] = [];
    const checking = await seconds(() =>
      checkC1(chunksOf(document), {
        proverId: proverIdOfActor(1000n),
        sectorId: 32n,
        hashes: nodeHashes,
        onPartition: (input) => {
          expect(input.publicInputs.length).toBe(327);
          partitions.push(input.partition);
        },
      }),
    );
    expect(partitions).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
    console.log(
      `32 GiB C1: ${megabytes.toFixed(1)} MB, read in ${reading.toFixed(2)} s ` +
        `(${(megabytes / reading).toFixed(0)} MB/s), read and checked in ${checking.toFixed(1)} s`,
    );
    expect(megabytes / reading).toBeGreaterThan(20);
  },
);
