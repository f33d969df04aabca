import { toHex } from '@cuzk/core/bytes';
import { CuzkError } from '@cuzk/core/errors';
import {
  type PorepVariant,
  REGISTERED_PROOFS,
  type RegisteredProof,
} from '@cuzk/core/porep/registered-proof';
import { parseMinerAddress, proverIdOfActor } from '@cuzk/core/porep/replica-id';
import { type SectorShape, sectorShape } from '@cuzk/core/porep/sector';
import { syntheticSector } from '@cuzk/core/porep/synthetic/synthetic-sector';
import { nodeHashes } from '@cuzk/service-kit/circuits/node-hashes';
import type { Command } from 'commander';
import { parseSectorArgument, parseSectorNumber, parseSeed } from '../arguments.ts';
import type { CliContext } from '../cli-context.ts';
import { writeC1 } from '../files/c1-writer.ts';
import { benchGroup, variantOption } from './bench-group.ts';

interface MakeC1Options {
  readonly sector: string;
  readonly seed: string;
  readonly variant: PorepVariant;
  readonly miner: string;
  readonly sectorNumber: string;
  readonly out?: string;
}

/** `cuzk bench make-c1`: writes the C1 of a made-up sector, which passes all checks and can be proved. */
export function defineBenchMakeC1(program: Command, { output }: CliContext): void {
  benchGroup(program)
    .command('make-c1')
    .description('make the C1 of a sector that was never sealed; it passes every check')
    .requiredOption('--sector <size>', 'sector size, such as 32GiB')
    .option('--seed <number>', 'the same seed gives the same file', '1')
    .addOption(variantOption('PoRep variant'))
    .option('--miner <address>', 'ID address of the miner', 'f01000')
    .option('--sector-number <number>', 'number of the sector', '1')
    .option('--out <file>', 'where to write; otherwise a name of size, variant and seed')
    .action(async (options: MakeC1Options) => {
      const started = performance.now();
      const shape = parseSectorArgument(options.sector);
      const proof = registeredProofOf(shape, options.variant);
      const proverId = proverIdOfActor(parseMinerAddress(options.miner));
      const sectorId = parseSectorNumber(options.sectorNumber);
      const seed = parseSeed(options.seed);
      const path = options.out ?? `${shape.name}-${options.variant}-${seed}.c1.json`;
      output.progress(`making ${proof.name}: ${proof.partitions} partition(s)`);
      const sector = syntheticSector({ proof, proverId, sectorId, seed, hashes: nodeHashes });
      const written = await writeC1(path, sector);
      const { commD, commR, replicaId } = sector.header;
      const seconds = (performance.now() - started) / 1000;
      const result = {
        path,
        ...written,
        registeredProof: proof.name,
        partitions: proof.partitions,
        miner: options.miner,
        sectorNumber: options.sectorNumber,
        seed: String(seed),
        commD: toHex(commD),
        commR: toHex(commR),
        replicaId: toHex(replicaId),
        seconds,
        peakRssBytes: process.resourceUsage().maxRSS * 1024,
      };
      output.result(result, [
        `${path}: ${written.bytes} bytes in ${seconds.toFixed(1)} s, sha256 ${written.sha256}`,
        `${proof.name} of miner ${options.miner}, sector ${options.sectorNumber}`,
      ]);
    });
}

/** A C1 names its registered proof; half of the sizes have none. */
function registeredProofOf(shape: SectorShape, variant: PorepVariant): RegisteredProof {
  const ofVariant = REGISTERED_PROOFS.filter((proof) => proof.variant === variant);
  const found = ofVariant.find((proof) => proof.sectorBytes === shape.sectorBytes);
  if (found !== undefined) return found;
  const sizes = ofVariant.map((proof) => sectorShape(proof.sectorBytes).name);
  throw new CuzkError('REQUEST_INVALID', 'there is no C1 of this sector size', {
    expected: `a size with a registered proof: ${sizes.join(', ')}`,
    found: shape.name,
  });
}
