import { expect, it } from 'vitest';
import type { CuzkError } from '../errors.ts';
import { checkC1 } from './c1-check.ts';
import { parseMinerAddress, proverIdOfActor } from './replica-id.ts';
import { nodeHashes } from './testing/node-hashes.ts';
import { C1_CASES, readC1Case } from './testing/vectors.ts';

/** So many values of a document are tried, spread over all of it; all 964 of each with SLOW=1. */
const TRIED = process.env.SLOW === '1' ? Number.POSITIVE_INFINITY : 20;

// biome-ignore lint/suspicious/noExplicitAny: documents are changed as plain JSON
type Json = any;

/** A value of a document: a number, a name, or one byte of a 32-byte quantity. */
interface Leaf {
  readonly pointer: string;
  readonly holder: Json;
  readonly key: string | number;
}

function* leavesOf(value: Json, pointer = ''): Generator<Leaf> {
  for (const [key, child] of Object.entries<Json>(value)) {
    const at = `${pointer}/${key}`;
    if (typeof child !== 'object' || child === null) yield { pointer: at, holder: value, key };
    else if (typeof child[0] === 'number') yield { pointer: at, holder: child, key: 17 };
    else yield* leavesOf(child, at);
  }
}

it.each(C1_CASES)('a change of any value of %s is refused, near the value', async (name) => {
  const { c1, expected } = readC1Case(name);
  const document = JSON.parse(new TextDecoder().decode(c1));
  const refusal = () =>
    checkC1([new TextEncoder().encode(JSON.stringify(document))], {
      proverId: proverIdOfActor(parseMinerAddress(expected.miner)),
      sectorId: BigInt(expected.sectorId),
      hashes: nodeHashes,
      onPartition: () => {},
    }).then(
      () => undefined,
      (error: CuzkError) => error,
    );
  expect(await refusal()).toBeUndefined();
  // the phantom `_h` of a column carries nothing
  const leaves = [...leavesOf(document)].filter(({ key }) => key !== '_h');
  const stride = Math.max(1, leaves.length / TRIED);
  for (let i = 0; i < leaves.length; i += stride) {
    const { pointer, holder, key } = leaves[Math.floor(i)];
    const value = holder[key];
    holder[key] = typeof value === 'number' ? value ^ 1 : `${value}x`;
    const error = await refusal();
    holder[key] = value;
    expect(error?.code, pointer).toMatch(/^C1_/);
    // to the challenge: where a column and its leaf differ, either may be the wrong one
    const challenge = pointer.split('/').slice(0, 5).join('/');
    if (pointer.startsWith('/vanilla')) expect(error?.facts.pointer).toContain(challenge);
  }
});
