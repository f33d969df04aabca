import { mkdirSync } from 'node:fs';
import { join } from 'node:path';

/**
 * Where drivers keep compiled kernels, as variables of the environment that they read by themselves: Mesa's, and
 * NVIDIA's, which by default wants a home folder that it can write to. The folders are made where they can be; a driver
 * that cannot write compiles anew. While a process has NVIDIA's open, another one that is started finds nothing in it
 * and takes seconds more: `instance` gives workers of one host a folder each.
 */
export function driverCaches(cacheDir: string, instance = '0'): Record<string, string> {
  const folders = {
    MESA_SHADER_CACHE_DIR: join(cacheDir, 'mesa'),
    __GL_SHADER_DISK_CACHE_PATH: join(cacheDir, instance === '0' ? 'nvidia' : `nvidia-${instance}`),
  };
  try {
    for (const folder of Object.values(folders)) mkdirSync(folder, { recursive: true });
  } catch {
    // the cache folder is no more than a cache
  }
  return folders;
}
