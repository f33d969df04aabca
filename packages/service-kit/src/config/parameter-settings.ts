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
    description: 'Folder of compiled circuits and development parameters; empty = ~/.cache/cuzk',
  }),
} as const;

export interface ParameterSettings {
  readonly FIL_PROOFS_PARAMETER_CACHE: string;
  readonly CUZK_CACHE_DIR: string;
  readonly ALLOW_DEVELOPMENT_PARAMS: string;
}

const cacheDirOf = ({ CUZK_CACHE_DIR }: ParameterSettings): string =>
  CUZK_CACHE_DIR || join(homedir(), '.cache', 'cuzk');

/** The folders that readVerifyingKey and findParams look into. */
export const paramsFoldersOf = (settings: ParameterSettings): ParamsFolders => ({
  productionDir: settings.FIL_PROOFS_PARAMETER_CACHE,
  developmentDir: join(cacheDirOf(settings), 'params'),
  allowDevelopmentParams: isOn(settings.ALLOW_DEVELOPMENT_PARAMS),
});
