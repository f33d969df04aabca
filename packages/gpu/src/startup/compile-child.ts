import { setTimeout } from 'node:timers/promises';
import { compileOnly } from '../device/compile-only.ts';
import { openDevice } from '../device/device.ts';
import type { KernelSpec } from '../device/kernel.ts';
import type { CompileAnswer } from './compile-ahead.ts';

/**
 * A process of compile-ahead.ts: has the software adapter's driver compile one kernel after another, as they come, and
 * answers each with whether that went well. Ends when who started it has no more, or is gone.
 */

/** The driver keeps what it has compiled in a thread of its own, and drops what is still to be written at an exit. */
const LINGER_MS = 300;

const opened = openDevice('software');
opened.catch(() => {});

async function compile(spec: KernelSpec): Promise<boolean> {
  try {
    await compileOnly((await opened).context, spec);
    return true;
  } catch {
    // an error of whoever needs the kernel
    return false;
  }
}

process.on('message', (spec: KernelSpec) => {
  void compile(spec).then((compiled) => {
    const { user, system } = process.cpuUsage();
    const answer: CompileAnswer = { compiled, processorSeconds: (user + system) / 1e6 };
    if (process.connected) process.send?.(answer);
  });
});
process.on('disconnect', () => {
  void setTimeout(LINGER_MS).then(() => process.exit());
});
