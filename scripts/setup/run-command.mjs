import { spawn } from 'node:child_process';

/** A command that ended with something other than 0. */
export class CommandFailure extends Error {
  constructor(command, code) {
    super(`\`${command.join(' ')}\` ended with ${code}`);
    this.name = 'CommandFailure';
  }
}

/**
 * Runs a command; what it prints goes to stderr, so that stdout stays free for one JSON object.
 * Rejects with CommandFailure, or with the error of spawn when there is no such program.
 */
export function runCommand(command, options = {}) {
  const [program, ...args] = command;
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, { ...options, stdio: ['ignore', 2, 2] });
    child.on('error', reject);
    child.on('exit', (code, signal) => {
      if (code === 0) resolve();
      else reject(new CommandFailure(command, code === null ? signal : code));
    });
  });
}
