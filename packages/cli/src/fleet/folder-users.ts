import { readdirSync, readFileSync, readlinkSync, realpathSync } from 'node:fs';
import { resolve } from 'node:path';
import { CuzkError } from '@cuzk/core/errors';

interface DataFolders {
  readonly redis: string;
  readonly artifacts: string;
}

/**
 * Makes sure that nothing of an earlier run is left in a data folder: a supervisor that was killed leaves its processes
 * behind, and two Redis servers on one append-only file destroy it. Where there is no /proc nothing is looked at.
 * Errors: SETUP_FAILED, which names the processes.
 */
export function requireNoUsers(folders: DataFolders): void {
  const users = usersOf(folders).join(' ');
  if (users === '') return;
  throw new CuzkError('SETUP_FAILED', 'processes of an earlier run still use this data folder', {
    expected: 'nothing left of it',
    found: `processes ${users}`,
    action: `stop them with: kill ${users}`,
  });
}

/** Servers that stand in the folder of Redis, and services that keep their artifacts in the other one. */
function usersOf({ redis, artifacts }: DataFolders): number[] {
  const place = orNull(() => realpathSync(redis));
  const uses = (pid: number): boolean => {
    const cwd = orNull(() => readlinkSync(`/proc/${pid}/cwd`));
    if (cwd === null) return false;
    if (cwd === place) return true;
    const environment = orNull(() => readFileSync(`/proc/${pid}/environ`, 'utf8')) ?? '';
    const own = /(?:^|\0)ARTIFACT_DIR=([^\0]*)/.exec(environment)?.[1];
    return own !== undefined && resolve(cwd, own) === resolve(artifacts);
  };
  const pids = (orNull(() => readdirSync('/proc')) ?? []).filter((name) => /^\d+$/.test(name));
  return pids.map(Number).filter((pid) => pid !== process.pid && uses(pid));
}

/** What belongs to others, or has just ended, cannot be read. */
function orNull<T>(read: () => T): T | null {
  try {
    return read();
  } catch {
    return null;
  }
}
