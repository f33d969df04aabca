// The kernel file that exchanges elements through workgroup memory a few limbs at a time: NVIDIA's Vulkan driver
// behaves as if one multiprocessor had about 48 KB for all resident workgroups, so more barriers are cheaper than a
// large exchange.
import { range } from './wgsl-text.mjs';

const LIMBS_AT_ONCE = 4;

/** WGSL of `exchange` for elements of `limbs` limbs; needs the constants TILE and the struct Four. */
export function exchangeFunction({ limbs }) {
  const lines = [];
  for (let first = 0; first < limbs; first += LIMBS_AT_ONCE) {
    const part = range(Math.min(LIMBS_AT_ONCE, limbs - first)).map((k) => [
      first + k,
      `${k}u * TILE`,
    ]);
    const each = (text) =>
      ['a', 'b', 'c', 'd'].forEach((name, lane) => {
        lines.push(
          `  ${part.map(([limb, plane]) => text(name, 'xyzw'[lane], limb, plane)).join(' ')}`,
        );
      });
    lines.push('  workgroupBarrier();');
    each(
      (name, lane, limb, plane) => `exchanged[${plane} + from_slots.${lane}] = v.${name}.v${limb};`,
    );
    lines.push('  workgroupBarrier();');
    each(
      (name, lane, limb, plane) => `v.${name}.v${limb} = exchanged[${plane} + to_slots.${lane}];`,
    );
  }
  return `// Each invocation puts its four elements into the slots from_slots and takes those in to_slots.
// @import "../field/fr.wgsl"
// @import "../ntt/butterfly.wgsl"
var<workgroup> exchanged: array<u32, ${Math.min(LIMBS_AT_ONCE, limbs)}u * TILE>;

fn exchange(given: Four, from_slots: vec4u, to_slots: vec4u) -> Four {
  var v = given;
${lines.join('\n')}
  return v;
}
`;
}
