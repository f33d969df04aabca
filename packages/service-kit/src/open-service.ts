import { hostname } from 'node:os';
import { openStore, type StoreSettings } from './artifacts/store-settings.ts';
import type { ArtifactStore } from './artifacts/types.ts';
import { BuffersInFlight } from './buffers-in-flight.ts';
import { obeyChaos } from './chaos.ts';
import { Liveness } from './liveness.ts';
import { createLogger, type Logger } from './logger.ts';
import { residentBytes } from './memory/resident-bytes.ts';
import { createMetrics, type Metrics } from './metrics.ts';
import { MetricsPage, type MetricsPageSettings } from './metrics-page.ts';
import { createIdentity, type WorkerIdentity, type WorkerRole } from './presence/identity.ts';
import { Presence } from './presence/presence.ts';
import { Queues } from './queues/queues.ts';
import { checkRedis } from './redis/check-redis.ts';
import { closeRedis, connectRedis, type Patience, type Redis } from './redis/connection.ts';
import { Notifications } from './redis/notifications.ts';
import type { RedisAddress } from './redis/redis-settings.ts';
import {
  metricReaders,
  type OnLost,
  startTelemetry,
  type Telemetry,
} from './telemetry/start-telemetry.ts';
import { SeldomWarning } from './telemetry/warn-seldom.ts';
import { within } from './within.ts';

/** Values of SHARED_SETTINGS. */
export interface ServiceSettings extends MetricsPageSettings, RedisAddress, StoreSettings {
  /** 'refuse': a Redis that is not as it should be ends the start. */
  readonly REDIS_CHECK?: string;
  readonly NODE_NAME: string;
  readonly INSTANCE: string;
  readonly LOG_LEVEL: string;
  readonly OTEL_EXPORTER_OTLP_ENDPOINT: string;
  readonly SPAN_FILE: string;
  /** '1': this process dies when it is asked to. */
  readonly CHAOS?: string;
}

/** What every service has: one connection for commands, the queues, the store, its presence. */
export interface Service {
  readonly identity: WorkerIdentity;
  readonly logger: Logger;
  readonly redis: Redis;
  readonly queues: Queues;
  readonly artifacts: ArtifactStore;
  readonly notifications: Notifications;
  readonly presence: Presence;
  readonly telemetry: Telemetry;
  readonly metrics: Metrics;
  /** What this process holds between stages. */
  readonly buffers: BuffersInFlight;
  /** Whether this process should be restarted. */
  readonly liveness: Liveness;
  readonly metricsPage: MetricsPage;
  /** Leaves the presence list and closes everything that openService opened. */
  close(): Promise<void>;
}

/** Connects a service to the fleet. Throws REDIS_UNAVAILABLE or REDIS_UNSUITABLE. */
export async function openService(
  role: WorkerRole,
  settings: ServiceSettings,
  patience: Patience,
): Promise<Service> {
  const identity = createIdentity(role, settings.NODE_NAME || hostname(), settings.INSTANCE);
  const logger = createLogger(role, settings.LOG_LEVEL).child({ worker: identity.owner });
  const redis = await connectRedis(settings, patience, role, logger);
  try {
    const { warnings } = await checkRedis(redis, settings.REDIS_CHECK === 'refuse');
    for (const warning of warnings) logger.warn({ warning }, 'redis setting');
  } catch (error) {
    await closeRedis(redis);
    throw error;
  }
  const artifacts = await openStore(settings);
  const notifications = await Notifications.open(redis, logger, role === 'api');
  const queues = new Queues(redis, logger);
  const presence = new Presence(redis, identity, logger);
  const { metrics, telemetry } = openTelemetry(identity, settings, logger);
  const metricsPage = await MetricsPage.open(metrics, settings);
  const buffers = new BuffersInFlight(metrics);
  presence.watchLevels(() => ({ residentBytes: residentBytes(), buffers: buffers.read() }));
  const chaos = settings.CHAOS === '1' ? await obeyChaos(redis, identity, logger) : null;
  const close = async () => {
    await presence.leave().catch((error: unknown) => logger.warn({ err: error }, 'presence stays'));
    notifications.close();
    chaos?.disconnect();
    await queues.close();
    await telemetry.shutdown().catch((error: unknown) => logger.warn({ err: error }, 'spans lost'));
    await metricsPage.close();
    await within(metrics.shutdown(), METRICS_SHUTDOWN_MS).catch(() => {});
    await closeRedis(redis);
  };
  return {
    identity,
    logger,
    redis,
    queues,
    artifacts,
    notifications,
    presence,
    telemetry,
    metrics,
    buffers,
    liveness: new Liveness(redis),
    metricsPage,
    close,
  };
}

/** A collector that is away gets this long for the last metrics. */
const METRICS_SHUTDOWN_MS = 1_000;

/** Spans and metrics of this process; what a collector does not take is counted, and said once a minute. */
function openTelemetry(
  { role, owner }: WorkerIdentity,
  settings: ServiceSettings,
  logger: Logger,
): { metrics: Metrics; telemetry: Telemetry } {
  const warning = new SeldomWarning(logger);
  const onLost: OnLost = (signal, items, error) => {
    metrics.count('cuzk_telemetry_lost', { signal }, items);
    warning.lost(signal, items, error);
  };
  const telemetrySettings = {
    service: `cuzk-${role}`,
    instance: owner,
    otlpEndpoint: settings.OTEL_EXPORTER_OTLP_ENDPOINT,
    spanFile: settings.SPAN_FILE,
  };
  const readers = metricReaders(telemetrySettings, onLost);
  const metrics = createMetrics(telemetrySettings.service, owner, readers);
  // A count that has never been zero has no increase when it becomes one.
  for (const signal of ['spans', 'metrics']) metrics.count('cuzk_telemetry_lost', { signal }, 0);
  return { metrics, telemetry: startTelemetry(telemetrySettings, onLost) };
}
