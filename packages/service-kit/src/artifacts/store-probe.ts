import { createHash } from 'node:crypto';
import type { ArtifactStore } from './types.ts';

/** Probes are asked for by orchestrators every few seconds; the store is bothered less often. */
const KEPT_MS = 10_000;
const TIMEOUT_MS = 5_000;

/** Tells whether this process can write to the artifact store now: null, or why not in words. */
export type StoreProbe = () => Promise<string | null>;

/**
 * Writes and deletes a few bytes below `probes/`, under a name that is made of `name`: nodes may be named longer than
 * files. The answer is kept for ten seconds.
 */
export function createStoreProbe(artifacts: ArtifactStore, name: string): StoreProbe {
  const ref = `probes/${createHash('sha256').update(name).digest('hex').slice(0, 32)}`;
  let last: { readonly at: number; readonly answer: Promise<string | null> } | undefined;
  return () => {
    if (last === undefined || performance.now() - last.at > KEPT_MS) {
      last = { at: performance.now(), answer: probe(artifacts, ref) };
    }
    return last.answer;
  };
}

async function probe(artifacts: ArtifactStore, ref: string): Promise<string | null> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<string>((resolve) => {
    timer = setTimeout(() => resolve('the artifact store does not answer'), TIMEOUT_MS);
  });
  const write = async (): Promise<null> => {
    await artifacts.put(ref, Buffer.from('probe'));
    await artifacts.delete(ref);
    return null;
  };
  try {
    return await Promise.race([write(), late]);
  } catch (error) {
    const { message } = error as Error;
    return `the artifact store cannot be written: ${message}`;
  } finally {
    clearTimeout(timer);
  }
}
