// Parses on any Node that knows ES modules, so that an old one gets a sentence and not a syntax error.
export const MINIMUM_NODE = [20, 19];

/** A plain sentence when `version` (as in process.versions.node) is too old, otherwise null. */
export function nodeVersionProblem(version) {
  const [major, minor] = version.split('.').map(Number);
  const [wantedMajor, wantedMinor] = MINIMUM_NODE;
  if (major > wantedMajor || (major === wantedMajor && minor >= wantedMinor)) return null;
  return `Node ${wantedMajor}.${wantedMinor} or newer is needed and this is Node ${version}: install a current Node and run the same command again.`;
}

/** Ends the process with that sentence on stderr when this Node is too old. */
export function requireNode() {
  const problem = nodeVersionProblem(process.versions.node);
  if (problem === null) return;
  process.stderr.write(`${problem}\n`);
  process.exit(1);
}
