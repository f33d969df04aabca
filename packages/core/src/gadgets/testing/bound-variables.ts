import { FR_MODULUS } from '../../field/fr.ts';
import type { TestCollector } from '../../r1cs/test-collector.ts';
import { auxVariable, type Variable } from '../../r1cs/variable.ts';

/** Rows in which each variable occurs. */
function rowsByVariable(cs: TestCollector): Map<Variable, Set<number>> {
  const rows = new Map<Variable, Set<number>>();
  for (let row = 0; row < cs.constraints; row++) {
    for (const variable of cs.variablesOfRow(row)) {
      const known = rows.get(variable) ?? new Set();
      rows.set(variable, known.add(row));
    }
  }
  return rows;
}

/**
 * The aux that could take another value without any row noticing, all others left as they are. A 0 is tried
 * as 1 and a 1 as 0, so that it is not the boolean row alone that objects; other values are tried plus one.
 * For a sound gadget the list is empty.
 */
export function unboundAux(cs: TestCollector): number[] {
  const rows = rowsByVariable(cs);
  return [...cs.aux.keys()].filter((k) => {
    const variable = auxVariable(k);
    const value = cs.valueOf(variable);
    cs.assign(variable, value <= 1n ? 1n - value : (value + 1n) % FR_MODULUS);
    const noticed = [...(rows.get(variable) ?? [])].some((row) => !cs.holds(row));
    cs.assign(variable, value);
    return !noticed;
  });
}
