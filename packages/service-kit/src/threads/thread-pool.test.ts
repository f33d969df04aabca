import { existsSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { eventually } from '../testing/open-test-service.ts';
import { ThreadPool } from './thread-pool.ts';

type Request =
  | { readonly do: 'double'; readonly value: number }
  | { readonly do: 'fail' | 'refuse' | 'die' | 'spin' | 'hang' };

let folder: string;
let entry: URL;
const pools: ThreadPool<Request, number, number>[] = [];

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'cuzk-threads-'));
  const kit = new URL('../../dist/threads/serve-thread.js', import.meta.url).href;
  const errors = new URL('../../../core/dist/errors.js', import.meta.url).href;
  const file = join(folder, 'test-thread.mjs');
  writeFileSync(
    file,
    `import { serveThread } from ${JSON.stringify(kit)};
     import { CuzkError } from ${JSON.stringify(errors)};
     import { appendFileSync } from 'node:fs';
     appendFileSync(new URL('./starts', import.meta.url), '.');
     serveThread(async (request, { checkpoint, emit }) => {
       if (request.do === 'fail') throw new TypeError('broken');
       if (request.do === 'refuse') throw new CuzkError('C1_MALFORMED', 'bad', { pointer: '/x' });
       if (request.do === 'die') process.exit(3);
       if (request.do === 'spin') for (;;) checkpoint();
       if (request.do === 'hang') for (;;);
       emit(request.value);
       return { answer: 2 * request.value };
     });`,
  );
  entry = pathToFileURL(file);
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));
afterEach(async () => {
  for (const pool of pools.splice(0)) await pool.close();
});

function open(size: number): ThreadPool<Request, number, number> {
  const pool = new ThreadPool<Request, number, number>(entry, size);
  pools.push(pool);
  return pool;
}

describe('a thread pool', () => {
  it('runs more tasks than it has threads, and passes parts on', async () => {
    const pool = open(2);
    const parts: number[] = [];
    const values = [1, 2, 3, 4, 5, 6, 7];
    const answers = await Promise.all(
      values.map((value) =>
        pool.run({ do: 'double', value }, { onPart: (part) => parts.push(part) }),
      ),
    );
    expect(answers).toEqual(values.map((value) => 2 * value));
    expect(parts.sort()).toEqual(values);
  });

  it('starts threads ahead of work, never more than its size, and uses them', async () => {
    const starts = () =>
      existsSync(join(folder, 'starts')) ? statSync(join(folder, 'starts')).size : 0;
    const before = starts();
    const pool = open(2);
    pool.startAhead(5);
    await eventually(() => starts() === before + 2);
    const answers = [1, 2, 3].map((value) => pool.run({ do: 'double', value }));
    expect(await Promise.all(answers)).toEqual([2, 4, 6]);
    expect(starts()).toBe(before + 2);
  });

  it('brings errors back with code and facts, and goes on', async () => {
    const pool = open(1);
    await expect(pool.run({ do: 'fail' })).rejects.toThrow('broken');
    await expect(pool.run({ do: 'refuse' })).rejects.toMatchObject({
      code: 'C1_MALFORMED',
      facts: { pointer: '/x' },
    });
    expect(await pool.run({ do: 'double', value: 4 })).toBe(8);
  });

  it('rejects the task of a thread that dies, and starts another', async () => {
    const pool = open(1);
    await expect(pool.run({ do: 'die' })).rejects.toThrow('code 3');
    expect(await pool.run({ do: 'double', value: 4 })).toBe(8);
  });

  it('stops work at its next checkpoint, and work that has none by ending its thread', async () => {
    const pool = open(1);
    for (const [kind, withinMs] of [
      ['spin', 500],
      ['hang', 2_500],
    ] as const) {
      const abort = new AbortController();
      const task = pool.run({ do: kind }, { signal: abort.signal });
      await pool
        .run({ do: 'double', value: 1 }, { signal: AbortSignal.timeout(100) })
        .catch(() => {});
      const startedAt = performance.now();
      abort.abort(new Error('enough'));
      await expect(task).rejects.toThrow('enough');
      expect(performance.now() - startedAt).toBeLessThan(withinMs);
      expect(await pool.run({ do: 'double', value: 3 })).toBe(6);
    }
  });

  it('does not start what was aborted while it waited', async () => {
    const pool = open(1);
    const first = new AbortController();
    const running = pool.run({ do: 'spin' }, { signal: first.signal });
    const second = new AbortController();
    const waiting = pool.run({ do: 'double', value: 1 }, { signal: second.signal });
    second.abort(new Error('not any more'));
    await expect(waiting).rejects.toThrow('not any more');
    first.abort(new Error('done'));
    await expect(running).rejects.toThrow('done');
  });

  it('names the build when its entry is missing', () => {
    expect(() => new ThreadPool(new URL('file:///nowhere/x.js'), 1)).toThrow('npm run build');
  });
});
