import { fromHex, toHex } from '@cuzk/core/bytes';
import {
  encodeG1Uncompressed,
  encodeG2Uncompressed,
  G1_UNCOMPRESSED_BYTES,
} from '@cuzk/core/curve/point-encoding';
import { FP_BYTES, FP_MODULUS } from '@cuzk/core/field/fp';
import {
  layOutParams,
  PARAMS_COUNT_BYTES,
  PARAMS_SECTIONS,
  type ParamsCounts,
  type ParamsSection,
  type ParamsSectionName,
} from '@cuzk/core/groth16/params-layout';
import { encodeCount, verifyingKeyBytes } from '@cuzk/core/groth16/verifying-key';
import { pointOutsideSubgroup } from './curve-points.ts';

/** A parameter file with one thing wrong, and what a refusal must say of it. */
export interface DamagedParams {
  readonly what: string;
  readonly bytes: Buffer;
  readonly refusal: RegExp;
}

/** Changes that leave points of the subgroup in every place: nothing but the digest of the file tells them. */
export interface ForgedParams {
  readonly what: string;
  readonly bytes: Buffer;
}

const groupOf = (name: ParamsSectionName): 'g1' | 'g2' => (name === 'bG2' ? 'g2' : 'g1');
const endOf = ({ offset, count, pointBytes }: ParamsSection): number => offset + count * pointBytes;
/** Neither the first nor the last point of a section. */
const someIndex = ({ count }: ParamsSection): number => Math.floor((2 * count) / 3);

function withPoint(
  params: Buffer,
  { offset, pointBytes }: ParamsSection,
  index: number,
  point: Uint8Array,
): Buffer {
  const bytes = Buffer.from(params);
  bytes.set(point, offset + index * pointBytes);
  return bytes;
}

function withFlippedBit(params: Buffer, at: number): Buffer {
  const bytes = Buffer.from(params);
  bytes[at] = (bytes[at] ?? 0) ^ 0x10;
  return bytes;
}

function infinity({ pointBytes }: ParamsSection): Uint8Array {
  const point = new Uint8Array(pointBytes);
  point[0] = 0x40;
  return point;
}

/** A section with its count. */
const wholeSection = (params: Buffer, section: ParamsSection): Buffer =>
  params.subarray(section.offset - PARAMS_COUNT_BYTES, endOf(section));

/** The last point is gone and the count says so: the layout holds, the circuit is another one. */
function shortened(params: Buffer, section: ParamsSection): Buffer {
  return Buffer.concat([
    params.subarray(0, section.offset - PARAMS_COUNT_BYTES),
    encodeCount(section.count - 1),
    params.subarray(section.offset, endOf(section) - section.pointBytes),
    params.subarray(endOf(section)),
  ]);
}

function withCount(params: Buffer, { offset, count }: ParamsSection): Buffer {
  const bytes = Buffer.from(params);
  bytes.set(encodeCount(count + 1), offset - PARAMS_COUNT_BYTES);
  return bytes;
}

function swapped(params: Buffer, one: ParamsSection, next: ParamsSection): Buffer {
  return Buffer.concat([
    params.subarray(0, one.offset - PARAMS_COUNT_BYTES),
    wholeSection(params, next),
    wholeSection(params, one),
    params.subarray(endOf(next)),
  ]);
}

/** −P for the encoding of P: each part of y is subtracted from p. */
function negated(point: Uint8Array): Uint8Array {
  const bytes = Uint8Array.from(point);
  for (let at = bytes.length / 2; at < bytes.length; at += FP_BYTES) {
    const part = BigInt(`0x${toHex(bytes.subarray(at, at + FP_BYTES))}`);
    const other = part === 0n ? part : FP_MODULUS - part;
    bytes.set(fromHex(other.toString(16).padStart(2 * FP_BYTES, '0')), at);
  }
  return bytes;
}

/** Every way to damage a section of the file. */
function damagedSection(params: Buffer, section: ParamsSection): DamagedParams[] {
  const { name, offset, pointBytes } = section;
  const index = someIndex(section);
  const flippedAt = offset + (index + 1) * pointBytes - 7;
  const outside = pointOutsideSubgroup(groupOf(name));
  const encoded =
    groupOf(name) === 'g2'
      ? encodeG2Uncompressed(outside as Parameters<typeof encodeG2Uncompressed>[0])
      : encodeG1Uncompressed(outside as Parameters<typeof encodeG1Uncompressed>[0]);
  const of = (problem: string): RegExp => new RegExp(`section ${name}: ${problem}`);
  return [
    {
      what: `${name} cut off`,
      bytes: params.subarray(0, endOf(section) - 1),
      refusal: of('truncated'),
    },
    {
      what: `a flipped bit in ${name}`,
      bytes: withFlippedBit(params, flippedAt),
      refusal: of(`not on curve: point ${index}`),
    },
    {
      what: `infinity in ${name}`,
      bytes: withPoint(params, section, index, infinity(section)),
      refusal: of('point at infinity'),
    },
    {
      what: `a point outside the subgroup in ${name}`,
      bytes: withPoint(params, section, index, encoded),
      refusal: of(`not in the subgroup: point ${index}`),
    },
    {
      what: `a larger count of ${name}`,
      bytes: withCount(params, section),
      refusal: /section (h|l|a|bG1|bG2): /,
    },
    {
      what: `a point less in ${name}`,
      bytes: shortened(params, section),
      // of the two vectors of b, which must be as long, the second one is named
      refusal:
        name === 'bG1' ? /section bG2: wrong count/ : of('(wrong count|not of this circuit)'),
    },
  ];
}

/** Parameter files that must be refused before use. `params` has the points that `counts` says. */
export function damagedParams(params: Buffer, counts: ParamsCounts): DamagedParams[] {
  const { sections } = layOutParams(counts);
  const pairs = PARAMS_SECTIONS.slice(1).map((name, i) => [PARAMS_SECTIONS[i], name] as const);
  return [
    {
      what: 'the key cut off',
      bytes: params.subarray(0, verifyingKeyBytes(counts.inputs) - 1),
      refusal: /section vk: truncated/,
    },
    {
      what: 'a flipped bit in the key',
      bytes: withFlippedBit(params, 90),
      refusal: /verifying key: alphaG1: not on curve/,
    },
    {
      what: 'a byte too many',
      bytes: Buffer.concat([params, Buffer.alloc(1)]),
      refusal: /bytes after the end/,
    },
    ...PARAMS_SECTIONS.flatMap((name) => damagedSection(params, sections[name])),
    ...pairs.map(([one, next]) => ({
      what: `${one} and ${next} in each other's place`,
      bytes: swapped(params, sections[one as ParamsSectionName], sections[next]),
      refusal: /section (h|l|a|bG1|bG2): /,
    })),
  ];
}

/** Files of other points of the subgroup: the first of each section negated, and those of two sections exchanged. */
export function forgedParams(params: Buffer, counts: ParamsCounts): ForgedParams[] {
  const { sections } = layOutParams(counts);
  const { a, bG1 } = sections;
  const exchanged = Buffer.from(params);
  const common = Math.min(a.count, bG1.count) * G1_UNCOMPRESSED_BYTES;
  exchanged.set(params.subarray(bG1.offset, bG1.offset + common), a.offset);
  exchanged.set(params.subarray(a.offset, a.offset + common), bG1.offset);
  return [
    ...PARAMS_SECTIONS.map((name) => {
      const section = sections[name];
      const first = params.subarray(section.offset, section.offset + section.pointBytes);
      return {
        what: `the first point of ${name} negated`,
        bytes: withPoint(params, section, 0, negated(first)),
      };
    }),
    { what: 'the points of a and bG1 exchanged', bytes: exchanged },
  ];
}
