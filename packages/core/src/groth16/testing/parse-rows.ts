import { FR_MODULUS } from '../../field/fr.ts';
import {
  type CircuitShape,
  CLASS_DICTIONARY,
  CLASS_MINUS_ONE,
  type TemplateMatrix,
} from '../../r1cs/shape.ts';

type Term = [column: number, coefficient: bigint];
type Row = Record<'A' | 'B' | 'C', Term[]>;

/** "w12:1" → its column and coefficient; xN = input N, wN = aux N. */
function parseTerm(text: string, inputs: number): Term {
  const [name, value] = text.split(':');
  const column = name === 'ONE' ? 0 : Number(name.slice(1)) + (name.startsWith('w') ? inputs : 0);
  return [column, BigInt(value)];
}

function parseRow(line: string, inputs: number): Row {
  const row: Row = { A: [], B: [], C: [] };
  for (const [, side, terms] of line.matchAll(/([ABC])=\{([^}]*)\}/g)) {
    row[side as keyof Row] = terms === '' ? [] : terms.split(', ').map((t) => parseTerm(t, inputs));
  }
  return row;
}

function powerOfTwo(value: bigint): number | undefined {
  const k = value.toString(2).length - 1;
  return k <= 253 && value === 1n << BigInt(k) ? k : undefined;
}

/** A circuit of one segment from rows in the readable form of the golden set. */
export function shapeOfRows(text: string, name: string, inputs: number, aux: number): CircuitShape {
  const rows = text
    .trim()
    .split('\n')
    .map((line) => parseRow(line, inputs));
  const dictionary: bigint[] = [];
  const words = ([column, coefficient]: Term): number[] => {
    const k = powerOfTwo(coefficient);
    if (k !== undefined) return [((k << 24) | column) >>> 0];
    if (coefficient === FR_MODULUS - 1n) return [((CLASS_MINUS_ONE << 24) | column) >>> 0];
    let index = dictionary.indexOf(coefficient);
    if (index < 0) index = dictionary.push(coefficient) - 1;
    return [((CLASS_DICTIONARY << 24) | column) >>> 0, index];
  };
  const matrix = (side: keyof Row): TemplateMatrix => {
    const terms: number[] = [];
    const rowPointers = [0];
    for (const row of rows) {
      terms.push(...row[side].flatMap(words));
      rowPointers.push(terms.length);
    }
    return { rowPointers: Uint32Array.from(rowPointers), terms: Uint32Array.from(terms) };
  };
  const density = (side: keyof Row, first: number, count: number): Uint32Array => {
    const bitmap = new Uint32Array(Math.ceil(count / 32));
    for (const row of rows) {
      for (const [column] of row[side]) {
        const i = column - first;
        if (i >= 0 && i < count) bitmap[i >> 5] |= 1 << (i & 31);
      }
    }
    return bitmap;
  };
  return {
    circuitId: name,
    shapeDigest: '',
    inputs,
    aux,
    constraints: rows.length,
    segments: [
      {
        instances: 1,
        rows: rows.length,
        inputs,
        aux,
        a: matrix('A'),
        b: matrix('B'),
        c: matrix('C'),
        elementBitmap: new Uint32Array(Math.ceil(aux / 32)).fill(0xffffffff),
        aDensity: density('A', inputs, aux),
        bDensity: density('B', inputs, aux),
      },
    ],
    bInputDensity: density('B', 0, inputs),
    dictionary,
  };
}
