import { openDevice } from '@cuzk/gpu/device/device';
import { FP_VARIANTS } from '@cuzk/gpu/field/field-variants';
import { measureMultiplier } from '@cuzk/gpu/field/measure-multiplier';
import { type Command, Option } from 'commander';
import type { CliContext } from '../cli-context.ts';
import { keepCompiledKernels } from '../config.ts';
import { benchGroup } from './bench-group.ts';

/** What `cuzk bench multiplier --json` prints. */
export interface MultiplierReport {
  readonly adapter: string;
  readonly software: boolean;
  /** Fp multiplications a second, of one core on a software adapter and of the device otherwise. */
  readonly fpMulPerSecondPerCore: number;
}

type Form = keyof typeof FP_VARIANTS;

/** `cuzk bench multiplier`: how fast the adapter is right now, and nothing else. */
export function defineBenchMultiplier(program: Command, { config, output }: CliContext): void {
  const forms = Object.keys(FP_VARIANTS);
  benchGroup(program)
    .command('multiplier')
    .description('measure multiplications in Fp, by which figures of software adapters are scaled')
    .addOption(new Option('--form <name>', 'the multiplier').choices(forms).default('signed24'))
    .action(async ({ form }: { form: Form }) => {
      keepCompiledKernels(config);
      const { context, close } = await openDevice(config.gpu);
      try {
        const { description, software } = context.traits;
        const million = await measureMultiplier(context, { field: 'fp', variant: form });
        const report: MultiplierReport = {
          adapter: description,
          software,
          fpMulPerSecondPerCore: Math.round(million * 1e6),
        };
        const unit = software ? 'a second and core' : 'a second';
        output.result(report, [
          `${description}: ${million.toFixed(1)} million Fp multiplications ${unit}, ${form}`,
        ]);
      } finally {
        close();
      }
    });
}
