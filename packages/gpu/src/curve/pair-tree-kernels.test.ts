import { expect, it } from 'vitest';
import type { DeviceTraits } from '../device/context.ts';
import { softwarePipelines } from '../startup/compile-ahead.ts';
import {
  HARDWARE_FORM,
  pairFormFor,
  SOFTWARE_FORM,
  WIDE_SOFTWARE_FORM,
} from './pair-tree-kernels.ts';

const traitsOf = (description: string, software = true): DeviceTraits => ({
  description,
  software,
  maxBindingBytes: 2 ** 27,
  maxBufferBytes: 2 ** 28,
  workgroupBytes: 16_384,
  workgroupInvocations: 256,
  storageBuffersPerStage: 8,
  timestamps: false,
});
const narrow = traitsOf('llvmpipe-llvm-15-0-6-256-bits- OpenGL version OpenGL ES 3.2 Mesa 22.3.6');
const wide = traitsOf('llvmpipe-llvm-21-1-8-512-bits- OpenGL version OpenGL ES 3.2 Mesa 26.1.6-1');

it('a round has the form of the width of the vectors', () => {
  expect(pairFormFor(narrow)).toBe(SOFTWARE_FORM);
  expect(pairFormFor(wide)).toBe(WIDE_SOFTWARE_FORM);
  expect(pairFormFor(traitsOf('SwiftShader Device (LLVM 10.0.0)'))).toBe(SOFTWARE_FORM);
  expect(pairFormFor(traitsOf('nvidia nvidia-h200', false))).toBe(HARDWARE_FORM);
});

it('pipelines that are compiled ahead have it too, and nothing else differs', () => {
  const [rounds, others] = [true, false].map((ofRounds) =>
    [narrow, wide].map((traits) =>
      softwarePipelines(traits).filter(({ file }) => /pair-batches/.test(file) === ofRounds),
    ),
  );
  expect(others[1]).toEqual(others[0]);
  const workgroups = rounds.map((specs) => specs.map(({ workgroupSize }) => workgroupSize));
  expect(workgroups).toEqual([
    [8, 8],
    [16, 16],
  ]);
});
