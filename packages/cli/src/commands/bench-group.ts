import type { PorepVariant } from '@cuzk/core/porep/registered-proof';
import { type Command, Option } from 'commander';

const VARIANTS: readonly PorepVariant[] = ['V1', 'V1_1', 'Synthetic', 'NonInteractive'];

/** The group `cuzk bench`, made by the first command that belongs to it. */
export const benchGroup = (program: Command): Command =>
  program.commands.find((command) => command.name() === 'bench') ??
  program.command('bench').description('measurements, and what they need');

/** `--variant`, V1_1 where nothing is said. */
export const variantOption = (description: string): Option =>
  new Option('--variant <name>', description).choices(VARIANTS).default('V1_1');
