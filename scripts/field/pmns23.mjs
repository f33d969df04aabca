// Generator of Fr in a polynomial modular number system (docs/kernels.md "Digits in base z"). r = z^4 − z^2 + 1 for the
// curve's parameter z, so an element is a polynomial of four digits in z modulo X^4 − X^2 + 1, a digit three signed
// limbs of 23 bits. Multiplying by z moves the digits, hence by the fourth root of unity z^3 too; and as z has two
// non-zero limbs, a Montgomery step costs two products per digit. Column sums are kept twice, as in signed24.mjs.
//
// Forms: L has limbs in [0, 2^23) (output of mul, norm and unpack), N in [-2^22, 2^22] (constants); the top limb of a
// digit holds the rest. Stored form: each digit as 64 bits in two's complement, within z/2 and a little.
// mul: limbs of a up to 2^25, its digits up to OPERAND_DIGITS, b a constant or an element in L form, either within z/2
// and a little; the result is below PRODUCT_DIGIT. That is what a radix-4 butterfly makes of its own products.
import {
  addColumn,
  addSum,
  BITS,
  integerText,
  MASK,
  openSum,
  reducedColumns,
  STEPS,
  Z_TOP,
} from './pmns23-columns.mjs';
import { range, u32 } from './wgsl-text.mjs';

export const Z = 0xd201000000010000n;
const HALF = 2 ** (BITS - 1);
/** Sizes of digits as multiples of 2^63; z/2 is 0.8203 of it. */
const HALF_Z = Number(Z) / 2 ** 64;
const OPERAND_DIGITS = [16.1, 10.8, 10.8, 16.1];
const PRODUCT_DIGIT = 2.68;
const OPERAND_LIMB = 2 ** 25;
const OPERAND_TOP = 2 ** 22;
const CONSTANT_TOP = 2 ** 17;

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
      const operands = {
        a: (j, limb) => ({
          name: `e${j}_${limb}`,
          float: `fe${j}_${limb}`,
          limit: limb === 2 ? 2 ** 18 : 2 ** 23,
        }),
        b: (j, limb) => {
          const constant = constants[j][i][limb];
          return {
            name: u32(constant),
            float: `${constant}.0f`,
            limit: Math.abs(Number(constant)),
          };
        },
      };
      addColumn(
        sum,
        operands,
        range(4).map((j) => [j, j]),
        k,
        1,
      );
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

/**
 * WGSL of the field. `fourthRoot` is what turn multiplies by: z^3 or its negative; mul takes limbs up to operandLimb.
 */
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
