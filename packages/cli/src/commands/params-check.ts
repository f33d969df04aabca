import { CuzkError } from '@cuzk/core/errors';
import { SECTOR_SHAPES } from '@cuzk/core/porep/sector';
import type { Command } from 'commander';
import { parseSectorArgument } from '../arguments.ts';
import type { CliContext } from '../cli-context.ts';
import { type CheckedParams, checkParams, presentParams } from '../params/check-params.ts';
import { gibText } from '../terminal/figures.ts';
import { progressBar } from '../terminal/progress-bar.ts';
import { paramsGroup } from './params-group.ts';

/** `cuzk params check`: whether the parameters of this machine are what they should be. Exit code 1 where not. */
export function defineParamsCheck(program: Command, context: CliContext): void {
  const { config, output, setExitCode } = context;
  paramsGroup(program)
    .command('check')
    .description('check layout, keys and published digests of the parameters of this machine')
    .option('--sector <size>', 'this sector size only; otherwise all that are there')
    .option(
      '--full',
      'digests of published files also where they are remembered, and all points on the device',
    )
    .action(async (options: { sector?: string; full?: true }) => {
      const named = options.sector === undefined ? [] : [parseSectorArgument(options.sector)];
      const checked: CheckedParams[] = [];
      for (const sector of named.length > 0 ? named : SECTOR_SHAPES) {
        for (const location of await presentParams(config, sector)) {
          output.progress(`${location.kind} parameters of ${sector.name}`);
          const onBytes = progressBar(output, `reading ${sector.name}`);
          const full = options.full === true;
          checked.push(
            await checkParams(config, sector, location, { full, onBytes, warn: output.progress }),
          );
        }
      }
      if (named.length > 0 && checked.length === 0) {
        throw new CuzkError('PARAMS_MISSING', `no parameters for ${named[0]?.name} sectors`, {
          expected: `a file in ${config.parameterDir}, or a development file`,
          found: 'none',
          action: `cuzk params fetch --sector ${named[0]?.name}`,
        });
      }
      const good = checked.every(({ problem }) => problem === null);
      if (!good) setExitCode(1);
      output.result(
        { good, checked },
        checked.length === 0 ? ['there are no parameters here'] : checked.map(checkedLine),
      );
    });
}

function checkedLine({ sector, kind, bytes, problem }: CheckedParams): string {
  const head = `${sector} ${kind}, ${gibText(bytes)}:`;
  if (problem === null) return `${head} good`;
  const { code, message, expected, found } = problem;
  return `${head} ${code}: ${message} (expected ${expected}, found ${found})`;
}
