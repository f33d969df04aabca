import type { Command } from 'commander';

/** The group `cuzk params`, made by the first command that belongs to it. */
export const paramsGroup = (program: Command): Command =>
  program.commands.find((command) => command.name() === 'params') ??
  program.command('params').description('parameters of this machine');
