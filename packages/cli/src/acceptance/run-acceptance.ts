import { bytesEqual } from '@cuzk/core/bytes';
import { CuzkError } from '@cuzk/core/errors';
import { encodeProofs } from '@cuzk/core/groth16/proof';
import type { Proof } from '@cuzk/core/groth16/types';
import { decodeVerifyingKey } from '@cuzk/core/groth16/verifying-key';
import { checkC1 } from '@cuzk/core/porep/c1-check';
import type { PartitionInput } from '@cuzk/core/porep/partition-input';
import type { PorepVariant } from '@cuzk/core/porep/registered-proof';
import { parseMinerAddress, proverIdOfActor } from '@cuzk/core/porep/replica-id';
import type { SectorShape } from '@cuzk/core/porep/sector';
import { verifySealPartitions } from '@cuzk/core/porep/statement';
import { synthesizePartition } from '@cuzk/core/porep/synthesize';
import type { OpenedProver } from '@cuzk/gpu/startup/open-prover';
import { openFileReader } from '@cuzk/service-kit/circuits/file-reader';
import { nodeHashes } from '@cuzk/service-kit/circuits/node-hashes';
import { productionParams } from '@cuzk/service-kit/circuits/params-folder';
import { randomBlinding } from '@cuzk/service-kit/circuits/random-blinding';
import { loadShape } from '@cuzk/service-kit/circuits/shape-cache';
import { makeUpC1s } from '../bench/prepare-single.ts';
import { type CliConfig, parameterFolders } from '../config.ts';
import { openC1, readC1Header } from '../files/c1-file.ts';
import { readInput } from '../files/read-input.ts';
import { openMachineProver } from '../open-machine-prover.ts';
import { proofVerifier } from '../verify/proof-verifier.ts';
import type { SectorC1 } from '../verify/verify-c1-proof.ts';
import { type AcceptanceCheck, AcceptanceChecks } from './acceptance-checks.ts';
import { openFittingCircuit } from './fitting-circuit.ts';
import { publishedDigests, requireDigest } from './published-digests.ts';

export interface AcceptanceOptions {
  readonly sector: SectorShape;
  readonly variant: PorepVariant;
  readonly seed: bigint;
  /** In the form of Filecoin's parameters.json; without it the digests that are built in count. */
  readonly parametersJson: string | undefined;
  /** Most device memory; undefined: what the card has free, or all where nothing tells. */
  readonly gpuMemoryBytes: number | undefined;
  /** A C2 that the user has, with its C1. */
  readonly known: (SectorC1 & { readonly proofFile: string }) | undefined;
  readonly signal: AbortSignal;
  onLine(line: string): void;
  onBytes(what: string): (done: number, total: number) => void;
}

/** What `cuzk acceptance --json` prints. */
export interface AcceptanceReport {
  readonly passed: boolean;
  readonly sector: string;
  readonly variant: PorepVariant;
  /** Where the digests came from. */
  readonly digests: string | null;
  readonly adapter: string | null;
  /** How the device held the parameters. */
  readonly residency: string | null;
  readonly paramsBytes: number | null;
  /** Most device memory that was held at once. */
  readonly peakDeviceBytes: number | null;
  readonly partitions: number;
  readonly seconds: number;
  readonly checks: readonly AcceptanceCheck[];
}

/**
 * Whether this machine proves with production parameters: both files have their published digests and belong together,
 * the proof of a made-up sector verifies under the production key and under no other statement, and a C2 that the user
 * has verifies too. Nothing is thrown that a check found; it is in the report.
 */
export async function runAcceptance(
  config: CliConfig,
  options: AcceptanceOptions,
): Promise<AcceptanceReport> {
  const startedAt = performance.now();
  const checks = new AcceptanceChecks(options.onLine);
  const location = productionParams(parameterFolders(config), options.sector);
  const digests = await checks.run('published digests are known', () =>
    publishedDigests(options.sector, location, options.parametersJson),
  );
  await checks.run('.vk has its published digest', async () => {
    await requireDigest(location.vkPath, digests?.vk ?? '', () => {});
  });
  await checks.run('.params has its published digest', async () => {
    const onBytes = options.onBytes('digest of the parameters');
    await requireDigest(location.paramsPath, digests?.params ?? '', onBytes);
  });
  const vk = await checks.run('key and parameters belong together', () => keyOf(location));
  const proved =
    vk === undefined
      ? undefined
      : await proveMadeUp(config, options, checks, location.paramsPath, proofVerifier({ key: vk }));
  if (vk !== undefined && options.known !== undefined) {
    const { known } = options;
    await checks.run('the given C2 verifies', () => verifyKnown(known, proofVerifier({ key: vk })));
  }
  return {
    passed: checks.passed,
    sector: options.sector.name,
    variant: options.variant,
    digests: digests?.source ?? null,
    adapter: proved?.adapter ?? null,
    residency: proved?.residency ?? null,
    paramsBytes: proved?.paramsBytes ?? null,
    peakDeviceBytes: proved?.peakDeviceBytes ?? null,
    partitions: proved?.partitions ?? 0,
    seconds: Math.round(performance.now() - startedAt) / 1000,
    checks: checks.done,
  };
}

type ProofVerifier = ReturnType<typeof proofVerifier>;

async function keyOf({ paramsPath, vkPath }: { paramsPath: string; vkPath: string }) {
  const bytes = await readInput(vkPath);
  const reader = await openFileReader(paramsPath);
  try {
    const head = await reader.read(0, bytes.length);
    if (bytesEqual(head, bytes)) return decodeVerifyingKey(bytes);
    throw new CuzkError('PARAMS_MALFORMED', 'key and parameters are of different setups', {
      expected: `${vkPath} to be the head of ${paramsPath}`,
    });
  } finally {
    await reader.close();
  }
}

interface MadeUpProof {
  readonly adapter: string;
  readonly residency: string;
  readonly paramsBytes: number;
  readonly peakDeviceBytes: number;
  readonly partitions: number;
}

async function proveMadeUp(
  config: CliConfig,
  options: AcceptanceOptions,
  checks: AcceptanceChecks,
  paramsPath: string,
  verify: ProofVerifier,
): Promise<MadeUpProof | undefined> {
  const { sector, variant, seed } = options;
  const made = await checks.run('a sector is made up', () =>
    makeUpC1s(config, { sector, variant, seed, count: 1 }, options),
  );
  if (made === undefined) return undefined;
  try {
    const [c1] = made.sectors as [SectorC1];
    const ingested = await checks.run('its C1 passes all checks', () => ingest(c1));
    const prover = await checks.run('the device opens and passes its self-test', () =>
      openMachineProver(config, options.onLine),
    );
    if (ingested === undefined || prover === undefined) return undefined;
    try {
      return await proveOn(prover, config, options, checks, { ...ingested, paramsPath }, verify);
    } finally {
      prover.close();
    }
  } finally {
    made.remove();
  }
}

async function ingest({ c1File, miner, sectorNumber }: SectorC1) {
  const inputs: PartitionInput[] = [];
  const statement = {
    proverId: proverIdOfActor(parseMinerAddress(miner)),
    sectorId: BigInt(sectorNumber),
  };
  const { header } = await checkC1(await openC1(c1File), {
    ...statement,
    hashes: nodeHashes,
    onPartition: (input) => {
      inputs.push(input);
    },
  });
  return { inputs, statement: { ...header, ...statement } };
}

async function proveOn(
  { context }: OpenedProver,
  config: CliConfig,
  options: AcceptanceOptions,
  checks: AcceptanceChecks,
  work: Awaited<ReturnType<typeof ingest>> & { readonly paramsPath: string },
  verify: ProofVerifier,
): Promise<MadeUpProof | undefined> {
  const { sector } = options;
  const shape = await checks.run('the circuit compiles', () => loadShape(config.cacheDir, sector));
  if (shape === undefined) return undefined;
  const circuit = await checks.run('all points are in their groups and on the device', () =>
    openFittingCircuit(context, shape, work.paramsPath, options),
  );
  if (circuit === undefined) return undefined;
  const proofs: Proof[] = [];
  try {
    for (const [k, input] of work.inputs.entries()) {
      await checks.run(`partition ${k} is proved`, async () => {
        options.signal.throwIfAborted();
        const { shapeDigest } = shape;
        const witness = synthesizePartition(input, sector, { shapeDigest });
        proofs.push(await circuit.prove(witness, randomBlinding()));
      });
    }
  } finally {
    await circuit.close();
  }
  const { statement } = work;
  await checks.run('the proof verifies under the production key', async () => {
    const bytes = encodeProofs(proofs);
    if (verifySealPartitions(statement, bytes, verify, nodeHashes)) return;
    throw new CuzkError('PROOF_SELF_CHECK_FAILED', 'the proof that was made does not verify');
  });
  await checks.run('and for no other sector', async () => {
    const other = { ...statement, sectorId: statement.sectorId + 1n };
    if (!verifySealPartitions(other, encodeProofs(proofs), verify, nodeHashes)) return;
    throw new CuzkError('STATEMENT_INVALID', 'a proof verified for a statement it is not of');
  });
  return {
    adapter: context.traits.description,
    residency: circuit.residency,
    paramsBytes: circuit.paramsBytes,
    peakDeviceBytes: context.buffers.peakBytes,
    partitions: proofs.length,
  };
}

async function verifyKnown(
  { proofFile, c1File, miner, sectorNumber }: SectorC1 & { readonly proofFile: string },
  verify: ProofVerifier,
): Promise<void> {
  const header = await readC1Header(c1File);
  const statement = {
    ...header,
    proverId: proverIdOfActor(parseMinerAddress(miner)),
    sectorId: BigInt(sectorNumber),
  };
  if (verifySealPartitions(statement, await readInput(proofFile), verify, nodeHashes)) return;
  throw new CuzkError('STATEMENT_INVALID', 'the given C2 does not verify', {
    expected: `a proof of the statement of ${c1File}`,
    found: proofFile,
  });
}
