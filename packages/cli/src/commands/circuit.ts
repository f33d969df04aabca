import type { SectorShape } from '@cuzk/core/porep/sector';
import { stackedCircuit } from '@cuzk/core/porep/stacked-circuit';
import { summarizeShape } from '@cuzk/core/r1cs/shape-collector';
import { openBlake2s } from '@cuzk/service-kit/circuits/node-hashes';
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
export function measureCircuit(shape: SectorShape): CircuitFigures {
  const summary = summarizeShape(stackedCircuit(shape), openBlake2s());
  const { inputs, aux, constraints, shapeDigest } = summary;
  return { inputs, aux, constraints, rows: constraints + inputs, r1csHash: shapeDigest };
}

/** `cuzk circuit`: size and hash of the circuit of a sector size. */
export function defineCircuit(program: Command, { output }: CliContext): void {
  program
    .command('circuit')
    .description('run the circuit of a sector size without a witness: its size and its R1CS hash')
    .requiredOption('--sector <size>', 'sector size, such as 2KiB or 32GiB')
    .action((options: { sector: string }) => {
      const shape = parseSectorArgument(options.sector);
      output.progress(`running the circuit of ${shape.name}`);
      const figures = measureCircuit(shape);
      output.result(figures, [
        `circuit of ${shape.name}`,
        `  inputs       ${figures.inputs}`,
        `  aux          ${figures.aux}`,
        `  constraints  ${figures.constraints}`,
        `  rows         ${figures.rows}`,
        `  R1CS hash    ${figures.r1csHash}`,
      ]);
    });
}
