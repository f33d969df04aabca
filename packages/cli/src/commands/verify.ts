import { parseMinerAddress, proverIdOfActor } from '@cuzk/core/porep/replica-id';
import { sectorShape } from '@cuzk/core/porep/sector';
import { verifySealPartitions } from '@cuzk/core/porep/statement';
import { nodeHashes } from '@cuzk/service-kit/circuits/node-hashes';
import type { Command } from 'commander';
import { parseSectorNumber } from '../arguments.ts';
import type { CliContext } from '../cli-context.ts';
import { readC1Header } from '../files/c1-file.ts';
import { readInput } from '../files/read-input.ts';
import { proofVerifier } from '../verify/proof-verifier.ts';
import { loadVerifyingKey } from '../verify/verifying-key-file.ts';

interface VerifyOptions {
  readonly c1: string;
  readonly miner: string;
  readonly sectorNumber: string;
  readonly vk?: string;
}

/** `cuzk verify`: whether a proof file holds for a C1, a miner and a sector. Exit code 1 where it does not. */
export function defineVerify(program: Command, context: CliContext): void {
  const { config, output, setExitCode } = context;
  program
    .command('verify')
    .description('check a seal proof (192 bytes a partition) against the statement of a C1')
    .argument('<proof>', 'file with the proof')
    .requiredOption('--c1 <file>', 'C1 that was proved')
    .requiredOption('--miner <address>', 'ID address of the miner, such as f01000')
    .requiredOption('--sector-number <number>', 'number of the sector')
    .option('--vk <file>', 'verifying key; otherwise the one of this machine')
    .action(async (proofFile: string, options: VerifyOptions) => {
      const proverId = proverIdOfActor(parseMinerAddress(options.miner));
      const sectorId = parseSectorNumber(options.sectorNumber);
      const proof = await readInput(proofFile);
      const header = await readC1Header(options.c1);
      const shape = sectorShape(header.registeredProof.sectorBytes);
      const vk = await loadVerifyingKey(config, shape, options.vk);
      output.progress(`verifying with ${vk.path} (${vk.parameters})`);
      const statement = { ...header, proverId, sectorId };
      const verified = verifySealPartitions(statement, proof, proofVerifier(vk), nodeHashes);
      if (!verified) setExitCode(1);
      const { name, partitions } = header.registeredProof;
      output.result({ verified, registeredProof: name, partitions, parameters: vk.parameters }, [
        `${verified ? 'the proof holds' : 'the proof does NOT hold'}: ${name}, ${partitions} partition(s), ${vk.parameters} parameters`,
      ]);
    });
}
