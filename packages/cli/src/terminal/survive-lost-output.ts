import type { Writable } from 'node:stream';

/**
 * What a disk does not take of progress is lost, and no reason to stop: a system may run below this process. A result
 * that is lost is told on `stderr` and ends with 1. Where a reader has gone, as `head` does, nobody waits for more.
 */
export function surviveLostOutput(stdout: Writable, stderr: Writable): void {
  const onLost = (then: (code: string) => void) => (error: NodeJS.ErrnoException) => {
    if (error.code === 'EPIPE') process.exit(1);
    then(error.code ?? error.message);
  };
  stderr.on(
    'error',
    onLost(() => {}),
  );
  stdout.on(
    'error',
    onLost((code) => {
      process.exitCode = 1;
      stderr.write(`the result could not be written (${code})\n`);
    }),
  );
}
