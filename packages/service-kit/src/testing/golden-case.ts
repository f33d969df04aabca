import { copyFileSync, mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fromHex } from '@cuzk/core/bytes';
import { parameterFileName } from '@cuzk/core/porep/circuit-id';
import { sectorShape } from '@cuzk/core/porep/sector';
import type { ParamsFolders } from '../circuits/params-folder.ts';

const REPOSITORY = new URL('../../../../', import.meta.url);
const path = (name: string): URL => new URL(name, REPOSITORY);

export const GOLDEN_SECTOR_BYTES = 2048;

export type GoldenCaseName = '2KiB-V1-a' | '2KiB-V1_1-a' | '2KiB-V1_1-b' | '2KiB-Synthetic-a';

/** A C1 of the Rust stack with the proof that bellperson made of it under the development parameters. */
export interface GoldenCase {
  readonly c1: Uint8Array;
  readonly minerId: string;
  readonly sectorNumber: string;
  readonly ticket: string;
  readonly seed: string;
  readonly commD: string;
  readonly commR: string;
  readonly registeredProof: string;
  /** 32-byte values, canonical LE, concatenated. */
  readonly publicInputs: Uint8Array;
  /** 192 bytes. */
  readonly proof: Uint8Array;
}

interface Expected {
  readonly registeredProof: string;
  readonly miner: string;
  readonly sectorId: string;
  readonly ticket: string;
  readonly seed: string;
  readonly commD: string;
  readonly commR: string;
  readonly publicInputs: readonly (readonly string[])[];
}

export function readGoldenCase(name: GoldenCaseName): GoldenCase {
  const json = <T>(file: string): T => JSON.parse(readFileSync(path(file), 'utf8')) as T;
  const expected = json<Expected>(`examples/c1/${name}/expected.json`);
  const proofs = json<{ partitions: { proof: string }[] }>(
    `packages/core/vectors/proofs/${name}.json`,
  );
  const { ticket, seed, commD, commR, registeredProof } = expected;
  return {
    ...{ ticket, seed, commD, commR, registeredProof },
    c1: readFileSync(path(`examples/c1/${name}/c1.json`)),
    minerId: expected.miner.replace(/^f0/, ''),
    sectorNumber: expected.sectorId,
    publicInputs: fromHex(expected.publicInputs.flat().join('')),
    proof: fromHex(proofs.partitions.map(({ proof }) => proof).join('')),
  };
}

/** Where a key that installGoldenKey put below `cacheDir` is found. */
export const goldenFolders = (cacheDir: string): ParamsFolders => ({
  productionDir: join(cacheDir, 'none'),
  developmentDir: join(cacheDir, 'params'),
  allowDevelopmentParams: true,
});

/** Makes a cache folder that holds the development verifying key of the 2 KiB circuit. */
export function installGoldenKey(cacheDir: string): void {
  const shape = sectorShape(GOLDEN_SECTOR_BYTES);
  const folder = join(cacheDir, 'params');
  mkdirSync(folder, { recursive: true });
  const target = join(folder, `insecure-development-${parameterFileName(shape, 'vk')}`);
  copyFileSync(path('packages/core/vectors/params/2KiB.vk'), target);
}
