import { writeSync } from 'node:fs';
import type { DestinationStream } from 'pino';

/** Tries, and the pause between two, for a reader that is slower than we write. */
const TRIES_MAX = 100;
const PAUSE_MS = 10;

/**
 * Writes each line to an open file before it returns, so that the last words of a process are there too. What the file
 * does not take (a full disk, a reader that went away or stands still) is lost, and no reason to stop: once there is
 * room again, a line says how many were.
 */
export function logDestination(fd: number): DestinationStream {
  let lost = 0;
  return {
    write: (line) => {
      const taken =
        lost === 0
          ? writeWhole(fd, line, TRIES_MAX)
          : writeWhole(fd, `${lostLine(lost)}${line}`, 1);
      lost = taken ? 0 : lost + 1;
    },
  };
}

/** Begins on a line of its own: half of the one before it may be there. */
const lostLine = (lost: number): string =>
  `\n${JSON.stringify({ level: 'warn', time: Date.now(), lost, msg: 'log lines lost' })}\n`;

function writeWhole(fd: number, text: string, triesMax: number): boolean {
  let left: Uint8Array = Buffer.from(text);
  for (let tries = 1; left.length > 0; ) {
    try {
      left = left.subarray(writeSync(fd, left));
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      if (code !== 'EAGAIN' || tries++ === triesMax) return false;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, PAUSE_MS);
    }
  }
  return true;
}
