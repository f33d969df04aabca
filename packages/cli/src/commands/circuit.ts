import type { SectorShape } from '@cuzk/core/porep/sector';
import { stackedCircuit } from '@cuzk/core/porep/stacked-circuit';
import type { CircuitShape } from '@cuzk/core/r1cs/shape';
import { summarizeShape } from '@cuzk/core/r1cs/shape-collector';
import { openBlake2s } from '@cuzk/service-kit/circuits/node-hashes';
import { loadShape } from '@cuzk/service-kit/circuits/shape-cache';
import type { Command } from 'commander';
import { parseSectorArgument } from '../arguments.ts';
import type { CliContext } from '../cli-context.ts';

export interface CircuitFigures {
  /** Inputs including ONE. */
  readonly inputs: number;
  readonly aux: number;
  /** Circuit rows, as in the R1CS hash. */
  readonly constraints: number;
  /** Constraints plus one row per input: what the domain must hold. */
  readonly rows: number;
  /** Spec §5.3, lowercase hex. */
  readonly r1csHash: string;
}

/** Runs the circuit of a sector size and hashes every row of it; nothing is looked up. */
export function measureCircuit(sector: SectorShape): CircuitFigures {
  const summary = summarizeShape(stackedCircuit(sector), openBlake2s());
  return figuresOf(summary);
}

const figuresOf = (
  shape: Pick<CircuitShape, 'inputs' | 'aux' | 'constraints' | 'shapeDigest'>,
): CircuitFigures => ({
  inputs: shape.inputs,
  aux: shape.aux,
  constraints: shape.constraints,
  rows: shape.constraints + shape.inputs,
  r1csHash: shape.shapeDigest,
});

/** `cuzk circuit`: size and hash of the circuit of a sector size. */
export function defineCircuit(program: Command, { config, output }: CliContext): void {
  program
    .command('circuit')
    .description('size and R1CS hash of the circuit of a sector size')
    .requiredOption('--sector <size>', 'sector size, such as 2KiB or 32GiB')
    .option('--no-cache', 'run the whole circuit instead of reading its compiled shape')
    .action(async (options: { sector: string; cache: boolean }) => {
      const sector = parseSectorArgument(options.sector);
      output.progress(`circuit of ${sector.name}`);
      const figures = options.cache
        ? figuresOf(await loadShape(config.cacheDir, sector))
        : measureCircuit(sector);
      output.result(figures, [
        `  inputs       ${figures.inputs}`,
        `  aux          ${figures.aux}`,
        `  constraints  ${figures.constraints}`,
        `  rows         ${figures.rows}`,
        `  R1CS hash    ${figures.r1csHash}`,
      ]);
    });
}
