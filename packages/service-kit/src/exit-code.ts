import { CuzkError } from '@cuzk/core/errors';

/** sysexits.h: settings that cannot be used. The systemd units do not start such a process again. */
export const BAD_SETTINGS_EXIT = 78;
const FAILED = 1;

/** The exit code of a process that ends because of this error. */
export const exitCodeOf = (error: unknown): number =>
  error instanceof CuzkError && error.code === 'CONFIG_INVALID' ? BAD_SETTINGS_EXIT : FAILED;
