import { layOutParams, paramsCountsOf } from '@cuzk/core/groth16/params-layout';
import { type CircuitShape, domainRows } from '@cuzk/core/r1cs/shape';
import { LARGE_GPU, type MemoryPlan, planMemory } from '@cuzk/gpu/prover/memory-plan';
import { domainLog } from '@cuzk/gpu/r1cs/device-shape';
import { residentHBytes } from '@cuzk/gpu/streaming/stream-memory';
import {
  leastStreamingBytes,
  planStreaming,
  type StreamPlan,
} from '@cuzk/gpu/streaming/stream-plan';
import type { Command } from 'commander';
import { parseBytes, parseSectorArgument } from '../arguments.ts';
import { circuitTemplate } from '../circuit-template.ts';
import type { CliContext } from '../cli-context.ts';
import { gibText } from '../terminal/figures.ts';

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
  /** How it streams what it does not hold; null where it holds all, nothing was given, or not even that fits. */
  readonly streaming: StreamPlan | null;
  /** The least memory that streaming gets by with. */
  readonly leastBytes: number;
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
      const whole = gpuMemoryBytes === null || device.provingBytes <= gpuMemoryBytes;
      const streaming = whole ? null : (planStreaming(shape, LARGE_GPU, gpuMemoryBytes) ?? null);
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
        fits: gpuMemoryBytes === null ? null : whole || streaming !== null,
        streaming,
        leastBytes: leastStreamingBytes(shape, LARGE_GPU),
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
    line('at least, by streaming', report.leastBytes),
    ...(gpuMemoryBytes === null ? [] : verdictLines(report, gpuMemoryBytes)),
  ];
}

function verdictLines({ fits, streaming, device }: PlanReport, gpuMemoryBytes: number): string[] {
  const given = gibText(gpuMemoryBytes);
  if (fits !== true) return [`does NOT fit into ${given}`];
  if (streaming === null) return [`fits into ${given} as a whole`];
  const { peakBytes, streamedBytes, waiting, beside } = streaming;
  const kept = gibText(residentHBytes(streaming));
  return [
    `fits into ${given} by streaming: ${kept} of ${gibText(device.srs.h)} of h stay, the rest passes from the file`,
    `  for a partition pass ${gibText(streamedBytes.alone)}; with ${waiting} waiting ${gibText(streamedBytes.each)} each`,
    `  load ${gibText(peakBytes.load)}, queries ${gibText(peakBytes.queries)}, quotient ${gibText(peakBytes.quotient)}, MSM of h ${gibText(peakBytes.msmH)}`,
    ...(beside.length === 0
      ? []
      : [
          `  with no more than ${beside.length} waiting queries pass beside h: ${gibText(peakBytes.beside)}`,
        ]),
  ];
}
