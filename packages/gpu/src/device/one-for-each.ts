/** Keeps one thing for each device, or for what else it is of: made when it is first asked for, gone with its key. */
export function oneForEach<K extends object, T>(make: (key: K) => T): (key: K) => T {
  const known = new WeakMap<K, T>();
  return (key) => {
    const own = known.get(key);
    if (own !== undefined) return own;
    const made = make(key);
    known.set(key, made);
    return made;
  };
}
