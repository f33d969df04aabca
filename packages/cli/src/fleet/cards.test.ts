import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { nvidiaCards, pinnedTo, pinningProblem, planCards, requireOwnCards } from './cards.ts';

const folder = mkdtempSync(join(tmpdir(), 'cuzk-cards-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const CARDS = [0, 1, 2].map((n) => join(folder, `nvidia${n}`));
for (const [n, card] of CARDS.entries()) writeFileSync(card, `card ${n}`);
for (const other of ['nvidiactl', 'nvidia-uvm', 'nvidia10x'])
  writeFileSync(join(folder, other), '');

const PROBLEM = pinningProblem();
if (PROBLEM !== null) console.log(`skipped: mounting is not allowed here (${PROBLEM})`);

describe('cards', () => {
  it('are the numbered nodes, in order', () => {
    expect(nvidiaCards(folder)).toEqual(CARDS);
    expect(nvidiaCards(join(folder, 'none'))).toEqual([]);
    const half = mkdtempSync(join(folder, 'covered-'));
    writeFileSync(join(half, 'nvidia1'), '');
    symlinkSync('/dev/null', join(half, 'nvidia0'));
    expect(nvidiaCards(half)).toEqual([join(half, 'nvidia1')]);
  });

  it.skipIf(PROBLEM !== null)(
    'a pinned process sees its own card only, the others go on seeing all',
    () => {
      const look = `process.stdout.write(process.argv.slice(1).map((f) => require('fs').readFileSync(f, 'utf8')).join('|') + ' ' + process.ppid)`;
      const [program, ...args] = pinnedTo(CARDS[1] as string, CARDS, [
        process.execPath,
        '-e',
        look,
        ...CARDS,
      ]);
      const { stdout, status } = spawnSync(program, args, { encoding: 'utf8' });
      // It is the child of this process itself: no shell is left between them.
      expect([status, stdout]).toEqual([0, `|card 1| ${process.pid}`]);
      expect(readFileSync(CARDS[0] as string, 'utf8')).toBe('card 0');
    },
  );

  it.skipIf(PROBLEM !== null)('nothing is started where a card cannot be covered', () => {
    const [program, ...args] = pinnedTo('/a', ['/a', '/no/such/node'], ['echo', 'started']);
    const { stdout, status } = spawnSync(program, args, { encoding: 'utf8' });
    expect([status === 0, stdout]).toEqual([false, '']);
  });

  it('one card needs no pinning', () => {
    expect(pinnedTo('/dev/nvidia0', ['/dev/nvidia0'], ['echo', 'x'])).toEqual(['echo', 'x']);
  });
});

describe('the plan', () => {
  const fine = () => null;
  it('is one worker a card, at most so many', () => {
    expect(planCards(CARDS, 16, fine).workers).toEqual(CARDS);
    expect(planCards(CARDS, 2, fine).workers).toEqual(CARDS.slice(0, 2));
    expect(planCards([], 16, fine)).toEqual({ workers: [null], problem: null });
    expect(planCards(CARDS.slice(0, 1), 16, fine).workers).toEqual([null]);
  });

  it('is one worker where processes cannot be kept apart, and says so', () => {
    const plan = planCards(CARDS, 16, () => 'not permitted');
    expect(plan.workers).toEqual([null]);
    expect(plan.problem).toMatch(/3 cards .* one is used.*not permitted/);
  });
});

describe('the proof by memory', () => {
  const GIB = 2 ** 30;
  const cards = (...free: number[]) =>
    free.map((freeGib) => ({ totalBytes: 100 * GIB, freeBytes: freeGib * GIB }));

  it('holds where every worker took memory of a card of its own', () => {
    expect(requireOwnCards(2, cards(99, 99), cards(50, 52))).toEqual([49 * GIB, 47 * GIB]);
    expect(requireOwnCards(2, cards(99, 99, 10), cards(50, 52, 10)).length).toBe(3);
  });

  it('fails where two are on one card', () => {
    expect(() => requireOwnCards(2, cards(99, 99), cards(3, 99))).toThrow(/SETUP_FAILED/);
  });

  it('is not asked for with one worker, or where memory cannot be read', () => {
    expect(requireOwnCards(1, cards(99, 99), cards(50, 99))).toEqual([]);
    expect(requireOwnCards(2, [], [])).toEqual([]);
  });
});
