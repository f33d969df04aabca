import { spawnSync } from 'node:child_process';
import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { CuzkError } from '@cuzk/core/errors';
import type { CardMemory } from '@cuzk/service-kit/memory/card-memory';

/** A command line. */
type Command = readonly [string, ...string[]];

/** Device nodes of the NVIDIA cards that this process sees, such as `/dev/nvidia0`. A covered node is no card. */
export function nvidiaCards(folder = '/dev'): string[] {
  let names: string[] = [];
  try {
    names = readdirSync(folder);
  } catch {
    // No such folder: no cards.
  }
  const numbers = names.flatMap((name) => /^nvidia(\d+)$/.exec(name)?.[1] ?? []).map(Number);
  const covered = statSync('/dev/null', { throwIfNoEntry: false })?.rdev;
  return numbers
    .sort((a, b) => a - b)
    .map((number) => join(folder, `nvidia${number}`))
    .filter((node) => statSync(node, { throwIfNoEntry: false })?.rdev !== covered);
}

/**
 * A command that sees one of several cards only. Of cards with the same name a process gets the first one whatever it
 * asks for, and the variables of CUDA and of the Vulkan loader change nothing: so the nodes of the others are covered
 * in a mount namespace of its own, which takes root. The process keeps its id.
 */
export function pinnedTo(card: string, cards: readonly string[], command: Command): Command {
  const others = cards.filter((other) => other !== card);
  if (others.length === 0) return command;
  // Arguments are the nodes to cover, then `--`, then the command.
  const cover =
    'while [ "$1" != -- ]; do mount --bind /dev/null "$1" || exit 1; shift; done; shift; exec "$@"';
  return ['unshare', '--mount', '--', 'sh', '-c', cover, 'sh', ...others, '--', ...command];
}

/** Why processes of this user cannot be kept to one card each; null where they can. */
export function pinningProblem(): string | null {
  const { status, stderr, error } = spawnSync(
    'unshare',
    ['--mount', '--', 'mount', '--bind', '/dev/null', '/dev/zero'],
    { encoding: 'utf8' },
  );
  if (status === 0) return null;
  return (error?.message ?? stderr.trim()) || `unshare ended with ${status}`;
}

export interface CardPlan {
  /** The card of each gpu-worker; null: whatever it finds. */
  readonly workers: readonly (string | null)[];
  /** Why there are fewer workers than cards. */
  readonly problem: string | null;
}

/** One gpu-worker a card, at most `limit`; only one where processes cannot be kept apart. */
export function planCards(
  cards: readonly string[],
  limit: number,
  readProblem: () => string | null = pinningProblem,
): CardPlan {
  if (cards.length < 2) return { workers: [null], problem: null };
  const problem = readProblem();
  if (problem === null) return { workers: cards.slice(0, limit), problem: null };
  return {
    workers: [null],
    problem: `${cards.length} cards are here and one is used: a process cannot be kept to one card (${problem}); run serve as root, or one gpu-worker in a container for each card`,
  };
}

/** A worker with a circuit on its device takes this much of a card at least. */
const LOADED_BYTES = 256 * 2 ** 20;

const usedBytes = ({ totalBytes, freeBytes }: CardMemory): number => totalBytes - freeBytes;

/**
 * Checks by the memory of the cards that so many workers with loaded circuits are each on a card of its own. Returns
 * what each card gained, in bytes; empty where the memory of cards cannot be read. Throws CuzkError SETUP_FAILED.
 */
export function requireOwnCards(
  workers: number,
  before: readonly CardMemory[],
  after: readonly CardMemory[],
): readonly number[] {
  if (workers < 2 || before.length !== after.length || after.length < 2) return [];
  const gained = after.map((card, i) => usedBytes(card) - usedBytes(before[i] as CardMemory));
  const taken = gained.filter((bytes) => bytes >= LOADED_BYTES).length;
  if (taken >= workers) return gained;
  throw new CuzkError('SETUP_FAILED', 'gpu-workers share a card', {
    expected: `${workers} cards that hold a circuit`,
    found: `${taken}: ${gained.map((bytes) => `${Math.round(bytes / 2 ** 20)} MiB`).join(', ')} more than before`,
    action: 'set GPU_WORKERS=1, or run one gpu-worker in a container for each card',
  });
}
