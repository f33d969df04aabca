import { type DestinationStream, type Logger, pino } from 'pino';

export type { Logger };

/**
 * The one form of log line: JSON with a fixed event phrase as message and data in fields. Never pass
 * witnesses, vanilla proofs or blinding values; the paths below are a net, not a licence.
 */
export function createLogger(
  service: string,
  level: string,
  destination?: DestinationStream,
): Logger {
  const options = {
    level,
    base: { service },
    redact: {
      paths: ['*.witness.data', '*.c1.data', 'req.headers.authorization', 'req.headers.cookie'],
      censor: '[redacted]',
    },
    formatters: { level: (label: string) => ({ level: label }) },
  };
  return destination ? pino(options, destination) : pino(options);
}
