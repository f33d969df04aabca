import type { SegmentedCircuit } from '../r1cs/constraint-system.ts';
import { synthesizeChallenge } from './circuit-challenge.ts';
import { circuitId } from './circuit-id.ts';
import { type CircuitPreamble, synthesizePreamble } from './circuit-preamble.ts';
import type { PartitionInput } from './partition-input.ts';
import type { SectorShape } from './sector.ts';

/**
 * The StackedDRG circuit of one partition (spec §7): its preamble and one instance per challenge. It is
 * the same for every variant of a sector size. Without `input` the values are unknown (spec §7.4). Throws
 * RangeError where the partition has not the circuit's number of challenges; paths are checked as they
 * are used.
 */
export function stackedCircuit(
  sector: SectorShape,
  input?: PartitionInput,
): SegmentedCircuit<CircuitPreamble> {
  if (input !== undefined && input.challenges.length !== sector.challengesPerPartition) {
    throw new RangeError(
      `partition: expected ${sector.challengesPerPartition} challenges, got ${input.challenges.length}`,
    );
  }
  return {
    circuitId: circuitId(sector),
    instances: sector.challengesPerPartition,
    preamble: (cs) => synthesizePreamble(cs, input),
    instance: (cs, preamble, index) =>
      synthesizeChallenge(cs, sector, preamble, input?.challenges[index], index),
  };
}
