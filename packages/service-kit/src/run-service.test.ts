import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { expect, it } from 'vitest';

const MODULE = new URL('../dist/run-service.js', import.meta.url).href;

/** A process with a service that takes `startMs` to start and says what happens to it. */
function service(startMs: number, more = ''): ChildProcess {
  const program = `
    const { runService } = await import(${JSON.stringify(MODULE)});
    const say = (word) => process.stdout.write(word + ' ');
    const logger = { info() {}, error() {}, fatal() {} };
    setInterval(() => {}, 1000); // as a service that listens
    setTimeout(() => say('starting'), 0);
    await runService('test', async () => {
      await new Promise((resolve) => setTimeout(resolve, ${startMs}));
      ${more}
      say('started');
      return { logger, stop: async () => say('stopped') };
    });`;
  return spawn(process.execPath, ['--input-type=module', '-e', program], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
}

/** Sends SIGTERM once the process has said `word`; what it said in all, and how it ended. */
async function endedAt(child: ChildProcess, word: string): Promise<[string, number | null]> {
  const { stdout } = child;
  if (stdout === null) throw new Error('no output');
  stdout.on('data', (data: Buffer) => {
    if (String(data).includes(word)) child.kill('SIGTERM');
  });
  const [said, [code]] = await Promise.all([text(stdout), once(child, 'exit')]);
  return [said.trim(), code];
}

it('a service that is told to stop stops in order, also when the word comes while it starts', async () => {
  expect(await endedAt(service(0), 'started')).toEqual(['starting started stopped', 0]);
  expect(await endedAt(service(300), 'starting')).toEqual(['starting started stopped', 0]);
});

it('a start that fails ends with 1, whatever else it was told', async () => {
  const failing = service(300, 'throw new Error("broken");');
  expect((await endedAt(failing, 'starting'))[1]).toBe(1);
});
