import { Type } from 'typebox';
import { STORE_SETTINGS } from '../artifacts/store-settings.ts';
import { REDIS_SETTINGS } from '../redis/redis-settings.ts';

const LOG_LEVELS = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'];

/** A switch: 0 or 1. */
export const flag = (description: string, initial: '0' | '1' = '0') =>
  Type.String({ enum: ['0', '1'], default: initial, description });

/** A number of bytes. */
export const byteCount = (description: string, initial: number) =>
  Type.Integer({ minimum: 1, default: initial, description });

/** A duration in milliseconds. */
export const milliseconds = (description: string, initial: number) =>
  Type.Integer({ minimum: 0, default: initial, description });

/** Settings of every service. Spread into the service's own schema. */
export const SHARED_SETTINGS = {
  ...REDIS_SETTINGS,
  ...STORE_SETTINGS,
  NODE_NAME: Type.String({
    default: '',
    pattern: '^[A-Za-z0-9._-]*$',
    description: 'Name of this host in presence and permit pools; empty = its host name',
  }),
  INSTANCE: Type.String({
    default: '0',
    pattern: '^[A-Za-z0-9._-]+$',
    description: 'Tells workers of one kind on one host apart; stays the same over restarts',
  }),
  HOST: Type.String({
    default: '127.0.0.1',
    minLength: 1,
    description: 'Address to listen on; 0.0.0.0 in a container',
  }),
  LOG_LEVEL: Type.String({ enum: LOG_LEVELS, default: 'info', description: 'Least level logged' }),
  OTEL_EXPORTER_OTLP_ENDPOINT: Type.String({
    default: '',
    pattern: '^(https?://.+)?$',
    description: 'Base address of an OTLP/HTTP collector for traces and metrics; empty = none',
  }),
  SPAN_FILE: Type.String({
    default: '',
    description: 'File that gets one JSON line per span; empty = none',
  }),
  METRICS_KEY: Type.String({
    default: '',
    description: 'Bearer token that /metrics asks for; empty = see METRICS_OPEN',
  }),
  METRICS_OPEN: flag('Without a key anybody may read /metrics, not only this host'),
  METRICS_HOST: Type.String({
    default: '127.0.0.1',
    minLength: 1,
    description: 'Address of METRICS_PORT',
  }),
  METRICS_PORT: Type.Integer({
    minimum: 0,
    maximum: 65_535,
    default: 0,
    description: 'Port that /metrics has for itself; 0 = the port of the service',
  }),
  CHAOS: flag('Workers may be killed from the live page, to watch the recovery: demo only'),
  ALLOW_SIMULATED_PROVER: flag(
    'Take partitions of a gpu-worker with PROVER=simulated, which prove nothing: load tests only',
  ),
  ALLOW_DEVELOPMENT_PARAMS: flag(
    'Accept proving parameters whose secret is public: demo and tests only',
  ),
} as const;
