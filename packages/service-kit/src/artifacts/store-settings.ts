import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { CuzkError } from '@cuzk/core/errors';
import { Type } from 'typebox';
import { openFolderStore } from './folder-store.ts';
import type { ArtifactStore } from './types.ts';

/** Where artifacts are. Spread into the settings of every service. */
export const STORE_SETTINGS = {
  ARTIFACT_STORE: Type.String({
    enum: ['folder', 's3'],
    default: 'folder',
    description: 'What holds the artifacts: a folder that all nodes share, or a bucket',
  }),
  ARTIFACT_DIR: Type.String({
    default: './data/artifacts',
    minLength: 1,
    description: 'Folder of the artifact store; shared by all nodes of a fleet',
  }),
  S3_BUCKET: Type.String({
    default: '',
    description: 'Bucket of ARTIFACT_STORE=s3; credentials come from the usual AWS_ variables',
  }),
  S3_ENDPOINT: Type.String({
    default: '',
    pattern: '^(https?://.+)?$',
    description: 'Address of a server that speaks S3; empty = AWS',
  }),
  S3_REGION: Type.String({
    default: 'us-east-1',
    minLength: 1,
    description: 'Region of S3_BUCKET',
  }),
  S3_PREFIX: Type.String({
    default: '',
    pattern: '^([A-Za-z0-9._-]+/)*$',
    description: 'Put before every name in the bucket, such as cuzk/',
  }),
  S3_CACHE_DIR: Type.String({
    default: '',
    description:
      'Folder for local copies of artifacts that a device reads; empty = below the temporary folder',
  }),
} as const;

export interface StoreSettings {
  readonly ARTIFACT_DIR: string;
  readonly ARTIFACT_STORE?: string;
  readonly S3_BUCKET?: string;
  readonly S3_ENDPOINT?: string;
  readonly S3_REGION?: string;
  readonly S3_PREFIX?: string;
  readonly S3_CACHE_DIR?: string;
}

/** What another start does not mend by itself. */
const NOT_A_FOLDER: readonly string[] = [
  'EACCES',
  'EEXIST',
  'ELOOP',
  'ENAMETOOLONG',
  'ENOTDIR',
  'EPERM',
  'EROFS',
];

async function openFolder(folder: string): Promise<ArtifactStore> {
  try {
    return await openFolderStore(folder);
  } catch (error) {
    const { code = '' } = error as NodeJS.ErrnoException;
    if (!NOT_A_FOLDER.includes(code)) throw error;
    const facts = {
      expected: 'a folder that is there or can be made',
      found: `${folder} (${code})`,
    };
    throw new CuzkError('CONFIG_INVALID', 'ARTIFACT_DIR cannot be used.', facts, error);
  }
}

/** The configured store. The S3 client is loaded only where it is used. Throws CONFIG_INVALID. */
export async function openStore(settings: StoreSettings): Promise<ArtifactStore> {
  if (settings.ARTIFACT_STORE !== 's3') return openFolder(settings.ARTIFACT_DIR);
  const { openS3Store } = await import('./s3-store.ts');
  return openS3Store({
    bucket: settings.S3_BUCKET ?? '',
    endpoint: settings.S3_ENDPOINT ?? '',
    region: settings.S3_REGION ?? 'us-east-1',
    prefix: settings.S3_PREFIX ?? '',
    cacheDir: settings.S3_CACHE_DIR || join(tmpdir(), 'cuzk-artifacts'),
  });
}
