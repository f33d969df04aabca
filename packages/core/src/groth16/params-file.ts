import {
  decodeG1Uncompressed,
  decodeG2Uncompressed,
  type PointDecoding,
} from '../curve/point-encoding.ts';
import type { G1Affine, G2Affine } from '../curve/points.ts';
import { CuzkError } from '../errors.ts';
import {
  PARAMS_COUNT_BYTES,
  PARAMS_SECTIONS,
  type ParamsCounts,
  type ParamsSection,
  type ParamsSectionName,
  pointBytesOf,
} from './params-layout.ts';
import type { VerifyingKey } from './types.ts';
import {
  announcedInputs,
  decodeCount,
  decodeIcPoints,
  decodeVerifyingKeyHead,
  VERIFYING_KEY_HEAD_BYTES,
  verifyingKeyBytes,
} from './verifying-key.ts';

/** Positional access to a file of any size. `read` may give fewer bytes only past the end. */
export interface PositionalReader {
  readonly sizeBytes: number;
  read(offset: number, length: number): Promise<Uint8Array>;
  /** The same without a copy: fills `target`, which may be mapped device memory, and returns the bytes read. */
  readInto?(target: Uint8Array, offset: number): Promise<number>;
}

/** Fills `target` from the file; returns the bytes read, fewer only past the end. */
export async function readPositions(
  reader: PositionalReader,
  target: Uint8Array,
  offset: number,
): Promise<number> {
  if (reader.readInto !== undefined) return reader.readInto(target, offset);
  const bytes = await reader.read(offset, target.length);
  target.set(bytes);
  return bytes.length;
}

/** Points of the verifying key that are read at once: more than any circuit of Filecoin has. */
const IC_PIECE = 1024;

export interface ParamsFile {
  readonly vk: VerifyingKey;
  readonly sections: Readonly<Record<ParamsSectionName, ParamsSection>>;
}

const malformed = (section: string, problem: string, expected: string, found: string): CuzkError =>
  new CuzkError('PARAMS_MALFORMED', `parameter file, section ${section}: ${problem}`, {
    expected,
    found,
    action: 'Fetch or generate the parameter file again and check its digest.',
  });

function requireInside(
  { sizeBytes }: PositionalReader,
  offset: number,
  length: number,
  section: string,
): void {
  if (offset + length <= sizeBytes) return;
  throw truncated(section, offset, length, `a file of ${sizeBytes} bytes`);
}

const truncated = (section: string, offset: number, length: number, found: string): CuzkError =>
  malformed(section, 'truncated', `${length} bytes at offset ${offset}`, found);

async function readExactly(
  reader: PositionalReader,
  offset: number,
  length: number,
  section: string,
): Promise<Uint8Array> {
  requireInside(reader, offset, length, section);
  const bytes = await reader.read(offset, length);
  if (bytes.length !== length) throw truncated(section, offset, length, `${bytes.length} bytes`);
  return bytes;
}

/** In pieces, so that a wrong count of ic points ends at the first that is none, and takes no memory of its own. */
async function readVerifyingKey(reader: PositionalReader): Promise<VerifyingKey> {
  const bytes = await readExactly(reader, 0, VERIFYING_KEY_HEAD_BYTES, 'vk');
  const head = decodeVerifyingKeyHead(bytes);
  const inputs = announcedInputs(bytes);
  requireInside(reader, 0, verifyingKeyBytes(inputs), 'vk');
  const ic: G1Affine[] = [];
  while (ic.length < inputs) {
    const [first, count] = [ic.length, Math.min(IC_PIECE, inputs - ic.length)];
    const from = verifyingKeyBytes(first);
    const piece = await readExactly(reader, from, verifyingKeyBytes(first + count) - from, 'vk');
    ic.push(...decodeIcPoints(piece, first));
  }
  return { ...head, ic };
}

async function readSection(
  reader: PositionalReader,
  name: ParamsSectionName,
  countOffset: number,
): Promise<ParamsSection> {
  const count = decodeCount(await readExactly(reader, countOffset, PARAMS_COUNT_BYTES, name));
  const section = {
    name,
    offset: countOffset + PARAMS_COUNT_BYTES,
    count,
    pointBytes: pointBytesOf(name),
  };
  if (endOf(section) > reader.sizeBytes) {
    throw malformed(
      name,
      `truncated: ${count} points announced`,
      `${endOf(section)} bytes at least`,
      `a file of ${reader.sizeBytes} bytes`,
    );
  }
  return section;
}

const endOf = (section: ParamsSection): number =>
  section.offset + section.count * section.pointBytes;

/** Relations between the counts that hold for every circuit (spec §4.2, §4.5). */
function assertConsistent(inputs: number, { h, l, a, bG1, bG2 }: ParamsFile['sections']): void {
  const domain = h.count + 1;
  if (2 ** Math.round(Math.log2(domain)) !== domain) {
    throw malformed('h', 'wrong count', 'a power of two less one', `${h.count}`);
  }
  if (a.count < inputs || a.count > inputs + l.count) {
    throw malformed('a', 'wrong count', `${inputs} … ${inputs + l.count}`, `${a.count}`);
  }
  if (bG1.count > inputs + l.count) {
    throw malformed('bG1', 'wrong count', `at most ${inputs + l.count}`, `${bG1.count}`);
  }
  if (bG2.count !== bG1.count) {
    throw malformed('bG2', 'wrong count', `${bG1.count}, as in bG1`, `${bG2.count}`);
  }
}

/**
 * Reads the verifying key and the places of the five vectors of a `.params` file (spec §4.5): a few small
 * positional reads, never the vectors themselves. Throws CuzkError PARAMS_MALFORMED naming the section where
 * the file is truncated, too long, or its counts contradict each other, and where a point of the verifying
 * key is bad.
 */
export async function readParamsFile(reader: PositionalReader): Promise<ParamsFile> {
  const vk = await readVerifyingKey(reader);
  let end = verifyingKeyBytes(vk.ic.length);
  const sections: Partial<Record<ParamsSectionName, ParamsSection>> = {};
  for (const name of PARAMS_SECTIONS) {
    const section = await readSection(reader, name, end);
    sections[name] = section;
    end = endOf(section);
  }
  if (end !== reader.sizeBytes) {
    throw malformed('bG2', 'bytes after the end', `${end} bytes`, `${reader.sizeBytes} bytes`);
  }
  const file = { vk, sections: sections as ParamsFile['sections'] };
  assertConsistent(vk.ic.length, file.sections);
  return file;
}

/** Throws CuzkError PARAMS_MALFORMED, naming the section, where a file's counts are not the expected ones. */
export function assertParamsCounts({ vk, sections }: ParamsFile, expected: ParamsCounts): void {
  const pairs: [string, number, number][] = [
    ['vk', vk.ic.length, expected.inputs],
    ['h', sections.h.count, expected.h],
    ['l', sections.l.count, expected.l],
    ['a', sections.a.count, expected.a],
    ['bG1', sections.bG1.count, expected.b],
    ['bG2', sections.bG2.count, expected.b],
  ];
  for (const [section, found, wanted] of pairs) {
    if (found !== wanted) {
      throw malformed(section, 'not of this circuit', `${wanted} points`, `${found} points`);
    }
  }
}

async function readPoints<P>(
  reader: PositionalReader,
  section: ParamsSection,
  first: number,
  count: number,
  decode: (bytes: Uint8Array, options: PointDecoding) => P,
): Promise<P[]> {
  if (first < 0 || count < 0 || first + count > section.count) {
    throw new RangeError(`${section.name}: expected a range within 0 … ${section.count}`);
  }
  const { offset, pointBytes, name } = section;
  const bytes = await readExactly(reader, offset + first * pointBytes, count * pointBytes, name);
  return Array.from({ length: count }, (_, i) =>
    decode(bytes.subarray(i * pointBytes, (i + 1) * pointBytes), {
      code: 'PARAMS_MALFORMED',
      what: `parameter file, section ${name}, point ${first + i}`,
      checkSubgroup: false,
    }),
  );
}

/**
 * Points first … first + count − 1 of a G1 section, curve equation checked, subgroup not, infinity rejected
 * (spec §4.5). For tests and spot checks: ≈ 10 µs a point. Throws CuzkError PARAMS_MALFORMED naming section
 * and index; RangeError for a range outside the section.
 */
export function readG1Points(
  reader: PositionalReader,
  section: ParamsSection,
  first: number,
  count: number,
): Promise<G1Affine[]> {
  return readPoints(reader, section, first, count, decodeG1Uncompressed);
}

/** As readG1Points, for bG2. */
export function readG2Points(
  reader: PositionalReader,
  section: ParamsSection,
  first: number,
  count: number,
): Promise<G2Affine[]> {
  return readPoints(reader, section, first, count, decodeG2Uncompressed);
}
