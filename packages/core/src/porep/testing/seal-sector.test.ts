import { createHash } from 'node:crypto';
import { expect, it } from 'vitest';
import { fromHex, toHex } from '../../bytes.ts';
import { fr32Nodes, sealedC1, sealSector } from './seal-sector.ts';
import { type C1CaseName, readC1Case } from './vectors.ts';

/** The data of a golden sector: 32-byte chunks SHA-256(label/data ‖ u64 LE i), 127 bytes for every 128. */
function goldenData(label: string, sectorBytes: number): Uint8Array[] {
  const unpadded = new Uint8Array((sectorBytes / 128) * 127);
  for (let i = 0; 32 * i < unpadded.length; i++) {
    const counter = Buffer.alloc(8);
    counter.writeBigUInt64LE(BigInt(i));
    const chunk = createHash('sha256').update(`${label}/data`).update(counter).digest();
    unpadded.set(chunk.subarray(0, unpadded.length - 32 * i), 32 * i);
  }
  return fr32Nodes(unpadded);
}

it.each<C1CaseName>(['2KiB-V1-a', '2KiB-V1_1-a', '2KiB-V1_1-b', '2KiB-Synthetic-a'])(
  'seals %s to the same C1, byte for byte, as the Rust stack',
  (name) => {
    const { c1, expected } = readC1Case(name);
    const data = goldenData(expected.dataLabel, 2048);
    const sealed = sealSector({
      proof: expected.registeredProof,
      proverId: fromHex(expected.proverId),
      sectorId: BigInt(expected.sectorId),
      ticket: fromHex(expected.ticket),
      seed: fromHex(expected.seed),
      data: (node) => data[node],
    });
    expect(toHex(sealed.header.commD)).toBe(expected.commD);
    expect(toHex(sealed.header.commR)).toBe(expected.commR);
    expect(new TextDecoder().decode(sealedC1(sealed))).toBe(new TextDecoder().decode(c1));
  },
);
