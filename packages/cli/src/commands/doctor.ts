import { existsSync } from 'node:fs';
import { stat } from 'node:fs/promises';
import { availableParallelism, totalmem } from 'node:os';
import { SECTOR_SHAPES } from '@cuzk/core/porep/sector';
import type { DeviceTraits, FieldVariants } from '@cuzk/gpu/device/context';
import type { Tuning } from '@cuzk/gpu/startup/tune-device';
import { tuningText } from '@cuzk/gpu/startup/tuning-text';
import { developmentParams, productionParams } from '@cuzk/service-kit/circuits/params-folder';
import { shapePath } from '@cuzk/service-kit/circuits/shape-cache';
import type { Command } from 'commander';
import { adapterAdvice } from '../adapter-advice.ts';
import { circuitTemplate } from '../circuit-template.ts';
import type { CliContext } from '../cli-context.ts';
import { type CliConfig, parameterFolders } from '../config.ts';
import { nvidiaCards, planCards } from '../fleet/cards.ts';
import { findRedisProgram } from '../fleet/redis-server.ts';
import { openMachineProver } from '../open-machine-prover.ts';
import { fitText, freeDeviceBytes, planResidency, type ResidencyPlan } from '../residency-plan.ts';
import { proveSmallCircuit, type SmallProof } from '../small-proof.ts';

interface AdapterReport {
  readonly description: string;
  readonly software: boolean;
  /** Multipliers that the self-test allows. */
  readonly variants: FieldVariants;
  /** Fp multiplications a second; of one core on a software adapter, of the device otherwise. */
  readonly fpMulPerSecondPerCore: number;
  /** Layout of a round of additions that was the fastest here, and what was measured for the choice. */
  readonly tuning: Tuning | null;
  /** What makes it slower than it need be. */
  readonly advice: readonly string[];
}

interface DoctorReport {
  readonly node: string;
  readonly platform: string;
  readonly cores: number;
  readonly memoryBytes: number;
  readonly redis: string | null;
  readonly cacheDir: string;
  /** Sector sizes whose production, or development, parameters are there. */
  readonly productionParameters: readonly string[];
  readonly developmentParameters: readonly string[];
  /** NVIDIA cards, the gpu-workers that serve starts for them, and why these are fewer. */
  readonly cards: {
    readonly count: number;
    readonly workers: number;
    readonly problem: string | null;
  };
  readonly adapter: AdapterReport;
  /** How the device would hold each sector size whose circuit is compiled and whose parameters are there. */
  readonly residency: readonly { readonly sector: string; readonly plan: ResidencyPlan }[];
  readonly smallCircuit: SmallProof;
}

/** `cuzk doctor`: what this machine has, and one small proof on its device. */
export function defineDoctor(program: Command, { config, output, setExitCode }: CliContext): void {
  program
    .command('doctor')
    .description('look at this machine: Redis, parameters, adapter; prove a small circuit on it')
    .action(async () => {
      const machine = await describeMachine(config);
      output.progress('opening and testing the device');
      const prover = await openMachineProver(config, output.progress);
      try {
        const { traits, variants } = prover.context;
        output.progress(`${traits.description}: proving a small circuit`);
        const smallCircuit = await proveSmallCircuit(prover.context);
        output.progress(
          `${smallCircuit.constraints} constraints proved and ${smallCircuit.verified ? 'verified' : 'NOT VERIFIED'} in ${smallCircuit.seconds} s`,
        );
        if (!smallCircuit.verified) setExitCode(1);
        const adapter = {
          description: traits.description,
          software: traits.software,
          variants,
          fpMulPerSecondPerCore: Math.round(prover.fpMulPerSecond * 1e6),
          tuning: prover.tuning ?? null,
          advice: adapterAdvice({ ...traits, variants }),
        };
        const residency = await describeResidency(config, machine, traits);
        const report: DoctorReport = { ...machine, adapter, residency, smallCircuit };
        output.result(report, reportLines(report));
      } finally {
        prover.close();
      }
    });
}

async function describeMachine(
  config: CliConfig,
): Promise<Omit<DoctorReport, 'adapter' | 'residency' | 'smallCircuit'>> {
  const folders = parameterFolders(config);
  const present = async (find: typeof productionParams | typeof developmentParams) => {
    const names = await Promise.all(
      SECTOR_SHAPES.map(async (sector) => {
        const { paramsPath } = find(folders, sector);
        const found = await stat(paramsPath).catch(() => null);
        return found === null ? [] : [sector.name];
      }),
    );
    return names.flat();
  };
  return {
    node: process.versions.node,
    platform: `${process.platform}-${process.arch}`,
    cores: availableParallelism(),
    memoryBytes: totalmem(),
    redis: findRedisProgram(config.environment)?.version ?? null,
    cacheDir: config.cacheDir,
    productionParameters: await present(productionParams),
    developmentParameters: await present(developmentParams),
    cards: describeCards(config),
  };
}

function describeCards({ gpu, gpuWorkers }: CliConfig): DoctorReport['cards'] {
  const cards = gpu === 'software' ? [] : nvidiaCards();
  const { workers, problem } = planCards(cards, gpuWorkers);
  return { count: cards.length, workers: workers.length, problem };
}

function cardLines({ count, workers, problem }: DoctorReport['cards']): string[] {
  if (count < 2) return [];
  return [
    `cards       ${problem ?? `${count} NVIDIA cards; serve starts ${workers} gpu-worker(s), each on its own`}`,
  ];
}

async function describeResidency(
  config: CliConfig,
  machine: Pick<DoctorReport, 'productionParameters' | 'developmentParameters'>,
  traits: DeviceTraits,
): Promise<DoctorReport['residency']> {
  const names = [...machine.productionParameters, ...machine.developmentParameters];
  const sectors = SECTOR_SHAPES.filter(
    (sector) => names.includes(sector.name) && existsSync(shapePath(config.cacheDir, sector)),
  );
  const budget = freeDeviceBytes(traits);
  return Promise.all(
    sectors.map(async (sector) => {
      const template = await circuitTemplate(config.cacheDir, sector);
      const plan = planResidency({ ...template, shapeDigest: '' }, traits, budget);
      return { sector: sector.name, plan };
    }),
  );
}

function reportLines(report: DoctorReport): string[] {
  const { adapter, smallCircuit } = report;
  const list = (names: readonly string[]): string => names.join(', ') || 'none';
  return [
    `Node        ${report.node} on ${report.platform}, ${report.cores} cores, ${Math.round(report.memoryBytes / 2 ** 30)} GiB`,
    `Redis       ${report.redis ?? 'none: npm run setup installs it, or set REDIS_URL'}`,
    `parameters  production: ${list(report.productionParameters)}; insecure-development: ${list(report.developmentParameters)}`,
    ...cardLines(report.cards),
    `adapter     ${adapter.description}${adapter.software ? ' (software)' : ''}`,
    `            ${(adapter.fpMulPerSecondPerCore / 1e6).toFixed(1)} million Fp multiplications a second${adapter.software ? ' and core' : ''}, fp ${adapter.variants.fp}, fr ${adapter.variants.fr}`,
    `            ${adapter.tuning === null ? 'not tuned' : tuningText(adapter.tuning)}`,
    ...adapter.advice.map((line) => `            ${line}`),
    ...report.residency.map(({ sector, plan }) => `${sector.padEnd(11)} ${fitText(plan)}`),
    `small proof ${smallCircuit.verified ? 'verified' : 'NOT VERIFIED'}, ${smallCircuit.constraints} constraints in ${smallCircuit.seconds} s`,
  ];
}
