import type { Command } from 'commander';
import { parseSectorArgument } from '../arguments.ts';
import type { CliContext } from '../cli-context.ts';
import { DEFAULT_WORKER_URL, evictOnWorker, preloadOnWorker } from '../params/worker-circuits.ts';
import { paramsGroup } from './params-group.ts';

interface ResidencyOptions {
  readonly sector: string;
  readonly worker: string;
}

/** `cuzk params preload` and `cuzk params evict`: what a running gpu-worker holds on its device. */
export function defineParamsResidency(program: Command, { output }: CliContext): void {
  const define = (name: string, description: string) =>
    paramsGroup(program)
      .command(name)
      .description(description)
      .requiredOption('--sector <size>', 'sector size, such as 32GiB')
      .option('--worker <url>', 'a gpu-worker of this host', DEFAULT_WORKER_URL);
  define('preload', 'have a running gpu-worker load parameters on to its device').action(
    async ({ sector: text, worker }: ResidencyOptions) => {
      const sector = parseSectorArgument(text);
      output.progress(`loading ${sector.name} on ${worker}`);
      await preloadOnWorker(worker, sector.name);
      output.result({ sector: sector.name, loaded: true }, [`${sector.name} is on the device`]);
    },
  );
  define('evict', 'have a running gpu-worker free what parameters hold of its device').action(
    async ({ sector: text, worker }: ResidencyOptions) => {
      const sector = parseSectorArgument(text);
      const wasLoaded = await evictOnWorker(worker, sector.name);
      output.result({ sector: sector.name, wasLoaded }, [
        wasLoaded ? `${sector.name} is off the device` : `${sector.name} was not there`,
      ]);
    },
  );
}
