import type { ParamsSectionName } from '@cuzk/core/groth16/params-layout';
import type { VerifyingKey } from '@cuzk/core/groth16/types';
import type { CurveGroup, PointSegments } from '../curve/point-segments.ts';

/** Where the points of an SRS come from: a parameter file, or a key generation on this device. */
export interface SrsSource {
  readonly vk: VerifyingKey;
  /**
   * The points of one vector on the device, the caller's to release. They stand in file order, but those of h in
   * bit-reversed order of 2^logN, with infinity for the missing last one. Asked for once each, in file order.
   */
  points<G extends CurveGroup>(group: G, name: ParamsSectionName): Promise<PointSegments<G>>;
  /** Gives back what the source itself holds; points that were handed out stay. */
  close(): void;
}
