// Generator of the field inversion: half-delta divsteps (Bernstein-Yang, with the starting value of Pornin and
// Wuille) in signed 14-bit limbs, 14 steps per batch, so that every product of a matrix entry and a limb stays in i32.
import { invertMod, limbOfWords, range, u32, wordOfLimbs } from '../field/wgsl-text.mjs';

const BITS = 14;
const MASK = (1 << BITS) - 1;

/**
 * Batches that bring every input below 2^modulusBits to f = ±1: the published bound on half-delta divsteps,
 * floor((45907·bits + 26313) / 19929), rounded up to whole batches.
 */
export const batchesFor = (modulusBits) =>
  Math.ceil(Math.floor((45907 * modulusBits + 26313) / 19929) / BITS);

/**
 * WGSL `fn NAME(w: array<u32, words>) -> array<u32, words>`: for stored words of v with 0 < |v| < 2^bits(modulus)
 * the stored words of a value congruent to E/v and below 2·modulus in size, where E in [0, modulus) comes as the
 * constants E0, E1, … (14-bit limbs). With v = xR and E = R² the result is R/x, the Montgomery form of 1/x.
 */
export function fieldInverse({ name, modulus, words }) {
  const bits = modulus.toString(2).length;
  const limbs = Math.ceil((bits + 2) / BITS);
  const top = limbs - 1;
  const topShift = (BITS * top) & 31;
  const p = range(limbs).map((i) => Number((modulus >> BigInt(BITS * i)) & BigInt(MASK)));
  const inverse = Number(invertMod(modulus, 1n << BigInt(BITS)));
  const times = (factor, value) => (factor === 1 ? value : `${factor} * ${value}`);
  const reduced = (sum, i, m) => (p[i] === 0 ? sum : `${sum} + ${times(p[i], m)}`);

  const lines = [];
  for (let i = 0; i < limbs; i++) {
    const g =
      i < top
        ? `bitcast<i32>(${limbOfWords(i, BITS, words).replaceAll(/\bw(\d+)\b/g, 'w[$1]')})`
        : `bitcast<i32>(w[${words - 1}]) >> ${topShift}u`;
    lines.push(`  var f${i} = ${p[i]}; var g${i} = ${g}; var d${i} = 0; var e${i} = i32(E${i});`);
  }
  lines.push('  var zeta = -1;', `  for (var batch = 0u; batch < ${batchesFor(bits)}u; batch++) {`);
  lines.push(
    // each row of the matrix in one word, u + 2^16 v and q + 2^16 r: entries are at most 2^14 in size
    '    var uv = 1; var qr = 0x10000;',
    `    var f = f0 | (f1 << ${BITS}u); var g = g0 | (g1 << ${BITS}u);`,
    `    for (var step = 0u; step < ${BITS}u; step++) {`,
    '      var swap = zeta >> 31u; let odd = -(g & 1);',
    '      g += ((f ^ swap) - swap) & odd; qr += ((uv ^ swap) - swap) & odd;',
    '      swap &= odd; zeta = (zeta ^ swap) - 1;',
    '      f += g & swap; uv += qr & swap;',
    '      g = g >> 1u; uv = uv << 1u;',
    '    }',
    '    let v = (uv + 0x8000) >> 16u; let u = uv - (v << 16u); let r = (qr + 0x8000) >> 16u; let q = qr - (r << 16u);',
  );
  // (d, e) := matrix · (d, e) / 2^14 modulo p: md, me make the low limb vanish and keep both in (-2p, p)
  lines.push(
    `    let sd = d${top} >> 31u; let se = e${top} >> 31u;`,
    '    var md = (u & sd) + (v & se); var me = (q & sd) + (r & se);',
    '    var cd = u * d0 + v * e0; var ce = q * d0 + r * e0;',
    `    md -= (${times(inverse, 'cd')} + md) & ${MASK}; me -= (${times(inverse, 'ce')} + me) & ${MASK};`,
    `    cd = (${reduced('cd', 0, 'md')}) >> ${BITS}u; ce = (${reduced('ce', 0, 'me')}) >> ${BITS}u;`,
  );
  for (let i = 1; i < limbs; i++) {
    lines.push(
      `    { let x = d${i}; let y = e${i}; cd += ${reduced('u * x + v * y', i, 'md')}; ce += ${reduced('q * x + r * y', i, 'me')};`,
      `      d${i - 1} = cd & ${MASK}; e${i - 1} = ce & ${MASK}; cd = cd >> ${BITS}u; ce = ce >> ${BITS}u; }`,
    );
  }
  lines.push(`    d${top} = cd; e${top} = ce;`);
  lines.push(`    var cf = (u * f0 + v * g0) >> ${BITS}u; var cg = (q * f0 + r * g0) >> ${BITS}u;`);
  for (let i = 1; i < limbs; i++) {
    lines.push(
      `    { let x = f${i}; let y = g${i}; cf += u * x + v * y; cg += q * x + r * y;`,
      `      f${i - 1} = cf & ${MASK}; g${i - 1} = cg & ${MASK}; cf = cf >> ${BITS}u; cg = cg >> ${BITS}u; }`,
    );
  }
  const rest = range(limbs).map((i) => `g${i}`);
  lines.push(
    `    f${top} = cf; g${top} = cg;`,
    '    // most inputs need fewer batches than the bound',
    `    if ((${rest.join(' | ')}) == 0) { break; }`,
    '  }',
  );
  // f = ±1 now; d·f = E/v
  lines.push(`  let sign = f${top} >> 31u; var carry = 0;`);
  for (let i = 0; i < limbs; i++) {
    lines.push(
      i < top
        ? `  carry += (d${i} ^ sign) - sign; let h${i} = bitcast<u32>(carry & ${MASK}); carry = carry >> ${BITS}u;`
        : `  carry += (d${i} ^ sign) - sign; let h${i} = bitcast<u32>(carry);`,
    );
  }
  const names = range(limbs).map((i) => `h${i}`);
  const packed = range(words).map((k) => wordOfLimbs(k, BITS, names));
  return (
    `// Needs the constants E0 … E${top}: ${BITS}-bit limbs of E, lowest first (with E = R^2 mod p the result is in Montgomery form).\n` +
    `// ${batchesFor(bits)} batches of ${BITS} half-delta divsteps; |input| < 2^${bits}, not 0; modulus ${u32(p[0])}… (${bits} bits)\n` +
    `fn ${name}(w: array<u32, ${words}>) -> array<u32, ${words}> {\n${lines.join('\n')}\n` +
    `  return array<u32, ${words}>(${packed.join(', ')});\n}\n`
  );
}
