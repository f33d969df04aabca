import { describe, expect, it } from 'vitest';
import { bigintFromLe } from '../bytes.ts';
import { sealLabel } from '../hash/sha256-words.ts';
import { WitnessCollector } from '../r1cs/witness-collector.ts';
import { createLabel } from './create-label.ts';
import { enforceEqual } from './num.ts';
import { elementStream } from './sha256-node.ts';
import { allocUInt64 } from './uint64.ts';

const NODE = 0x1_2345_6789;
const LAYER = 11;
const REPLICA_ID = 77;

const element = (seed: number): Uint8Array =>
  Uint8Array.from({ length: 32 }, (_, i) => (i === 31 ? 0x21 : (seed * (i + 3)) % 251));

/** Computes the label of a node in the circuit and says that it is `claimed`. */
function claimLabel(claimed: Uint8Array): { firstUnsatisfied: number; rows: number } {
  const cs = new WitnessCollector();
  const stream = (seed: number, name: string) =>
    elementStream(
      cs,
      cs.allocElement(() => bigintFromLe(element(seed)), name),
      `${name} bits`,
    );
  const streams = [0, 1, 2, 3, 4].map((seed) => stream(seed, `parent ${seed}`));
  const parents = Array.from({ length: 37 }, (_, i) => streams[i % 5]);
  const node = allocUInt64(cs, () => BigInt(NODE), 'node');
  const replicaId = stream(REPLICA_ID, 'replica id');
  const label = createLabel(cs, replicaId, parents, LAYER, node, 'label');
  const claim = cs.allocElement(() => bigintFromLe(claimed), 'claimed');
  enforceEqual(cs, label, claim, 'label is as claimed');
  return { firstUnsatisfied: cs.finish().firstUnsatisfiedRow, rows: cs.constraints };
}

const seal = (layer: number, node: number): Uint8Array =>
  sealLabel(
    element(REPLICA_ID),
    layer,
    node,
    Array.from({ length: 37 }, (_, i) => element(i % 5)),
  );

describe('the label gadget', () => {
  it('labels a node as sealing does', () => {
    expect(claimLabel(seal(LAYER, NODE)).firstUnsatisfied).toBe(-1);
  });

  it('is not satisfied by the label of another layer', () => {
    const { firstUnsatisfied, rows } = claimLabel(seal(LAYER - 1, NODE));
    expect(firstUnsatisfied).toBe(rows - 1);
  });

  it('refuses another number of parents', () => {
    const cs = new WitnessCollector();
    expect(() => createLabel(cs, [], [], 1, [], 'label')).toThrow(RangeError);
  });
});
