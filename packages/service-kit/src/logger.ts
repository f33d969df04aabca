import { type DestinationStream, type Logger, pino, stdSerializers } from 'pino';
import { logDestination } from './log-destination.ts';

export type { Logger };

const STDOUT = 1;

/**
 * The one form of log line: JSON with a fixed event phrase as message and data in fields. Never pass
 * witnesses, vanilla proofs or blinding values; the paths below are a net, not a licence.
 */
export function createLogger(
  service: string,
  level: string,
  destination: DestinationStream = logDestination(STDOUT),
): Logger {
  const options = {
    level,
    base: { service },
    redact: {
      paths: ['*.witness.data', '*.c1.data', 'req.headers.authorization', 'req.headers.cookie'],
      censor: '[redacted]',
    },
    serializers: { err: errorFields },
    formatters: { level: (label: string) => ({ level: label }) },
  };
  return pino(options, destination);
}

/** An error as pino writes it, without what it was made from: commands of Redis and addresses carry passwords. */
function errorFields(error: Error): object {
  const { command, input, ...fields } = { ...stdSerializers.err(error) } as Record<string, unknown>;
  const { name } = (command ?? {}) as { readonly name?: unknown };
  return name === undefined ? fields : { ...fields, command: name };
}
