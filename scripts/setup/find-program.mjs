import { accessSync, constants, statSync } from 'node:fs';
import { delimiter, join } from 'node:path';

/** Path of the first of `names` that is an executable file on PATH, or null. */
export function findProgram(names, path = process.env.PATH ?? '') {
  for (const folder of path.split(delimiter).filter((entry) => entry !== '')) {
    for (const name of names) {
      const file = join(folder, name);
      if (isExecutable(file)) return file;
    }
  }
  return null;
}

function isExecutable(file) {
  try {
    accessSync(file, constants.X_OK);
    return statSync(file).isFile();
  } catch {
    return false;
  }
}
