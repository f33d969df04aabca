import { layOutParams, paramsCountsOf } from '@cuzk/core/groth16/params-layout';
import { type CircuitShape, domainRows } from '@cuzk/core/r1cs/shape';
import { LARGE_GPU, type MemoryPlan, planMemory } from '@cuzk/gpu/prover/memory-plan';
import { domainLog } from '@cuzk/gpu/r1cs/r1cs-eval';
import type { Command } from 'commander';
import { parseBytes, parseSectorArgument } from '../arguments.ts';
import { circuitTemplate } from '../circuit-template.ts';
import type { CliContext } from '../cli-context.ts';
import { gibText } from '../figures.ts';

/** What `cuzk plan --json` prints. Bytes. */
export interface PlanReport {
  readonly sector: string;
  readonly circuitId: string;
  readonly partitions: number;
  readonly constraints: number;
  readonly rows: number;
  /** The evaluation domain is 2^logDomain. */
  readonly logDomain: number;
  readonly paramsFileBytes: number;
  readonly device: MemoryPlan;
  /** As given; null where nothing was. */
  readonly gpuMemoryBytes: number | null;
  /** Whether a gpu-worker with so much memory takes the circuit; null where nothing was given. */
  readonly fits: boolean | null;
}

/** `cuzk plan`: what a circuit takes on a device, before anything is loaded. Exit code 1 where it does not fit. */
export function definePlan(program: Command, { config, output, setExitCode }: CliContext): void {
  program
    .command('plan')
    .description('what the circuit of a sector size takes on a device, and whether it fits')
    .requiredOption('--sector <size>', 'sector size, such as 32GiB')
    .option('--gpu-memory <bytes>', 'memory of the device, such as 24GiB')
    .action(async (options: { sector: string; gpuMemory?: string }) => {
      const sector = parseSectorArgument(options.sector);
      const gpuMemoryBytes =
        options.gpuMemory === undefined ? null : parseBytes('--gpu-memory', options.gpuMemory);
      output.progress(`circuit of ${sector.name}`);
      const template = await circuitTemplate(config.cacheDir, sector);
      const shape: CircuitShape = { ...template, shapeDigest: '' };
      const device = planMemory(shape, LARGE_GPU);
      const report: PlanReport = {
        sector: sector.name,
        circuitId: shape.circuitId,
        partitions: sector.partitions,
        constraints: shape.constraints,
        rows: domainRows(shape),
        logDomain: domainLog(shape),
        paramsFileBytes: layOutParams(paramsCountsOf(shape)).sizeBytes,
        device,
        gpuMemoryBytes,
        fits: gpuMemoryBytes === null ? null : device.provingBytes <= gpuMemoryBytes,
      };
      if (report.fits === false) setExitCode(1);
      output.result(report, planLines(report));
    });
}

function planLines(report: PlanReport): string[] {
  const { sector, partitions, constraints, logDomain, device, gpuMemoryBytes } = report;
  const line = (name: string, bytes: number): string =>
    `  ${name.padEnd(22)} ${gibText(bytes).padStart(10)}`;
  return [
    `${sector}: ${partitions} partition(s) of ${constraints} constraints, domain 2^${logDomain}, parameter file ${gibText(report.paramsFileBytes)}`,
    'on the device',
    ...Object.entries(device.srs).map(([name, bytes]) => line(`points of ${name}`, bytes)),
    line('programs and tables', device.shapeBytes),
    line('stays between proofs', device.residentBytes),
    line('two witnesses', device.witnessBytes),
    line('two evaluation vectors', device.evaluationBytes),
    line('scratch, at most', device.scratchBytes),
    line('while it proves', device.provingBytes),
    ...(gpuMemoryBytes === null
      ? []
      : [
          report.fits === true
            ? `fits into ${gibText(gpuMemoryBytes)}`
            : `does NOT fit into ${gibText(gpuMemoryBytes)}: a worker loads a circuit whole or not at all`,
        ]),
  ];
}
