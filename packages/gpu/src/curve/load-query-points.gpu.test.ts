import { mkdtempSync, rmSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { encodeG1Uncompressed } from '@cuzk/core/curve/point-encoding';
import type { ParamsSection } from '@cuzk/core/groth16/params-layout';
import { type FileReader, openFileReader } from '@cuzk/service-kit/circuits/file-reader';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { OpenedDevice } from '../device/device.ts';
import { generatorMultiples } from '../testing/curve-points.ts';
import { openTestDevice } from '../testing/software-device.ts';
import { loadQueryPoints } from './load-query-points.ts';
import { encodePointsOnDevice } from './point-convert-encode.ts';
import { type PointSegments, releaseSegments } from './point-segments.ts';
import { streamSection } from './point-stream.ts';

const COUNT = 300;
const encoded = Buffer.concat(generatorMultiples('g1', COUNT).map(encodeG1Uncompressed));
/** Beyond 4 GiB, and at no multiple of anything. */
const section: ParamsSection = {
  name: 'a',
  offset: 5 * 2 ** 30 + 13,
  count: COUNT,
  pointBytes: 96,
};
const run = { phase: 'test' };
const folder = mkdtempSync(join(tmpdir(), 'cuzk-sparse-'));

let opened: OpenedDevice;
let reader: FileReader;
beforeAll(async () => {
  opened = await openTestDevice();
  const path = join(folder, 'sparse');
  const file = await open(path, 'w');
  await file.write(encoded, 0, encoded.length, section.offset);
  await file.close();
  reader = await openFileReader(path);
});
afterAll(async () => {
  await reader.close();
  opened.close();
  rmSync(folder, { recursive: true, force: true });
});

async function bytesOf(points: PointSegments<'g1'>): Promise<Buffer> {
  const parts: Uint8Array[] = [];
  for await (const part of encodePointsOnDevice(opened.context, points, 0, points.count, run)) {
    parts.push(part.slice());
  }
  return Buffer.concat(parts);
}

describe('points beyond 4 GiB of a file', () => {
  it('come to the device as they are', async () => {
    const placement = { kind: 'in order' } as const;
    const points = await loadQueryPoints(opened.context, 'g1', section, reader, placement, {
      ...run,
      onBytes: () => {},
    });
    expect((await bytesOf(points)).equals(encoded)).toBe(true);
    releaseSegments(opened.context, points);
  });

  it('pass as they are', async () => {
    const stream = streamSection(opened.context, 'g1', section, reader, 64);
    const parts: Buffer[] = [];
    for await (const { points, firstPoint } of stream.pieces(run)) {
      expect(firstPoint).toBe(64 * parts.length);
      parts.push(await bytesOf(points));
    }
    expect(Buffer.concat(parts).equals(encoded)).toBe(true);
  });
});
