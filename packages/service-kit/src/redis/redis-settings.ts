import { readFileSync } from 'node:fs';
import { CuzkError } from '@cuzk/core/errors';
import type { RedisOptions } from 'ioredis';
import { Type } from 'typebox';

const SENTINEL_PORT = 26_379;

/** Where Redis is. Spread into the settings of every service. */
export const REDIS_SETTINGS = {
  REDIS_URL: Type.String({
    default: 'redis://127.0.0.1:6379',
    pattern: '^rediss?://',
    description:
      'Redis or Valkey with noeviction and AOF; rediss:// for TLS, user:password@ for an ACL user',
  }),
  REDIS_CA_FILE: Type.String({
    default: '',
    description: 'Certificate authority of a rediss:// server, PEM; empty = those of the system',
  }),
  REDIS_SENTINELS: Type.String({
    default: '',
    pattern: '^([A-Za-z0-9._-]+(:[0-9]+)?(,[A-Za-z0-9._-]+(:[0-9]+)?)*)?$',
    description:
      'Sentinels as host:port,host:port, which know the primary; REDIS_URL then gives user, password, TLS and database',
  }),
  REDIS_SENTINEL_NAME: Type.String({
    default: 'mymaster',
    minLength: 1,
    description: 'What the sentinels call the primary',
  }),
  REDIS_CHECK: Type.String({
    enum: ['warn', 'refuse'],
    default: 'warn',
    description:
      'What to do about a Redis without AOF or memory limit, or that cannot be looked at; one that evicts keys is always refused',
  }),
} as const;

export interface RedisAddress {
  readonly REDIS_URL: string;
  readonly REDIS_CA_FILE?: string;
  readonly REDIS_SENTINELS?: string;
  readonly REDIS_SENTINEL_NAME?: string;
}

type ConnectionOptions = Pick<
  RedisOptions,
  | ('host' | 'port' | 'username' | 'password' | 'db' | 'tls')
  | ('sentinels' | 'name' | 'sentinelTLS' | 'enableTLSForSentinelMode')
>;

/**
 * How to connect, for ioredis. Throws CONFIG_INVALID when REDIS_URL is no address, without repeating it (its password),
 * and when REDIS_CA_FILE cannot be read.
 */
export function redisOptionsOf(address: RedisAddress): ConnectionOptions {
  const { secure, host, port, login } = partsOf(address.REDIS_URL);
  const tls = secure ? tlsOf(address.REDIS_CA_FILE ?? '') : null;
  const sentinels = sentinelsOf(address.REDIS_SENTINELS ?? '');
  if (sentinels.length === 0) {
    return {
      ...login,
      ...(tls === null ? {} : { tls }),
      host,
      port,
    };
  }
  return {
    ...login,
    sentinels,
    name: address.REDIS_SENTINEL_NAME ?? 'mymaster',
    ...(tls === null ? {} : { tls, sentinelTLS: tls, enableTLSForSentinelMode: true }),
  };
}

interface UrlParts {
  readonly secure: boolean;
  readonly host: string;
  readonly port: number;
  readonly login: Pick<ConnectionOptions, 'username' | 'password' | 'db'>;
}

function partsOf(url: string): UrlParts {
  try {
    const { protocol, hostname, port, username, password, pathname } = new URL(url);
    const db = pathname.slice(1);
    if (!/^\d*$/.test(db)) throw new TypeError('the database is no number');
    return {
      secure: protocol === 'rediss:',
      host: hostname.replace(/^\[(.*)\]$/, '$1'), // IPv6 stands in brackets in an address only.
      port: Number(port || 6379),
      login: {
        ...(username ? { username: decodeURIComponent(username) } : {}),
        ...(password ? { password: decodeURIComponent(password) } : {}),
        ...(db === '' ? {} : { db: Number(db) }),
      },
    };
  } catch {
    // The error of URL carries its input, and with that the password.
    throw new CuzkError('CONFIG_INVALID', 'REDIS_URL is no address of a Redis.', {
      expected: 'redis://user:password@host:port/database, or rediss://',
      found: 'another form',
      action: 'Write characters such as / # % @ in a password as %2F %23 %25 %40.',
    });
  }
}

function tlsOf(caFile: string): { readonly ca?: string } {
  if (caFile === '') return {};
  try {
    return { ca: readFileSync(caFile, 'utf8') };
  } catch (error) {
    throw new CuzkError(
      'CONFIG_INVALID',
      'REDIS_CA_FILE cannot be read.',
      { expected: 'a PEM file', found: String((error as NodeJS.ErrnoException).code) },
      error,
    );
  }
}

const sentinelsOf = (text: string): { host: string; port: number }[] =>
  text
    .split(',')
    .filter((entry) => entry !== '')
    .map((entry) => {
      const [host = '', port] = entry.split(':');
      return { host, port: Number(port ?? SENTINEL_PORT) };
    });
