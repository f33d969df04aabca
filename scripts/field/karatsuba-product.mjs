// Products of lists of limbs by Karatsuba's halves. Sums in between may wrap: only what a column is modulo 2^32 counts.
import { range } from './wgsl-text.mjs';

/**
 * Straight-line WGSL of the product of two lists of limb names, halved `levels` times before the schoolbook: its lines,
 * and a name for each column. `prefix` begins every name that it defines.
 */
export function karatsubaProduct(x, y, levels, prefix = 'x') {
  const lines = [];
  let counter = 0;
  const define = (expression) => {
    const name = `${prefix}${counter++}`;
    lines.push(`let ${name} = ${expression};`);
    return name;
  };
  const schoolbook = (a, b) =>
    range(2 * a.length - 1).map((column) => {
      const first = Math.max(0, column - a.length + 1);
      const last = Math.min(column, a.length - 1);
      const terms = range(last - first + 1).map(
        (i) => `${a[first + i]} * ${b[column - first - i]}`,
      );
      return define(terms.join(' + '));
    });
  const product = (a, b, left) => {
    if (left === 0) return schoolbook(a, b);
    const size = a.length / 2;
    const halves = (list) => [list.slice(0, size), list.slice(size)];
    const [[a0, a1], [b0, b1]] = [halves(a), halves(b)];
    const sums = (one, two) => one.map((name, i) => define(`${name} + ${two[i]}`));
    const low = product(a0, b0, left - 1);
    const high = product(a1, b1, left - 1);
    const mixed = product(sums(a0, a1), sums(b0, b1), left - 1);
    const columns = [...low.slice(0, size)];
    for (let i = 0; i < size - 1; i++) {
      // what the columns on both sides of the middle share
      const shared = define(`${low[size + i]} - ${high[i]}`);
      columns[size + i] = define(`${mixed[i]} - ${low[i]} + ${shared}`);
      columns[2 * size + i] = define(`${mixed[size + i]} - ${high[size + i]} - ${shared}`);
    }
    columns[2 * size - 1] = define(`${mixed[size - 1]} - ${low[size - 1]} - ${high[size - 1]}`);
    return [...columns, ...high.slice(size - 1)];
  };
  return { columns: product(x, y, levels), lines };
}
