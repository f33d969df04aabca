import { sha256 } from '@noble/hashes/sha2.js';
import { utf8ToBytes } from '@noble/hashes/utils.js';
import { toHex } from '../bytes.ts';
import type { SectorShape } from './sector.ts';

/** The string that names a circuit in the parameter cache (spec §4.6). */
export function circuitIdentifier(shape: SectorShape): string {
  const { base, sub, top } = shape.tree;
  return (
    'layered_drgporep::PublicParams{ graph: stacked_graph::StackedGraph{expansion_degree: 8 ' +
    `base_graph: drgraph::BucketGraph{size: ${shape.nodes}; degree: 6; hasher: poseidon_hasher} }, ` +
    `challenges: LayerChallenges { layers: ${shape.layers}, max_count: ${shape.challengesPerPartition} }, ` +
    `tree: merkletree-poseidon_hasher-${base}-${sub}-${top} }`
  );
}

/** Lowercase SHA-256 of the identifier: the circuit's name everywhere in this product. */
export const circuitId = (shape: SectorShape): string =>
  toHex(sha256(utf8ToBytes(circuitIdentifier(shape))));

/** Name of the circuit's file in a Filecoin parameter cache (spec §4.6). */
export function parameterFileName(shape: SectorShape, extension: 'params' | 'vk' | 'meta'): string {
  const { base, sub, top } = shape.tree;
  return (
    'v28-stacked-proof-of-replication-merkletree-poseidon_hasher-' +
    `${base}-${sub}-${top}-sha256_hasher-${circuitId(shape)}.${extension}`
  );
}
