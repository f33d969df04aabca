import type { ChallengeAt } from '../challenges.ts';
import type { SeededValues } from './seeded-values.ts';

/** 64 times the average number of tries where the fewest nodes are sealed: enough but once in e^64 sectors. */
const MOST_TRIES = 2 ** 24;

/** The interactive seed with number i: 32 bytes. */
export const madeUpSeed = (values: SeededValues, i: number): Uint8Array => values('seed', 0, i);

/**
 * The first made-up interactive seed whose challenges all fall among the sealed nodes. Throws RangeError where
 * none is found, which means that too few nodes are sealed.
 */
export function findSeed(
  {
    challenges,
    challengesFor,
    values,
  }: {
    /** Challenges of the seal, all partitions together. */
    readonly challenges: number;
    readonly challengesFor: (commR: Uint8Array, seed: Uint8Array) => ChallengeAt;
    readonly values: SeededValues;
  },
  commR: Uint8Array,
  isSealed: (node: number) => boolean,
): Uint8Array {
  for (let i = 0; i < MOST_TRIES; i++) {
    const seed = madeUpSeed(values, i);
    const challengeAt = challengesFor(commR, seed);
    let j = 0;
    while (j < challenges && isSealed(challengeAt(j))) j++;
    if (j === challenges) return seed;
  }
  throw new RangeError('seed: none of those tried challenges sealed nodes only');
}
