import type { Binding } from '../device/commands.ts';
import type { GpuContext } from '../device/context.ts';
import type { WgslConst } from '../device/wgsl.ts';
import type { PacedCommands } from './curve-commands.ts';
import type { CurveGroup } from './point-segments.ts';

/** Bytes of a stored element of Fp. */
export const FP_BYTES = 48;

/** What the kernels of a round are bound to beside their own buffers. */
export interface RoundBindings {
  readonly points: Binding;
  readonly arenaX: GPUBuffer;
  readonly arenaY: GPUBuffer;
  readonly pairs: GPUBuffer;
  readonly state: GPUBuffer;
  readonly alike: GPUBuffer;
}

/** A round of additions on an adapter: everything but the pairs that look alike, which it lists. */
export interface PairRound {
  /** Words of PairParams (kernels/curve/pair-reference.wgsl). */
  params(arenaPoints: number, baseStart: number): number[];
  /** At most `pairs` pairs; how many there are is in the state. */
  record(
    commands: PacedCommands,
    bindings: RoundBindings,
    pairs: number,
    params: readonly number[],
  ): void;
}

/** What a round is opened with. */
export interface RoundInput {
  readonly context: GpuContext;
  readonly group: CurveGroup;
  /** Most pairs of a round. */
  readonly pairs: number;
  /** ROW and ARENA_ROWS: see kernels/curve/arena-slot.wgsl. */
  readonly constants: Readonly<Record<string, WgslConst>>;
  /** Takes a scratch buffer that lives as long as the tree. */
  readonly take: (sizeBytes: number, label: string) => GPUBuffer;
}
