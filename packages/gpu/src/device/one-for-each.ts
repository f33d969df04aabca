/**
 * Keeps one thing for each device, or for what else it is of: made when it is first asked for, gone with its key. What
 * comes behind the key counts the first time only.
 */
export function oneForEach<K extends object, D extends readonly unknown[], T>(
  make: (key: K, ...details: D) => T,
): (key: K, ...details: D) => T {
  const known = new WeakMap<K, T>();
  return (key, ...details) => {
    const own = known.get(key);
    if (own !== undefined) return own;
    const made = make(key, ...details);
    known.set(key, made);
    return made;
  };
}
