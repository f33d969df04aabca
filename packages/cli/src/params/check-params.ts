import { stat } from 'node:fs/promises';
import { CuzkError } from '@cuzk/core/errors';
import { assertParamsCounts, readParamsFile } from '@cuzk/core/groth16/params-file';
import { paramsCountsOf } from '@cuzk/core/groth16/params-layout';
import type { SectorShape } from '@cuzk/core/porep/sector';
import { checkParamsPoints } from '@cuzk/gpu/streaming/checked-pieces';
import { openFileReader } from '@cuzk/service-kit/circuits/file-reader';
import {
  checkPublishedDigest,
  developmentParams,
  type ParametersKind,
  type ParamsLocation,
  productionParams,
  rememberSubgroups,
} from '@cuzk/service-kit/circuits/params-folder';
import { requireOwnKey } from '@cuzk/service-kit/circuits/verifying-key';
import { circuitTemplate } from '../circuit-template.ts';
import { type CliConfig, digestMemoryFile, parameterFolders } from '../config.ts';
import { openMachineProver } from '../open-machine-prover.ts';
import { type Problem, problemOf } from '../terminal/problem.ts';

/** What was found of the parameters of one sector size. */
export interface CheckedParams {
  readonly sector: string;
  readonly kind: ParametersKind;
  readonly paramsPath: string;
  readonly bytes: number;
  readonly problem: Problem | null;
}

/** The parameters of a sector size that are on this machine: production, development, both or none. */
export async function presentParams(
  config: CliConfig,
  sector: SectorShape,
): Promise<ParamsLocation[]> {
  const folders = parameterFolders(config);
  const locations = [productionParams(folders, sector), developmentParams(folders, sector)];
  const sizes = await Promise.all(locations.map(({ paramsPath }) => sizeOf(paramsPath)));
  return locations.filter((_, i) => sizes[i] !== null);
}

/** Bytes of a file, or null where it is not there. */
export const sizeOf = (path: string): Promise<number | null> =>
  stat(path).then(
    ({ size }) => size,
    () => null,
  );

/**
 * Checks parameters as far as a host can: every section of the file has the points of the circuit, the key beside it is
 * its head, production files have their published digests. `full` computes that of the long file again although it is
 * remembered, and has the device test all points for curve and subgroup, as the first load of a file does.
 */
export async function checkParams(
  config: CliConfig,
  sector: SectorShape,
  location: ParamsLocation,
  options: {
    readonly full: boolean;
    onBytes(done: number, total: number): void;
    warn(line: string): void;
  },
): Promise<CheckedParams> {
  const { kind, paramsPath } = location;
  const bytes = (await sizeOf(paramsPath)) ?? 0;
  try {
    await checkLayout(config, sector, location);
    await checkPublishedDigest(location, sector, digestMemoryFile(config), options);
    if (options.full) await checkPoints(config, sector, location, options);
    return { sector: sector.name, kind, paramsPath, bytes, problem: null };
  } catch (error) {
    if (!(error instanceof CuzkError)) throw error;
    return { sector: sector.name, kind, paramsPath, bytes, problem: problemOf(error) };
  }
}

async function checkPoints(
  config: CliConfig,
  sector: SectorShape,
  { paramsPath }: ParamsLocation,
  { onBytes, warn }: { onBytes(done: number, total: number): void; warn(line: string): void },
): Promise<void> {
  const template = await circuitTemplate(config.cacheDir, sector);
  const prover = await openMachineProver(config, warn);
  const reader = await openFileReader(paramsPath);
  try {
    const shape = { ...template, shapeDigest: '' };
    await checkParamsPoints(prover.context, shape, reader, { onBytes });
    await rememberSubgroups(paramsPath, digestMemoryFile(config));
  } finally {
    await reader.close();
    prover.close();
  }
}

async function checkLayout(
  config: CliConfig,
  sector: SectorShape,
  location: ParamsLocation,
): Promise<void> {
  const template = await circuitTemplate(config.cacheDir, sector);
  const folders = { ...parameterFolders(config), allowDevelopmentParams: true };
  const reader = await openFileReader(location.paramsPath);
  try {
    const file = await readParamsFile(reader);
    assertParamsCounts(file, paramsCountsOf({ ...template, shapeDigest: '' }));
    await requireOwnKey(folders, sector, location);
  } finally {
    await reader.close();
  }
}
