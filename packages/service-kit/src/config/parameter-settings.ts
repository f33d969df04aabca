import { homedir } from 'node:os';
import { join } from 'node:path';
import { Type } from 'typebox';
import type { ParamsFolders } from '../circuits/params-folder.ts';
import { isOn } from './load-config.ts';

/** Where circuits and their parameters are on this machine. Spread into a service's schema. */
export const PARAMETER_SETTINGS = {
  FIL_PROOFS_PARAMETER_CACHE: Type.String({
    default: '/var/tmp/filecoin-proof-parameters',
    minLength: 1,
    description: 'Folder of the production parameters, under their Filecoin names',
  }),
  CUZK_CACHE_DIR: Type.String({
    default: '',
    description:
      'Folder of compiled circuits and development parameters; empty = cuzk below XDG_CACHE_HOME',
  }),
  XDG_CACHE_HOME: Type.String({
    default: '',
    description: 'Folder of caches of this user; empty = ~/.cache',
  }),
} as const;

export interface CacheSettings {
  readonly CUZK_CACHE_DIR: string;
  readonly XDG_CACHE_HOME: string;
}

export interface ParameterSettings extends CacheSettings {
  readonly FIL_PROOFS_PARAMETER_CACHE: string;
  readonly ALLOW_DEVELOPMENT_PARAMS: string;
}

/** Where compiled circuits, development parameters and compiled kernels are kept, for services and command line. */
export const cacheDirOf = ({ CUZK_CACHE_DIR, XDG_CACHE_HOME }: CacheSettings): string =>
  CUZK_CACHE_DIR || join(XDG_CACHE_HOME || join(homedir(), '.cache'), 'cuzk');

/** The folders that readVerifyingKey and findParams look into. */
export const paramsFoldersOf = (settings: ParameterSettings): ParamsFolders => ({
  productionDir: settings.FIL_PROOFS_PARAMETER_CACHE,
  developmentDir: join(cacheDirOf(settings), 'params'),
  allowDevelopmentParams: isOn(settings.ALLOW_DEVELOPMENT_PARAMS),
});
