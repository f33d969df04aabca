import { mod } from '@cuzk/core/field/modular';
import type { DeviceTraits, GpuContext } from '../device/context.ts';
import { type Kernel, type KernelSpec, u32Const } from '../device/kernel.ts';
import { hasWideLlvmpipe } from '../device/llvmpipe.ts';
import type { WgslConst } from '../device/wgsl.ts';
import { FP_VARIANTS } from '../field/field-variants.ts';
import { type CurveGroup, POINT_BYTES } from './point-segments.ts';

/** A round in one kernel whose workgroups, one vector wide, go back and forth over what the cache of a core holds. */
export interface BatchesForm {
  readonly sums: 'batches';
  readonly workgroupSize: number;
  /** Most pairs of an invocation that share an inversion. */
  readonly pairsPerInversion: number;
  /** Pairs that are worth another workgroup. */
  readonly leastPairs: number;
  readonly maxWorkgroups: number;
}

/** A round in passes of one loop around a single multiplier body, whose code fits the instruction cache of a GPU. */
export interface SplitForm {
  readonly sums: 'split';
  readonly workgroupSize: number;
  readonly pairsPerThread: number;
  readonly minThreads: number;
  /** Most inversions of a round: enough for every scheduler of a large GPU, as one takes long by itself. */
  readonly inversions: number;
}

/** How a round of additions is laid out on an adapter; measured, see docs/kernels.md. */
export interface PairForm {
  readonly round: BatchesForm | SplitForm;
  /** Planes: neighbouring invocations read neighbouring addresses. Rows: one after the other fills cache lines. */
  readonly arena: 'planes' | 'rows';
  /**
   * Invocations for pairs that look alike, and per workgroup; a software adapter runs a turn of each even if there are
   * none.
   */
  readonly alikeThreads: number;
  readonly alikeWorkgroup: number;
  /**
   * Scans over groups: workgroups with a shared scan, or each invocation its own block without barriers, which also
   * leaves the block's sum for the round after.
   */
  readonly scan: 'shared' | 'apart';
  readonly scanWorkgroup: number;
  /** Groups per invocation. */
  readonly scanGroups: number;
}

const SOFTWARE_ROUND: BatchesForm = {
  sums: 'batches',
  workgroupSize: 8,
  pairsPerInversion: 128,
  leastPairs: 512,
  maxWorkgroups: 64,
};

export const SOFTWARE_FORM: PairForm = {
  round: SOFTWARE_ROUND,
  arena: 'rows',
  alikeThreads: 16,
  alikeWorkgroup: 8,
  scan: 'apart',
  scanWorkgroup: 64,
  scanGroups: 64,
};

/** For vectors of 512 bits. Batches must not grow beyond theirs: those of 4,096 pairs take 1.5 times as long. */
export const WIDE_SOFTWARE_FORM: PairForm = {
  ...SOFTWARE_FORM,
  round: { ...SOFTWARE_ROUND, workgroupSize: 16 },
};

export const HARDWARE_FORM: PairForm = {
  round: {
    sums: 'split',
    workgroupSize: 128,
    pairsPerThread: 32,
    minThreads: 32_768,
    inversions: 16_384,
  },
  arena: 'planes',
  alikeThreads: 16_384,
  alikeWorkgroup: 64,
  scan: 'shared',
  scanWorkgroup: 256,
  scanGroups: 2,
};

/** The form for this kind of adapter. */
export function pairFormFor(traits: DeviceTraits): PairForm {
  if (!traits.software) return HARDWARE_FORM;
  return hasWideLlvmpipe(traits) ? WIDE_SOFTWARE_FORM : SOFTWARE_FORM;
}

/** A listed pipeline as this adapter needs it: that of a round in batches has its workgroups. */
export const batchesFor =
  (traits: DeviceTraits) =>
  (spec: KernelSpec): KernelSpec => {
    const isBatches = spec.constants?.STEPS !== undefined;
    return isBatches ? { ...spec, workgroupSize: pairFormFor(traits).round.workgroupSize } : spec;
  };

const INVERSE_LIMBS = 28;
const INVERSE_LIMB_BITS = 14n;

/** R² mod p as the constants E0 … E27 (14-bit limbs) that kernels/generated/fp-inverse.wgsl needs. */
export function inverseConstants(context: GpuContext): Record<string, WgslConst> {
  const { montgomeryR, modulus } = FP_VARIANTS[context.variants.fp];
  const constants: Record<string, WgslConst> = {};
  let rest = mod(montgomeryR * montgomeryR, modulus);
  for (let i = 0; i < INVERSE_LIMBS; i++) {
    constants[`E${i}`] = u32Const(Number(BigInt.asUintN(Number(INVERSE_LIMB_BITS), rest)));
    rest >>= INVERSE_LIMB_BITS;
  }
  return constants;
}

export interface PairKernels {
  readonly alike: Kernel;
  readonly countBlocks: Kernel;
  readonly halveBlocks: Kernel;
  readonly blockOffsets: Kernel;
  readonly groupOffsets: Kernel;
  readonly planGroups: Kernel;
  readonly planEqualGroups: Kernel;
  readonly planFold: Kernel;
  readonly collect: Kernel;
  readonly seedArena: Kernel;
}

const ROW_WORKGROUP = 64;

const SCAN_FILES = {
  shared: {
    sums: 'curve/group-block-sums.wgsl',
    offsets: 'curve/group-offsets.wgsl',
    plan: 'curve/plan-groups.wgsl',
  },
  apart: {
    sums: 'curve/group-chunk-sums.wgsl',
    offsets: 'curve/group-chunk-offsets.wgsl',
    plan: 'curve/plan-groups-chunk.wgsl',
  },
} as const;

/** Groups in a block: what one workgroup, or one invocation, scans. */
export const groupsPerBlock = (form: PairForm): number =>
  form.scan === 'shared' ? form.scanWorkgroup * form.scanGroups : form.scanGroups;

/** Workgroups that scan `blocks` blocks. */
export const scanWorkgroups = (form: PairForm, blocks: number): number =>
  form.scan === 'shared' ? blocks : Math.ceil(blocks / form.scanWorkgroup);

/** Constants of kernels that reach into the arena (kernels/curve/arena-slot.wgsl). */
export const arenaConstants = (
  group: CurveGroup,
  form: PairForm,
): Readonly<Record<string, WgslConst>> => ({
  ROW: u32Const(POINT_BYTES[group] / 16),
  ARENA_ROWS: { type: 'bool', value: form.arena === 'rows' ? 1 : 0 },
});

/** Compiles (or finds) what a pair tree over `group` dispatches beside its rounds. */
export async function loadPairKernels(
  context: GpuContext,
  group: CurveGroup,
  form: PairForm,
): Promise<PairKernels> {
  const row = arenaConstants(group, form);
  const scan = (halve: boolean) => ({
    GROUPS_PER_THREAD: u32Const(form.scanGroups),
    HALVE: { type: 'bool', value: halve ? 1 : 0 } as const,
  });
  const scanKernel = (file: string, bindings: string, halve: boolean): KernelSpec => ({
    file,
    bindings,
    workgroupSize: form.scanWorkgroup,
    constants: scan(halve),
  });
  const files = SCAN_FILES[form.scan];
  const specs: Record<keyof PairKernels, KernelSpec> = {
    alike: {
      file: `curve/pair-alike-${group}.wgsl`,
      bindings: 'rwwrrru',
      workgroupSize: form.alikeWorkgroup,
      constants: { ...row, ...inverseConstants(context) },
    },
    countBlocks: scanKernel(files.sums, 'rwu', false),
    halveBlocks: scanKernel(files.sums, 'rwu', true),
    blockOffsets: scanKernel('curve/group-block-offsets.wgsl', 'wwu', true),
    groupOffsets: scanKernel(files.offsets, 'wrwwu', false),
    planGroups: scanKernel(files.plan, form.scan === 'shared' ? 'rwrrwwru' : 'rwwrwwru', true),
    planEqualGroups: {
      file: 'curve/plan-equal-groups.wgsl',
      bindings: 'rwwwu',
      workgroupSize: ROW_WORKGROUP,
    },
    planFold: {
      file: 'curve/plan-weighted-fold.wgsl',
      bindings: 'rwwwu',
      workgroupSize: ROW_WORKGROUP,
    },
    collect: {
      file: 'curve/collect-points.wgsl',
      bindings: 'rrrrrwu',
      workgroupSize: ROW_WORKGROUP,
      constants: row,
    },
    seedArena: {
      file: 'curve/seed-arena.wgsl',
      bindings: 'rwwu',
      workgroupSize: ROW_WORKGROUP,
      constants: row,
    },
  };
  const entries = await Promise.all(
    Object.entries(specs).map(
      async ([name, spec]) => [name, await context.kernels.get(spec)] as const,
    ),
  );
  return Object.fromEntries(entries) as unknown as PairKernels;
}
