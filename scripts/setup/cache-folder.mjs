import { homedir } from 'node:os';
import { join } from 'node:path';

/** The product's cache folder: CUZK_CACHE_DIR, else cuzk below the user's cache folder (as packages/cli does). */
export function cacheFolder(environment = process.env) {
  const { CUZK_CACHE_DIR, XDG_CACHE_HOME } = environment;
  if (CUZK_CACHE_DIR) return CUZK_CACHE_DIR;
  return join(XDG_CACHE_HOME || join(homedir(), '.cache'), 'cuzk');
}

/** Environment in which Mesa keeps compiled kernels between runs: 1.6 s become 0.02 s for each. */
export function shaderCacheEnvironment(environment = process.env) {
  return { MESA_SHADER_CACHE_DIR: join(cacheFolder(environment), 'mesa'), ...environment };
}
