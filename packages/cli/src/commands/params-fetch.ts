import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { basename } from 'node:path';
import { CuzkError } from '@cuzk/core/errors';
import { circuitId } from '@cuzk/core/porep/circuit-id';
import { PRODUCTION_PARAMS, type ProductionParams } from '@cuzk/core/porep/production-params';
import type { SectorShape } from '@cuzk/core/porep/sector';
import {
  checkPublishedDigest,
  isDigestRemembered,
  type ParamsLocation,
  productionParams,
  rememberDigest,
} from '@cuzk/service-kit/circuits/params-folder';
import type { Command } from 'commander';
import { abortOnSignals } from '../abort-on-signals.ts';
import { parseSectorArgument } from '../arguments.ts';
import type { CliContext } from '../cli-context.ts';
import { digestMemoryFile, parameterFolders } from '../config.ts';
import { sizeOf } from '../params/check-params.ts';
import { fetchFile } from '../params/fetch-file.ts';
import { mirrorUrl, parseMirrors } from '../params/mirrors.ts';
import { progressBar } from '../terminal/progress-bar.ts';
import { paramsGroup } from './params-group.ts';

/** `cuzk params fetch`: the published parameters of a sector size, from the first mirror that has them. */
export function defineParamsFetch(program: Command, context: CliContext): void {
  const { config, output } = context;
  paramsGroup(program)
    .command('fetch')
    .description('download published parameters, or go on with a download, and check them')
    .requiredOption('--sector <size>', 'sector size, such as 32GiB')
    .option('--mirrors <list>', 'addresses, comma-separated; otherwise PARAMETER_MIRRORS')
    .action(async (options: { sector: string; mirrors?: string }) => {
      const sector = parseSectorArgument(options.sector);
      const published = requirePublished(sector);
      const mirrors = parseMirrors(options.mirrors ?? config.parameterMirrors);
      const location = productionParams(parameterFolders(config), sector);
      const signal = abortOnSignals();
      const fetched: string[] = [];
      for (const [which, path] of [
        ['vk', location.vkPath],
        ['params', location.paramsPath],
      ] as const) {
        const { digest, cid } = published[which];
        const name = basename(path);
        if (await isThere(context, sector, location, which, digest)) continue;
        output.progress(`fetching ${name}`);
        const urls = mirrors.map((mirror) => mirrorUrl(mirror, { name, cid }));
        const bar = progressBar(output, name.slice(-20));
        const onBytes = (done: number, total: number): void => {
          if (total > 0) bar(done, total);
        };
        await fetchFile({ path, digest, urls }, { signal, onBytes, onLine: output.progress });
        if (which === 'params') await rememberDigest(location, sector, digestMemoryFile(config));
        fetched.push(path);
      }
      const { paramsPath, vkPath } = location;
      const bytes = await sizeOf(paramsPath);
      output.result({ sector: sector.name, paramsPath, vkPath, bytes, fetched }, [
        fetched.length === 0 ? 'both files were there already' : 'fetched and checked:',
        ...fetched.map((path) => `  ${path}`),
      ]);
    });
}

function requirePublished(sector: SectorShape): ProductionParams {
  const published = PRODUCTION_PARAMS[circuitId(sector)];
  if (published !== undefined) return published;
  const names = Object.values(PRODUCTION_PARAMS).map(({ sectorName }) => sectorName);
  throw new CuzkError('REQUEST_INVALID', 'there are no published parameters of this size', {
    expected: names.join(', '),
    found: sector.name,
  });
}

/** Whether the right file is there. A wrong one is left where it is until the right one takes its place. */
async function isThere(
  { config, output }: CliContext,
  sector: SectorShape,
  location: ParamsLocation,
  which: 'vk' | 'params',
  digest: string,
): Promise<boolean> {
  const path = which === 'vk' ? location.vkPath : location.paramsPath;
  if ((await sizeOf(path)) === null) return false;
  if (which === 'vk') return (await digestOf(path)) === digest;
  const memory = digestMemoryFile(config);
  if (await isDigestRemembered(location, sector, memory)) return true;
  output.progress(`checking ${basename(path)}`);
  return checkPublishedDigest(location, sector, memory).then(
    () => true,
    () => false,
  );
}

async function digestOf(path: string): Promise<string> {
  const hash = createHash('blake2b512');
  for await (const chunk of createReadStream(path)) hash.update(chunk as Uint8Array);
  return hash.digest('hex').slice(0, 32);
}
