import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { Redis } from 'ioredis';
import { KEY_PREFIX } from './keys.ts';

/** Scripts live beside src and dist, so that the same relative address holds from both. */
const FOLDER = new URL('../../lua/', import.meta.url);

/** Put before every script, in this order. */
const BEFORE_EACH = ['record', 'permits', 'common'];

interface Script {
  readonly body: string;
  readonly sha1: string;
}

const loaded = new Map<string, Script>();

function loadScript(name: string): Script {
  const known = loaded.get(name);
  if (known) return known;
  const source = (file: string) => readFileSync(new URL(`${file}.lua`, FOLDER), 'utf8');
  const body = [...BEFORE_EACH, name].map(source).join('\n');
  const script = { body, sha1: createHash('sha1').update(body).digest('hex') };
  loaded.set(name, script);
  return script;
}

/**
 * Runs a script of lua/ (after those of BEFORE_EACH) in one atomic step and returns its JSON answer.
 * Arguments travel as one JSON document. Lua tables lose the difference between [] and {}: callers treat an empty
 * object as an empty list.
 */
export async function runScript<Answer>(redis: Redis, name: string, args: object): Promise<Answer> {
  const { body, sha1 } = loadScript(name);
  const document = JSON.stringify(args);
  let answer: unknown;
  try {
    answer = await redis.evalsha(sha1, 1, KEY_PREFIX, document);
  } catch (error) {
    if (!(error instanceof Error && error.message.startsWith('NOSCRIPT'))) throw error;
    answer = await redis.eval(body, 1, KEY_PREFIX, document);
  }
  return JSON.parse(String(answer)) as Answer;
}
