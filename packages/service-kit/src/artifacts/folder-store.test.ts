import { createHash } from 'node:crypto';
import { mkdtempSync, readdirSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openFolderStore, sweepHalfWritten } from './folder-store.ts';
import type { ArtifactStore } from './types.ts';

let folder: string;
let store: ArtifactStore;

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'cuzk-artifacts-'));
  store = await openFolderStore(folder);
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const bytes = (text: string): Uint8Array => Buffer.from(text);
const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');
const names = async (prefix: string): Promise<string[]> => {
  const found: string[] = [];
  for await (const { ref } of store.list(prefix)) found.push(ref);
  return found;
};

describe('folder store', () => {
  it('gives back what was put, with its size and digest', async () => {
    const put = await store.put('proofs/x/c1.json', Readable.from([bytes('ab'), bytes('c')]));
    expect(put).toEqual({ ref: 'proofs/x/c1.json', bytes: 3, sha256: sha256('abc') });
    expect(Buffer.from(await store.get(put)).toString()).toBe('abc');
    expect(readFileSync(await store.localPath(put), 'utf8')).toBe('abc');
    expect(await store.stat(put.ref)).toMatchObject({ bytes: 3 });
    expect((await store.put('empty', new Uint8Array(0))).bytes).toBe(0);
  });

  it('notices one flipped byte, a cut and a missing artifact', async () => {
    const put = await store.put('a/b', bytes('abcdef'));
    for (const damaged of ['abcdeg', 'abcde', 'abcdef!']) {
      writeFileSync(join(folder, 'a', 'b'), damaged);
      for (const read of [() => store.get(put), () => store.localPath(put)]) {
        await expect(read()).rejects.toMatchObject({ code: 'ARTIFACT_DIGEST_MISMATCH' });
      }
    }
    expect(await store.delete(put.ref)).toBe(true);
    for (const read of [() => store.get(put), () => store.localPath(put)]) {
      await expect(read()).rejects.toMatchObject({ code: 'ARTIFACT_MISSING' });
    }
    expect(await store.delete(put.ref)).toBe(false);
    expect(await store.stat(put.ref)).toBeNull();
  });

  it('lists what is its own where others leave files: those of a network folder, of an editor', async () => {
    await store.put('proofs/x/c1.json', bytes('a'));
    for (const name of ['.nfs000000000f2d9b00000001', 'c1 (copy).json', '.DS_Store']) {
      writeFileSync(join(folder, 'proofs', 'x', name), '');
    }
    expect(await names('proofs/')).toEqual(['proofs/x/c1.json']);
  });

  it('leaves nothing behind when the source fails', async () => {
    async function* failing() {
      yield bytes('half');
      throw new Error('the client went away');
    }
    await expect(store.put('proofs/x/c1.json', Readable.from(failing()))).rejects.toThrow(
      'went away',
    );
    expect(await store.stat('proofs/x/c1.json')).toBeNull();
    expect(readdirSync(join(folder, '.writing'))).toEqual([]);
  });

  it('replaces as a whole: a reader sees the old or the new bytes', async () => {
    const old = await store.put('a', bytes('old'));
    const source = new Readable({ read() {} });
    const writing = store.put('a', source);
    source.push('new and longer');
    await new Promise((resolve) => setTimeout(resolve, 30));
    expect(Buffer.from(await store.get(old)).toString()).toBe('old');
    source.push(null);
    expect(Buffer.from(await store.get(await writing)).toString()).toBe('new and longer');
  });

  it('lists by prefix in name order, without half-written files', async () => {
    for (const ref of ['proofs/b/1', 'proofs/a/2', 'proofs/a/1', 'other/x']) {
      await store.put(ref, bytes(ref));
    }
    writeFileSync(join(folder, '.writing', 'half'), 'x');
    expect(await names('proofs/')).toEqual(['proofs/a/1', 'proofs/a/2', 'proofs/b/1']);
    expect(await names('proofs/a/')).toEqual(['proofs/a/1', 'proofs/a/2']);
    expect(await names('')).toHaveLength(4);
    expect(await names('nothing')).toEqual([]);
  });

  it('loses nothing that is written while folders are listed and empty ones removed', async () => {
    let writing = true;
    const listing = Array.from({ length: 4 }, async () => {
      while (writing) await names('');
    });
    try {
      for (let round = 0; round < 60; round++) {
        const refs = Array.from({ length: 8 }, (_, i) => `proofs/${round}/p${i}/witness`);
        const written = await Promise.all(refs.map((ref) => store.put(ref, bytes(ref))));
        for (const artifact of written) await store.get(artifact);
        for (const { ref } of written) expect(await store.delete(ref)).toBe(true);
      }
    } finally {
      writing = false;
      await Promise.all(listing);
    }
  }, 60_000);

  it('sweeps old half-written files and keeps young ones', async () => {
    for (const name of ['old', 'young']) writeFileSync(join(folder, '.writing', name), 'x');
    utimesSync(join(folder, '.writing', 'old'), new Date(0), new Date(0));
    expect(await sweepHalfWritten(folder, 60_000, Date.now())).toBe(1);
    expect(readdirSync(join(folder, '.writing'))).toEqual(['young']);
  });

  it('refuses names that lead out of the folder', async () => {
    for (const ref of [
      '../x',
      '/etc/passwd',
      'a/../../x',
      'a//b',
      '',
      '.writing/x',
      'a/.hidden',
      'a\\b',
    ]) {
      await expect(store.put(ref, bytes('x')), ref).rejects.toThrow(RangeError);
    }
  });
});
