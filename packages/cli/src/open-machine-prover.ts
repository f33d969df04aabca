import { type OpenedProver, openProver } from '@cuzk/gpu/startup/open-prover';
import { openDeviceFolder } from '@cuzk/service-kit/circuits/device-folder';
import { sweepUnfinished } from '@cuzk/service-kit/circuits/replace-file';
import { type CliConfig, keepCompiledKernels } from './config.ts';
import type { Output } from './terminal/output.ts';

/** Opens, tests and tunes the device of this machine; compiled kernels and the tuning are kept in the cache folder. */
export function openMachineProver(
  config: CliConfig,
  warn: Output['progress'],
): Promise<OpenedProver> {
  keepCompiledKernels(config);
  void sweepUnfinished(config.cacheDir);
  return openProver(config.gpu, openDeviceFolder(config.cacheDir, warn), {
    onCompiled: (done, all) => {
      if (done === 0) warn(`compiling ${all} kernels, once for this driver`);
    },
  });
}
