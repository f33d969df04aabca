import { FR_MODULUS, frAdd, frNeg } from '../field/fr.ts';
import type { PoseidonArity } from '../hash/poseidon-constants.ts';
import {
  COEFFICIENT_ONE,
  type CoefficientId,
  type CoefficientTable,
} from '../r1cs/coefficient-table.ts';
import type { ConstraintSystem } from '../r1cs/constraint-system.ts';
import type { LinearCombination } from '../r1cs/linear-combination.ts';
import { ONE, type Variable } from '../r1cs/variable.ts';
import { type LocalTerms, poseidonRows } from './poseidon-rows.ts';

interface InternedTerms {
  readonly locals: readonly number[];
  readonly coefficients: readonly CoefficientId[];
}

interface InternedRow {
  readonly a: InternedTerms;
  readonly b: InternedTerms;
  readonly key: bigint;
  /** Id of −key, or −1 where the key is zero. */
  readonly negatedKey: CoefficientId | -1;
}

/** The rows with coefficients as ids of a table: interned once per constraint system and arity. */
const interned = new WeakMap<CoefficientTable, Map<PoseidonArity, readonly InternedRow[]>>();

function internTerms(table: CoefficientTable, terms: LocalTerms): InternedTerms {
  const present = [...terms].filter(([, coefficient]) => coefficient !== 0n);
  return {
    locals: present.map(([local]) => local),
    coefficients: present.map(([, coefficient]) => table.idOf(coefficient)),
  };
}

function internedRows(table: CoefficientTable, arity: PoseidonArity): readonly InternedRow[] {
  let byArity = interned.get(table);
  if (byArity === undefined) {
    byArity = new Map();
    interned.set(table, byArity);
  }
  let rows = byArity.get(arity);
  if (rows === undefined) {
    rows = poseidonRows(arity).map(({ a, b, key }) => ({
      a: internTerms(table, a),
      b: internTerms(table, b),
      key,
      negatedKey: key === 0n ? -1 : table.idOf(frNeg(key)),
    }));
    byArity.set(arity, rows);
  }
  return rows;
}

function addTerms(
  lc: LinearCombination,
  terms: InternedTerms,
  variables: readonly Variable[],
): void {
  for (let i = 0; i < terms.locals.length; i++) {
    lc.add(variables[terms.locals[i]], terms.coefficients[i]);
  }
}

function evaluateTerms(
  cs: ConstraintSystem,
  terms: InternedTerms,
  variables: readonly Variable[],
): bigint {
  let sum = 0n;
  for (let i = 0; i < terms.locals.length; i++) {
    sum += cs.coefficients.valueOf(terms.coefficients[i]) * cs.valueOf(variables[terms.locals[i]]);
  }
  return sum % FR_MODULUS;
}

/**
 * Poseidon of 2, 4, 8 or 11 variables in the legacy form of spec §6.15: 311, 377, 505 or 598 rows and as
 * many new variables, the last of which is the digest. The preimage variables are used as they are.
 * Throws RangeError for other preimage lengths.
 */
export function poseidon(
  cs: ConstraintSystem,
  preimage: readonly Variable[],
  name: string,
): Variable {
  const rows = internedRows(cs.coefficients, preimage.length as PoseidonArity);
  const variables: Variable[] = [ONE, ...preimage];
  cs.enter(name);
  for (let i = 0; i < rows.length; i++) {
    const { a: left, b: right, key, negatedKey } = rows[i];
    const value = (): bigint => {
      const product = evaluateTerms(cs, left, variables) * evaluateTerms(cs, right, variables);
      return frAdd(product % FR_MODULUS, key);
    };
    const fresh = cs.allocElement(value, 'step ', i);
    variables.push(fresh);
    const { a, b, c } = cs.row;
    addTerms(a, left, variables);
    addTerms(b, right, variables);
    if (negatedKey >= 0) c.add(ONE, negatedKey);
    c.add(fresh, COEFFICIENT_ONE);
    cs.enforce(a, b, c, 'step ', i);
  }
  cs.leave();
  return variables[variables.length - 1];
}

/** Hash of one column of L = 2 or 11 labels (spec §6.15). Throws RangeError for another height. */
export function columnHash(
  cs: ConstraintSystem,
  column: readonly Variable[],
  name: string,
): Variable {
  if (column.length !== 2 && column.length !== 11) {
    throw new RangeError(`column: expected 2 or 11 rows, got ${column.length}`);
  }
  return poseidon(cs, column, name);
}
