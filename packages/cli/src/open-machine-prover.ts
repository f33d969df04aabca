import { mkdirSync } from 'node:fs';
import { type OpenedProver, openProver } from '@cuzk/gpu/prover/open-prover';
import { type CliConfig, keepCompiledKernelsIn, shaderCacheDir } from './config.ts';

/** Opens and tests the device of this machine, with compiled kernels kept in the cache folder. */
export function openMachineProver(config: CliConfig): Promise<OpenedProver> {
  const folder = shaderCacheDir(config);
  mkdirSync(folder, { recursive: true });
  keepCompiledKernelsIn(folder);
  return openProver(config.gpu);
}
