import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { toHex } from '../bytes.ts';
import { CuzkError } from '../errors.ts';
import { type CheckedC1, checkC1, checkC1OfAnySector } from './c1-check.ts';
import { C1_TAIL_BYTES, readC1Tail } from './c1-tail.ts';
import type { PartitionInput } from './partition-input.ts';
import { parseMinerAddress, proverIdOfActor } from './replica-id.ts';
import { BROKEN_C1_SECTOR, BROKEN_C1S } from './testing/broken-c1.ts';
import { hexed } from './testing/hexed.ts';
import { nodeHashes } from './testing/node-hashes.ts';
import { madeUpFr, sealedC1, sealSector } from './testing/seal-sector.ts';
import { C1_CASES, type C1Expected, readC1Case } from './testing/vectors.ts';

function* split(bytes: Uint8Array, size: number): Generator<Uint8Array> {
  for (let i = 0; i < bytes.length; i += size) yield bytes.subarray(i, i + size);
}

async function check(
  c1: Uint8Array,
  expected: Pick<C1Expected, 'miner' | 'sectorId'>,
  chunkBytes = 65_536,
  tail?: Uint8Array,
  partitions: PartitionInput[] = [],
): Promise<{ checked: CheckedC1; partitions: PartitionInput[] }> {
  const checked = await checkC1(split(c1, chunkBytes), {
    ...(tail === undefined ? {} : { tail }),
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

// biome-ignore lint/suspicious/noExplicitAny: documents are rearranged as plain JSON
type Json = any;
const parse = (c1: Uint8Array): Json => JSON.parse(new TextDecoder().decode(c1));
const serialise = (document: Json, indent?: number): Uint8Array =>
  new TextEncoder().encode(JSON.stringify(document, null, indent));

/** Every object with its fields in reverse order, behind unknown ones. */
function disguised(value: Json): Json {
  if (Array.isArray(value)) return value.map(disguised);
  if (value === null || typeof value !== 'object') return value;
  const keys = Object.keys(value);
  const reversed = keys.reverse().map((key) => [key, disguised(value[key])]);
  const isChoice = keys.length === 1 && /^(Single|StackedDrg)/.test(keys[0]);
  const unknown = [
    ['ExtraName', [{ deep: [null, true, -1.5e3] }, 'text']],
    ['\u00e9', 0],
  ];
  return Object.fromEntries(isChoice ? reversed : [...unknown, ...reversed]);
}

describe('the same partitions come out', () => {
  const { c1, expected } = readC1Case('2KiB-V1_1-a');
  const partitionsOf = async (document: Uint8Array, chunkBytes?: number) =>
    hexed((await check(document, expected, chunkBytes)).partitions);

  it('with fields in any order, unknown fields and whitespace', async () => {
    const partitions = await partitionsOf(c1);
    const document = disguised(parse(c1));
    expect(Object.keys(document)[2]).toBe('ticket');
    for (const indent of [undefined, 1]) {
      expect(await partitionsOf(serialise(document, indent))).toEqual(partitions);
    }
    const { vanilla_proofs, ...header } = parse(c1);
    expect(await partitionsOf(serialise({ ...header, vanilla_proofs }))).toEqual(partitions);
  });

  it('in chunks of any size', async () => {
    const partitions = await partitionsOf(c1);
    for (const chunkBytes of [1, 113, 4096, 2 ** 20]) {
      expect(await partitionsOf(c1, chunkBytes)).toEqual(partitions);
    }
  });
});

it('emits all thirteen partitions of a non-interactive seal, in order', async () => {
  const sector = sealSector({
    proof: 'StackedDrg2KiBV1_2_Feat_NonInteractivePoRep',
    proverId: proverIdOfActor(1000n),
    sectorId: 5n,
    ticket: madeUpFr('ticket'),
    seed: madeUpFr('seed'),
  });
  const { partitions, checked } = await check(sealedC1(sector), {
    miner: 'f01000',
    sectorId: '5',
  });
  expect(checked.partitions).toBe(13);
  expect(partitions.map((input) => input.partition)).toEqual(
    Array.from({ length: 13 }, (_, k) => k),
  );
  const nodes = partitions.map((input) => input.challenges.map((challenge) => challenge.node));
  expect(nodes).toEqual(sector.proofs.map((list) => list.map((proof) => proof.labeling[0].node)));
});

const tailOf = (document: Uint8Array): Uint8Array => document.slice(-C1_TAIL_BYTES);

describe('with the end of the document at hand', () => {
  const sector = { miner: 'f01000', sectorId: '5' };
  const c1 = sealedC1(
    sealSector({
      proof: 'StackedDrg2KiBV1_2_Feat_NonInteractivePoRep',
      proverId: proverIdOfActor(1000n),
      sectorId: 5n,
      ticket: madeUpFr('ticket'),
      seed: madeUpFr('seed'),
    }),
  );

  it('a partition is emitted as soon as it was checked, and the same ones come out', async () => {
    const plain = await check(c1, sector);
    const emittedAt: number[] = [];
    let read = 0;
    const chunks = function* () {
      for (const chunk of split(c1, 4_096)) {
        read += chunk.length;
        yield chunk;
      }
    };
    const partitions: PartitionInput[] = [];
    await checkC1(chunks(), {
      ...{ proverId: proverIdOfActor(1000n), sectorId: 5n, hashes: nodeHashes, tail: tailOf(c1) },
      onPartition: (partition) => {
        emittedAt.push(read / c1.length);
        partitions.push(partition);
      },
    });
    expect(hexed(partitions)).toEqual(hexed(plain.partitions));
    emittedAt.forEach((share, k) => {
      expect(share).toBeLessThan((k + 1) / 13 + 0.02);
    });
  });

  it('a later partition that is wrong is refused as without it, after those before it were emitted', async () => {
    const document = parse(c1);
    const [key] = Object.keys(document.vanilla_proofs);
    document.vanilla_proofs[key as string][9][1].labeling_proofs[1].node ^= 1;
    const broken = serialise(document);
    const refusal = async (tail?: Uint8Array, emitted: PartitionInput[] = []) =>
      check(broken, sector, 4_096, tail, emitted).then(
        () => expect.unreachable('accepted'),
        (error: CuzkError) => ({ message: error.message, ...error.facts }),
      );
    const plain: PartitionInput[] = [];
    const expected = await refusal(undefined, plain);
    expect([expected.pointer, plain.length]).toEqual([
      `/vanilla_proofs/${key}/9/1/labeling_proofs/1/node`,
      0,
    ]);
    const emitted: PartitionInput[] = [];
    expect(await refusal(tailOf(broken), emitted)).toEqual(expected);
    expect(emitted).toHaveLength(9);
  });

  it('an end that is not that of the document is refused', async () => {
    const other = parse(c1);
    other.seed[3] ^= 1;
    await expect(check(c1, sector, 4_096, tailOf(serialise(other)))).rejects.toMatchObject({
      code: expect.stringMatching(/^C1_(MALFORMED|INCONSISTENT)$/),
    });
  });

  it('anything may stand at the end: what is no header is no forecast', async () => {
    for (const text of [
      '',
      '}',
      '{}',
      ',}',
      '},}',
      '},"seed":[1]}',
      '},"seed":1,"seed":2}',
      '}, "a": tru',
    ]) {
      expect(await readC1Tail(new TextEncoder().encode(text))).toEqual({});
    }
    const { seed, ticket } = await readC1Tail(tailOf(c1));
    expect([seed, ticket].map((bytes) => bytes?.length)).toEqual([32, 32]);
  });

  it('the tail may be a view of the document, which stays as it is', async () => {
    const document = Buffer.from(c1);
    const { checked } = await check(document, sector, 4_096, document.subarray(-C1_TAIL_BYTES));
    expect(checked.partitions).toBe(13);
    expect(document.equals(c1)).toBe(true);
  });
});

it('never fails with anything but a C1 error when a byte is changed', async () => {
  const { c1, expected } = readC1Case('2KiB-V1_1-a');
  const { partitions } = await check(c1, expected);
  await fc.assert(
    fc.asyncProperty(
      fc.nat({ max: c1.length - 1 }),
      fc.constantFrom(...new TextEncoder().encode('09 ,]}["x\u0000')),
      async (offset, byte) => {
        const changed = c1.with(offset, byte);
        const outcome = await check(changed, expected).then(
          (result) => result.partitions,
          (error: CuzkError) => error,
        );
        if (outcome instanceof CuzkError) expect(outcome.code).toMatch(/^C1_/);
        else expect(hexed(outcome)).toEqual(hexed(partitions));
      },
    ),
    { numRuns: 60 },
  );
});

describe('a C1 is refused with code, pointer, expected and found', () => {
  it.each(BROKEN_C1S)('$name', async (broken) => {
    const document = broken.make();
    for (const [chunkBytes, tail] of [
      [document.length + 1, undefined],
      [977, undefined],
      [977, tailOf(document)],
    ] as const) {
      const error = await check(document, BROKEN_C1_SECTOR, chunkBytes, tail).then(
        () => expect.unreachable('accepted'),
        (caught: CuzkError) => caught,
      );
      expect(error.message).toContain(`[${broken.code}]`);
      expect(error.message).toContain(broken.message);
      expect(error.status).toBeGreaterThanOrEqual(400);
      expect(error.status).toBeLessThan(500);
      expect(error.retryable).toBe(false);
      const { pointer, expected, found } = error.facts;
      expect({ pointer, expected, found }).toEqual({
        pointer: broken.pointer,
        expected: matching(broken.expected),
        found: matching(broken.found),
      });
    }
  });

  it.each([
    { miner: 'f01001', sectorId: '1' },
    { miner: 'f01000', sectorId: '2' },
  ])('for miner $miner and sector $sectorId, who did not seal it', async (sector) => {
    await expect(check(readC1Case('2KiB-V1_1-a').c1, sector)).rejects.toMatchObject({
      code: 'C1_INCONSISTENT',
      facts: { pointer: '/replica_id', found: readC1Case('2KiB-V1_1-a').expected.replicaId },
    });
  });
});

const matching = (text: string | RegExp) =>
  text instanceof RegExp ? expect.stringMatching(text) : text;

it('can be looked at without a sector, but not with wrong content', async () => {
  const { c1, expected } = readC1Case('2KiB-V1_1-b');
  const onPartition = () => {};
  const { header } = await checkC1OfAnySector([c1], { hashes: nodeHashes, onPartition });
  expect(toHex(header.replicaId)).toBe(expected.replicaId);
  const document = parse(c1);
  document.replica_id[0] ^= 1;
  await expect(
    checkC1OfAnySector([serialise(document)], { hashes: nodeHashes, onPartition }),
  ).rejects.toMatchObject({ code: 'C1_INCONSISTENT' });
});
