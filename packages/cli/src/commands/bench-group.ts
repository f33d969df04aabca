import type { Command } from 'commander';

/** The group `cuzk bench`, made by the first command that belongs to it. */
export const benchGroup = (program: Command): Command =>
  program.commands.find((command) => command.name() === 'bench') ??
  program.command('bench').description('measurements, and what they need');
