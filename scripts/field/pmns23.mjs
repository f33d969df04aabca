// Generator of Fr in a polynomial modular number system (docs/kernels.md "Digits in base z"). r = z^4 − z^2 + 1 for the
// curve's parameter z, so an element is a polynomial of four digits in z modulo X^4 − X^2 + 1, a digit three signed limbs
// of 23 bits. Multiplying by z moves the digits, hence by the fourth root of unity z^3 too; and as z has two non-zero
// limbs, a Montgomery step costs two products per digit. Column sums are kept twice, as in signed24.mjs.
//
// Forms: L has limbs in [0, 2^23) (output of mul, norm and unpack), N in [-2^22, 2^22] (constants); the top limb of a
// digit holds the rest. Stored form: each digit as 64 bits in two's complement, within z/2 and a little.
// mul: limbs of a up to 2^25, its digits up to OPERAND_DIGITS, b a constant or an element in L form, either within z/2
// and a little; the result is below PRODUCT_DIGIT. That is what a radix-4 butterfly makes of its own products.
import { range, u32 } from './wgsl-text.mjs';

export const Z = 0xd201000000010000n;
const BITS = 23;
const HALF = 2 ** (BITS - 1);
const MASK = u32((1n << 23n) - 1n);
/** Columns of a product of digits that Montgomery steps clear; R = 2^69. */
const STEPS = 3;
/** z in limbs: 2^16, 0, 0xd201·4. */
const [Z_LOW, Z_TOP] = [2 ** 16, 0xd201 * 4];
/** Sizes of digits as multiples of 2^63; z/2 is 0.8203 of it. */
const HALF_Z = Number(Z) / 2 ** 64;
const OPERAND_DIGITS = [16.1, 10.8, 10.8, 16.1];
const PRODUCT_DIGIT = 2.68;
const OPERAND_LIMB = 2 ** 25;
const OPERAND_TOP = 2 ** 22;
/** Digits of a Montgomery quotient are not balanced: that would take another operation for each. */
const QUOTIENT = 2 ** BITS;
const CONSTANT_TOP = 2 ** 17;
/** F + MAGIC has round(F / 2^UNIT) in its low mantissa bits. */
const UNIT = 29;
const MAGIC = 1.5 * 2 ** (23 + UNIT);
const MAGIC_BITS = BigInt((((127 + 23 + UNIT) << 23) | 0x400000) >>> 0);

/** Balanced digits of a value modulo r in base z. */
export function digitsOf(value) {
  const digits = [];
  let rest = value;
  for (let i = 0; i < 4; i++) {
    let digit = rest % Z;
    if (digit < 0n) digit += Z;
    if (2n * digit > Z) digit -= Z;
    digits.push(digit);
    rest = (rest - digit) / Z;
  }
  // z^4 = z^2 − 1
  digits[2] += rest;
  digits[0] -= rest;
  return digits;
}

/** Balanced limbs of a digit; the last holds the rest. */
export function limbsOf(digit) {
  const limbs = [];
  let rest = digit;
  for (let k = 0; k < 2; k++) {
    const limb = BigInt.asIntN(BITS, rest);
    limbs.push(limb);
    rest = (rest - limb) >> BigInt(BITS);
  }
  return [...limbs, rest];
}

/** Which digits are multiplied for each digit of the result: +1 or −1 times a_i b_j. X^4 = X^2 − 1. */
const POLYNOMIAL_ROWS = [
  { plus: [[0, 0]], minus: [[3, 3]], shared: 'minus', part: 0 },
  {
    plus: [
      [0, 1],
      [1, 0],
    ],
    minus: [],
    shared: 'minus',
    part: 1,
  },
  {
    plus: [
      [0, 2],
      [1, 1],
      [2, 0],
    ],
    minus: [],
    shared: 'plus',
    part: 0,
  },
  {
    plus: [
      [0, 3],
      [1, 2],
      [2, 1],
      [3, 0],
    ],
    minus: [],
    shared: 'plus',
    part: 1,
  },
];
/** The products of X^4 and X^5, which two digits of the result share. */
const SHARED_PARTS = [
  [
    [1, 3],
    [2, 2],
    [3, 1],
  ],
  [
    [2, 3],
    [3, 2],
  ],
];

/** A sum kept twice: integer terms, an f32 chain, and its bounds (half a unit per rounding, fused and split). */
function openSum() {
  return { integers: [], chain: null, size: 0, error: 0 };
}

function addProduct(sum, x, y, sign) {
  const size = x.limit * y.limit;
  const operand = sign < 0 ? `(-${x.float})` : x.float;
  sum.chain =
    sum.chain === null ? `${operand} * ${y.float}` : `fma(${operand}, ${y.float}, ${sum.chain})`;
  sum.integers.push(`${sign < 0 ? '- ' : '+ '}${x.name} * ${y.name}`);
  sum.size += size;
  // an operand of more than 24 bits is rounded when it is converted, and a split fma rounds its product
  sum.error += (sum.size + size * (x.limit > 2 ** 24 ? 2 : 1)) * 2 ** -24;
}

function addSum(sum, other, sign) {
  sum.chain =
    sum.chain === null ? other.float : `${sum.chain} ${sign < 0 ? '-' : '+'} ${other.float}`;
  sum.integers.push(`${sign < 0 ? '- ' : '+ '}${other.name}`);
  sum.size += other.size;
  sum.error += other.error + sum.size * 2 ** -24;
}

const integerText = ({ integers }) =>
  integers.join(' ').replace(/^\+ /, '').replace(/^- /, '0u - ');

/** The products of limbs of column k for pairs of digits. */
function addColumn(sum, operands, pairs, k, sign) {
  for (const [i, j] of pairs) {
    for (let limb = Math.max(0, k - 2); limb <= Math.min(2, k); limb++) {
      addProduct(sum, operands.a(i, limb), operands.b(j, k - limb), sign);
    }
  }
}

/** q·(z − X) clears the low 23 bits of every digit's column: q = U + 2^16 U/X with U = T/X, and 1/X = X − X^3. */
function montgomeryStep(s, lines) {
  const t = range(4).map((i) => `l${i}_${s}`);
  lines.push(`let u${s}_1 = ${t[2]} + ${t[0]};`);
  const u = [t[1], `u${s}_1`, t[3], `(0u - ${t[0]})`];
  const v = [u[1], `(${u[2]} + ${u[0]})`, u[3], `(0u - ${u[0]})`];
  range(4).forEach((i) => {
    lines.push(
      `let q${i}_${s} = (${u[i]} + (${v[i]} << 16u)) & ${MASK}; ` +
        `let fq${i}_${s} = f32(bitcast<i32>(q${i}_${s}));`,
    );
  });
  const q = range(4).map((i) => `q${i}_${s}`);
  const shifted = [`+ ${q[3]}`, `- ${q[0]}`, `- ${q[1]} - ${q[3]}`, `- ${q[2]}`];
  range(4).forEach((i) => {
    // the digits that X·q moves are far below the error that a carry allows, so the f32 sum leaves them out
    lines.push(
      `let m${i}_${s} = ${t[i]} + (${q[i]} << 16u) ${shifted[i]}; ` +
        `let G${i}_${s} = fma(fq${i}_${s}, ${Z_LOW}.0f, F${i}_${s});`,
    );
  });
}

/** The carry floor(S / 2^23) of a column from its sum modulo 2^32 and its f32 sum. */
function carryLine(i, k, low, float) {
  const correction = u32((MAGIC_BITS << BigInt(UNIT - BITS)) & 0xffffffffn);
  return (
    `let g${i}_${k} = bitcast<u32>(${float} + ${MAGIC}.0f); ` +
    `let c${i}_${k} = (g${i}_${k} << ${UNIT - BITS}u) + bitcast<u32>(bitcast<i32>(${low} - (g${i}_${k} << ${UNIT}u)) >> ${BITS}u) - ${correction};`
  );
}

/** Refuses sums that do not determine every carry; otherwise the comment that states the bound. */
function requireCarries(name, worst) {
  // left out of the f32 sums: the carry that comes in, the digits moved by X·q
  const leftOut = worst.size * 2 ** -BITS + 2 ** 25;
  const budget = 2 ** 31 - 2 ** (UNIT - 1) - leftOut;
  const power = (value) => `2^${Math.log2(value).toFixed(2)}`;
  if (worst.error >= budget || worst.size + worst.error >= 2 ** (22 + UNIT)) {
    throw new RangeError(
      `${name}: bound fails: error ${power(worst.error)} of ${power(budget)}, sum ${power(worst.size)} of 2^${22 + UNIT}`,
    );
  }
  return `// bound: |S| < ${power(worst.size)}, f32 error < ${power(worst.error)} of ${power(budget)}, fused or split (round to nearest)\n`;
}

/** Sums, Montgomery steps and carries, column by column. `sumsOf(k, lines)` yields the four sums of column k. */
function reducedColumns(name, sumsOf) {
  const lines = [];
  const worst = { size: 0, error: 0 };
  for (let k = 0; k < 5; k++) {
    const sums = sumsOf(k, lines);
    sums.forEach((sum, i) => {
      const integers = [...sum.integers];
      if (k >= 2) {
        const q = `${i}_${k - 2}`;
        integers.push(`+ q${q} * ${Z_TOP}u`);
        sum.chain =
          sum.chain === null ? `fq${q} * ${Z_TOP}.0f` : `fma(fq${q}, ${Z_TOP}.0f, ${sum.chain})`;
        sum.size += QUOTIENT * Z_TOP;
        sum.error += (sum.size + QUOTIENT * Z_TOP) * 2 ** -24;
      }
      if (k > 0) integers.push(`+ c${i}_${k - 1}`);
      lines.push(`let l${i}_${k} = ${integerText({ integers })}; let F${i}_${k} = ${sum.chain};`);
      if (k < STEPS) {
        sum.size += QUOTIENT * Z_LOW;
        sum.error += (sum.size + QUOTIENT * Z_LOW) * 2 ** -24;
      }
      worst.size = Math.max(worst.size, sum.size);
      worst.error = Math.max(worst.error, sum.error);
    });
    if (k < STEPS) montgomeryStep(k, lines);
    const [low, float] = k < STEPS ? ['m', 'G'] : ['l', 'F'];
    range(4).forEach((i) => {
      lines.push(carryLine(i, k, `${low}${i}_${k}`, `${float}${i}_${k}`));
    });
  }
  const outputs = range(4).flatMap((i) => [`l${i}_3 & ${MASK}`, `l${i}_4 & ${MASK}`, `c${i}_4`]);
  return {
    comment: requireCarries(name, worst),
    text: `${lines.map((line) => `  ${line}`).join('\n')}\n  return Fr(${outputs.join(', ')});\n`,
  };
}

function multiplier(operandLimb) {
  requireProductDigits();
  const operand = (name, limit, top) => (i, k) => ({
    name: `${name}.v${3 * i + k}`,
    float: `f${name}${3 * i + k}`,
    limit: k === 2 ? top : limit,
  });
  const operands = {
    a: operand('a', operandLimb, OPERAND_TOP),
    b: operand('b', HALF, CONSTANT_TOP),
  };
  const converted = (name) =>
    `  ${range(12)
      .map((i) => `let f${name}${i} = f32(bitcast<i32>(${name}.v${i}));`)
      .join(' ')}\n`;
  const body = reducedColumns('fr_mul', (k, lines) => {
    const shared = SHARED_PARTS.map((pairs, part) => {
      const sum = openSum();
      addColumn(sum, operands, pairs, k, 1);
      const name = `p${part}_${k}`;
      lines.push(`let ${name} = ${integerText(sum)}; let f${name} = ${sum.chain};`);
      return { ...sum, name, float: `f${name}` };
    });
    return POLYNOMIAL_ROWS.map(({ plus, minus, shared: sign, part }) => {
      const sum = openSum();
      if (sign === 'plus') addSum(sum, shared[part], 1);
      addColumn(sum, operands, plus, k, 1);
      addColumn(sum, operands, minus, k, -1);
      if (sign === 'minus') addSum(sum, shared[part], -1);
      return sum;
    });
  });
  return `${body.comment}fn fr_mul(a: Fr, b: Fr) -> Fr {\n${converted('a')}${converted('b')}${body.text}}\n`;
}

/** A product is at most |a b| / 2^69 + z; what a butterfly makes of four products must be an operand again. */
function requireProductDigits() {
  const rows = POLYNOMIAL_ROWS.map(({ plus, minus, part }) =>
    [...plus, ...minus, ...SHARED_PARTS[part]].reduce((sum, [i]) => sum + OPERAND_DIGITS[i], 0),
  );
  const product = (Math.max(...rows) / 64 + 2) * HALF_Z * (1 + 2 ** -20);
  const turned = [6, 4, 4, 6].map((count) => count * PRODUCT_DIGIT);
  if (product > PRODUCT_DIGIT || turned.some((digit, i) => digit > OPERAND_DIGITS[i])) {
    throw new RangeError(`fr_mul: digits of a product reach ${product} of ${PRODUCT_DIGIT}`);
  }
}

/** Plain words to digits: four 64-bit words times constants; small numbers are a digit as they stand. */
function enter(modulus) {
  const constants = range(4).map((j) =>
    digitsOf((1n << BigInt(64 * j + BITS * STEPS)) % modulus).map(limbsOf),
  );
  const word = (j) => [`w${2 * j}`, `w${2 * j + 1}`];
  const lines = range(4).map((j) => {
    const [low, high] = word(j);
    const top = j < 3 ? `${high} >> 14u` : `bitcast<u32>(bitcast<i32>(${high}) >> 14u)`;
    const limbs = [`${low} & ${MASK}`, `((${low} >> ${BITS}u) | (${high} << 9u)) & ${MASK}`, top];
    return `  ${limbs
      .map(
        (text, k) => `let e${j}_${k} = ${text}; let fe${j}_${k} = f32(bitcast<i32>(e${j}_${k}));`,
      )
      .join(' ')}`;
  });
  const body = reducedColumns('fr_enter', (k) =>
    range(4).map((i) => {
      const sum = openSum();
      for (const j of range(4)) {
        for (let limb = Math.max(0, k - 2); limb <= Math.min(2, k); limb++) {
          const constant = constants[j][i][k - limb];
          addProduct(
            sum,
            {
              name: `e${j}_${limb}`,
              float: `fe${j}_${limb}`,
              limit: limb === 2 ? 2 ** 18 : 2 ** 23,
            },
            { name: u32(constant), float: `${constant}.0f`, limit: Math.abs(Number(constant)) },
            1,
          );
        }
      }
      return sum;
    }),
  );
  const args = range(8)
    .map((i) => `w${i}: u32`)
    .join(', ');
  return `// an element in two's complement words, |value| < 2^255
fn fr_enter(${args}) -> Fr {
  let sign = bitcast<u32>(bitcast<i32>(w1) >> 31u);
  if (((w2 ^ sign) | (w3 ^ sign) | (w4 ^ sign) | (w5 ^ sign) | (w6 ^ sign) | (w7 ^ sign)) == 0u) {
    return fr_unpack(w0, w1, 0u, 0u, 0u, 0u, 0u, 0u);
  }
${lines.join('\n')}
${body.text}}
`;
}

/** The value of digits in canonical words: Horner's rule modulo 2^256 in 16-bit limbs. */
function canon(modulus) {
  const lines = ['let w = fr_pack(a);'];
  const digit = (i, k) => {
    if (k >= 4) return `s${i}`;
    const word = `w[${2 * i + (k >> 1)}]`;
    return k % 2 === 0 ? `(${word} & 0xffffu)` : `(${word} >> 16u)`;
  };
  range(4).forEach((i) => {
    lines.push(`let s${i} = bitcast<u32>(bitcast<i32>(w[${2 * i + 1}]) >> 31u) & 0xffffu;`);
  });
  let value = range(16).map((k) => digit(3, k));
  value.forEach((text, k) => {
    lines.push(`let h3_${k} = ${text};`);
  });
  value = range(16).map((k) => `h3_${k}`);
  for (const i of [2, 1, 0]) {
    // times z = 2^16 + 0xd201·2^48, plus the digit
    value = range(16).map((k) => {
      const terms = [digit(i, k)];
      if (k >= 1) terms.push(value[k - 1]);
      if (k >= 3) terms.push(`${value[k - 3]} * 0xd201u`);
      if (k >= 1) terms.push(`(t${i}_${k - 1} >> 16u)`);
      lines.push(`let t${i}_${k} = ${terms.join(' + ')}; let h${i}_${k} = t${i}_${k} & 0xffffu;`);
      return `h${i}_${k}`;
    });
  }
  lines.push('let negative = 0u - (h0_15 >> 15u);');
  range(16).forEach((k) => {
    const part = (modulus >> BigInt(16 * k)) & 0xffffn;
    const carry = k === 0 ? '' : ` + (r${k - 1} >> 16u)`;
    lines.push(`let r${k} = ${value[k]} + (negative & ${u32(part)})${carry};`);
  });
  const words = range(8).map((w) => `(r${2 * w} & 0xffffu) | (r${2 * w + 1} << 16u)`);
  return `// canonical words in [0, modulus)\nfn fr_canon(a: Fr) -> array<u32, 8> {\n${lines
    .map((line) => `  ${line}`)
    .join('\n')}\n  return array<u32, 8>(${words.join(', ')});\n}\n`;
}

/** WGSL of the field. `fourthRoot` is what turn multiplies by: z^3 or its negative; mul takes limbs up to operandLimb. */
export function pmns23Field({ modulus, fourthRoot, operandLimb = OPERAND_LIMB }) {
  if (Z ** 4n - Z ** 2n + 1n !== modulus) throw new RangeError('the modulus is not z^4 − z^2 + 1');
  const turnSign = fourthRoot === Z ** 3n ? 1 : -1;
  if (turnSign < 0 && fourthRoot !== modulus - Z ** 3n) throw new RangeError('no fourth root');
  const all = (text) => `Fr(${range(12).map(text).join(', ')})`;
  const digits = (text) =>
    `Fr(${range(4)
      .flatMap((i) => range(3).map((k) => text(i, k)))
      .join(', ')})`;
  const asr = (text, shift) => `bitcast<u32>(bitcast<i32>(${text}) >> ${shift}u)`;
  let code = `struct Fr { ${range(12)
    .map((i) => `v${i}: u32`)
    .join(', ')} }\n`;
  code += multiplier(operandLimb);
  code += `fn fr_add(a: Fr, b: Fr) -> Fr { return ${all((i) => `a.v${i} + b.v${i}`)}; }\n`;
  code += `fn fr_sub(a: Fr, b: Fr) -> Fr { return ${all((i) => `a.v${i} - b.v${i}`)}; }\n`;
  code += `// mask 0 keeps, mask 0xffffffff negates\nfn fr_neg_if(a: Fr, mask: u32) -> Fr { return ${all((i) => `(a.v${i} ^ mask) - mask`)}; }\n`;
  const turned = [
    (k) => `0u - a.v${3 + k} - a.v${9 + k}`,
    (k) => `0u - a.v${6 + k}`,
    (k) => `a.v${3 + k}`,
    (k) => `a.v${k} + a.v${6 + k}`,
  ];
  const turnedBack = [
    (k) => `a.v${3 + k} + a.v${9 + k}`,
    (k) => `a.v${6 + k}`,
    (k) => `0u - a.v${3 + k}`,
    (k) => `0u - a.v${k} - a.v${6 + k}`,
  ];
  code += `// times the fourth root of unity: digits move and add up, so limbs double\nfn fr_turn(a: Fr) -> Fr { return ${digits((i, k) => (turnSign > 0 ? turned : turnedBack)[i](k))}; }\n`;
  const carries = range(4).map(
    (i) => `  let t${i} = a.v${3 * i + 1} + ${asr(`a.v${3 * i}`, BITS)};`,
  );
  code += `// carries to L form\nfn fr_norm(a: Fr) -> Fr {\n${carries.join('\n')}\n  return ${digits(
    (i, k) =>
      [`a.v${3 * i} & ${MASK}`, `t${i} & ${MASK}`, `a.v${3 * i + 2} + ${asr(`t${i}`, BITS)}`][k],
  )};\n}\n`;
  const quotients = range(4).map(
    (i) =>
      `  let k${i} = bitcast<u32>(fma(f32(bitcast<i32>(a.v${3 * i + 2})), ${Math.fround(1 / Z_TOP)}f, 12582912.0f)) - 0x4b400000u;`,
  );
  const low = ['- k3', '+ k0', '+ k1 + k3', '+ k2'];
  code += `// brings every digit within z/2 and a little: k z in one digit is k in the next; limbs stay loose\nfn fr_red(a: Fr) -> Fr {\n${quotients.join('\n')}\n  return ${digits(
    (i, k) =>
      [
        `a.v${3 * i} - (k${i} << 16u) ${low[i]}`,
        `a.v${3 * i + 1}`,
        `a.v${3 * i + 2} - k${i} * ${Z_TOP}u`,
      ][k],
  )};\n}\n`;
  const words = range(8)
    .map((i) => `w${i}: u32`)
    .join(', ');
  const unpacked = (bias) =>
    digits(
      (i, k) =>
        [
          `(w${2 * i} & ${MASK})${bias}`,
          `(((w${2 * i} >> ${BITS}u) | (w${2 * i + 1} << 9u)) & ${MASK})${bias}`,
          asr(`w${2 * i + 1}`, 14),
        ][k],
    );
  code += `// stored words: L form\nfn fr_unpack(${words}) -> Fr { return ${unpacked('')}; }\n`;
  code += `// biased words of a constant: N form\nfn fr_unpack_biased(${words}) -> Fr { return ${unpacked(` - ${HALF}u`)}; }\n`;
  const packed = range(4).map((i) => {
    const [l0, l1, l2] = range(3).map((k) => `a.v${3 * i + k}`);
    return `  let t${i}_1 = ${l1} + ${asr(l0, BITS)}; let t${i}_2 = ${l2} + ${asr(`t${i}_1`, BITS)};`;
  });
  const packedWords = range(4).flatMap((i) => [
    `(a.v${3 * i} & ${MASK}) | (t${i}_1 << ${BITS}u)`,
    `((t${i}_1 & ${MASK}) >> 9u) | (t${i}_2 << 14u)`,
  ]);
  code += `fn fr_pack_digits(a: Fr) -> array<u32, 8> {\n${packed.join('\n')}\n  return array<u32, 8>(${packedWords.join(', ')});\n}\n`;
  code += `// stored words of any element\nfn fr_pack(a: Fr) -> array<u32, 8> { return fr_pack_digits(fr_red(a)); }\n`;
  code += `fn fr_pack_sum(a: Fr) -> array<u32, 8> { return fr_pack(a); }\n`;
  code += `// mul takes what a butterfly leaves as it is\nfn fr_operand(a: Fr) -> Fr { return a; }\n`;
  code += `// biased words of a constant\nfn fr_pack_biased(a: Fr) -> array<u32, 8> {\n  let x = fr_red(a);\n  return fr_pack_digits(${digits((i, k) => (k < 2 ? `x.v${3 * i + k} + ${HALF}u` : `x.v${3 * i + 2}`))});\n}\n`;
  code += enter(modulus);
  code += canon(modulus);
  return code;
}
