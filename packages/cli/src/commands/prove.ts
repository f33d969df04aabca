import { CuzkError } from '@cuzk/core/errors';
import type { Blinding } from '@cuzk/core/groth16/assemble';
import { encodeProofs } from '@cuzk/core/groth16/proof';
import type { Proof } from '@cuzk/core/groth16/types';
import { type CheckedC1, checkC1 } from '@cuzk/core/porep/c1-check';
import type { PartitionInput } from '@cuzk/core/porep/partition-input';
import { parseMinerAddress, proverIdOfActor } from '@cuzk/core/porep/replica-id';
import { verifySealPartitions } from '@cuzk/core/porep/statement';
import { synthesizePartition } from '@cuzk/core/porep/synthesize';
import type { CircuitShape } from '@cuzk/core/r1cs/shape';
import { provePartition } from '@cuzk/gpu/prover/prover';
import { loadCircuit, type ProvingCircuit } from '@cuzk/gpu/prover/proving-circuit';
import type { OpenedProver } from '@cuzk/gpu/startup/open-prover';
import { openFileReader } from '@cuzk/service-kit/circuits/file-reader';
import { nodeHashes } from '@cuzk/service-kit/circuits/node-hashes';
import {
  areSubgroupsRemembered,
  checkPublishedDigest,
  findParams,
  type ParamsLocation,
  rememberSubgroups,
} from '@cuzk/service-kit/circuits/params-folder';
import { randomBlinding } from '@cuzk/service-kit/circuits/random-blinding';
import { loadShape } from '@cuzk/service-kit/circuits/shape-cache';
import type { Command } from 'commander';
import { parseSectorNumber } from '../arguments.ts';
import type { CliContext } from '../cli-context.ts';
import { digestMemoryFile, parameterFolders } from '../config.ts';
import { round } from '../demo/proof-spans.ts';
import { openC1 } from '../files/c1-file.ts';
import { requireWritable, writeOutput } from '../files/output-file.ts';
import { parseFixedBlinding } from '../fixed-blinding.ts';
import { openMachineProver } from '../open-machine-prover.ts';
import { progressBar } from '../terminal/progress-bar.ts';
import { proofVerifier } from '../verify/proof-verifier.ts';
import { type LoadedVerifyingKey, loadVerifyingKey } from '../verify/verifying-key-file.ts';

interface ProveOptions {
  readonly miner: string;
  readonly sectorNumber: string;
  readonly out: string;
  readonly fixedBlinding?: string;
}

/** A C1 that was checked, and everything of this machine that its proof needs. */
interface Work {
  readonly checked: CheckedC1;
  readonly inputs: readonly PartitionInput[];
  readonly shape: CircuitShape;
  readonly params: ParamsLocation;
  /** What the proof must hold for before it is written. */
  readonly vk: LoadedVerifyingKey;
  readonly blindings: readonly Blinding[];
}

/** `cuzk prove`: proves a C1 on the device of this machine, without queues. */
export function defineProve(program: Command, context: CliContext): void {
  program
    .command('prove')
    .description('prove a C1 on the device of this machine, without Redis')
    .argument('<c1>', 'C1 file')
    .requiredOption('--miner <address>', 'ID address of the miner, such as f01000')
    .requiredOption('--sector-number <number>', 'number of the sector')
    .requiredOption('--out <file>', 'file for the proof, 192 bytes a partition')
    .option('--fixed-blinding <hex>', 'r0,s0,r1,s1,… for tests with development parameters only')
    .action(async (file: string, options: ProveOptions) => {
      const startedAt = performance.now();
      const { output } = context;
      await requireWritable(options.out);
      const work = await prepare(context, file, options);
      output.progress('opening and testing the device');
      const prover = await openMachineProver(context.config, context.output.progress);
      try {
        const { proofs, phases } = await prove(prover, work, context);
        const bytes = encodeProofs(proofs);
        requireVerified(work, options, bytes);
        await writeOutput(options.out, bytes);
        const seconds = round((performance.now() - startedAt) / 1000);
        const parameters = work.params.kind;
        const adapter = prover.context.traits.description;
        const { name } = work.checked.header.registeredProof;
        output.result(
          {
            verified: true,
            registeredProof: name,
            partitions: proofs.length,
            parameters,
            adapter,
            seconds,
            phases,
            proofBytes: bytes.length,
          },
          [
            `${name}: ${proofs.length} partition(s) proved and verified in ${seconds.toFixed(1)} s`,
            `  ${options.out}, ${bytes.length} bytes, ${parameters} parameters, ${adapter}`,
          ],
        );
      } finally {
        prover.close();
      }
    });
}

/** Checks everything that can be checked before a device is opened. Errors: C1_*, PARAMS_*, REQUEST_INVALID. */
async function prepare(
  { config, output }: CliContext,
  file: string,
  options: ProveOptions,
): Promise<Work> {
  const inputs: PartitionInput[] = [];
  const checked = await checkC1(await openC1(file), {
    proverId: proverIdOfActor(parseMinerAddress(options.miner)),
    sectorId: parseSectorNumber(options.sectorNumber),
    hashes: nodeHashes,
    onPartition: (input) => {
      inputs.push(input);
    },
  });
  const { registeredProof } = checked.header;
  const params = await findParams(parameterFolders(config), checked.shape);
  await checkPublishedDigest(params, checked.shape, digestMemoryFile(config), {
    onBytes: progressBar(output, 'digest of the parameters'),
  });
  const vk = await loadVerifyingKey(config, checked.shape, undefined, params.kind);
  const blindings =
    options.fixedBlinding === undefined
      ? inputs.map(() => randomBlinding())
      : parseFixedBlinding(options.fixedBlinding, inputs.length);
  if (options.fixedBlinding !== undefined) requireDevelopment(params);
  if (options.fixedBlinding !== undefined) {
    output.progress('WARNING: a known blinding value reveals the witness of this proof');
  }
  output.progress(`${registeredProof.name}, ${inputs.length} partition(s), ${params.kind}`);
  const shape = await loadShape(config.cacheDir, checked.shape);
  return { checked, inputs, shape, params, vk, blindings };
}

function requireDevelopment({ kind }: ParamsLocation): void {
  if (kind === 'insecure-development') return;
  throw new CuzkError('REQUEST_INVALID', 'a fixed blinding is for development parameters only', {
    expected: 'insecure-development parameters',
    found: kind,
    action: 'leave --fixed-blinding out',
  });
}

async function prove(
  { context: gpu }: OpenedProver,
  work: Work,
  context: CliContext,
): Promise<{ proofs: Proof[]; phases: Record<string, number> }> {
  const { output } = context;
  const circuit = await load(gpu, work, context);
  const proofs: Proof[] = [];
  const phases: Record<string, number> = {};
  const add = (name: string, ms: number): void => {
    phases[name] = round((phases[name] ?? 0) + ms / 1000);
  };
  try {
    for (const [k, input] of work.inputs.entries()) {
      const startedAt = performance.now();
      const { shapeDigest } = work.shape;
      const witness = synthesizePartition(input, work.checked.shape, { shapeDigest });
      add('synthesize', performance.now() - startedAt);
      const made = await provePartition(gpu, circuit, witness, work.blindings[k] as Blinding, {
        checkWitness: true,
        onPhase: (name) => output.progress(`partition ${k}: ${name}`),
      });
      for (const phase of made.phases) add(phase.name, phase.durationMs);
      proofs.push(made.proof);
    }
  } finally {
    circuit.close();
  }
  return { proofs, phases };
}

async function load(
  gpu: OpenedProver['context'],
  { shape, params: { paramsPath } }: Work,
  { config, output }: CliContext,
): Promise<ProvingCircuit> {
  const memory = digestMemoryFile(config);
  const reader = await openFileReader(paramsPath);
  try {
    const circuit = await loadCircuit(gpu, shape, reader, {
      subgroupChecked: await areSubgroupsRemembered(paramsPath, memory),
      onBytes: progressBar(output, 'parameters'),
    });
    await rememberSubgroups(paramsPath, memory);
    return circuit;
  } finally {
    await reader.close();
  }
}

/** Nothing is written that core's verifier does not accept. Errors: PROOF_SELF_CHECK_FAILED. */
function requireVerified({ checked, vk }: Work, options: ProveOptions, proof: Uint8Array): void {
  const statement = {
    ...checked.header,
    proverId: proverIdOfActor(parseMinerAddress(options.miner)),
    sectorId: parseSectorNumber(options.sectorNumber),
  };
  if (verifySealPartitions(statement, proof, proofVerifier(vk), nodeHashes)) return;
  throw new CuzkError('PROOF_SELF_CHECK_FAILED', 'the proof that was made does not verify', {
    expected: 'a proof that the verifier accepts',
    action: 'run cuzk doctor; report this with its output',
  });
}
