import { groupsFor, openCommands, readBuffer } from '../device/commands.ts';
import type { GpuContext } from '../device/context.ts';
import { uploadWords } from '../device/upload-words.ts';
import { type FrVector, segmentRanges } from './fr-vector.ts';

const WORKGROUP = 64;
const NONE = 0xffff_ffff;

/**
 * Looks at all elements of a vector once, on the device: from host memory a core takes as long for that as for copying
 * them. Throws RangeError with `name` and the lowest element that is not below r.
 */
export async function requireBelowR(
  context: GpuContext,
  name: string,
  vector: FrVector,
): Promise<void> {
  const kernel = await context.kernels.get({
    file: 'field/first-not-below-r.wgsl',
    bindings: 'rwu',
    workgroupSize: WORKGROUP,
  });
  const lowest = uploadWords(context, 'scratch', Uint32Array.of(NONE), 'lowest not below r');
  try {
    const commands = openCommands(context);
    for (const { segment, first, count } of segmentRanges(vector)) {
      commands.dispatch(kernel, [segment, lowest], groupsFor(count, WORKGROUP), [
        count,
        first,
        0,
        0,
      ]);
    }
    await commands.submit('elements below r');
    const [element] = new Uint32Array(await readBuffer(context, lowest, 0, 4));
    if (element !== NONE) {
      throw new RangeError(`${name}: expected elements below r, element ${element} is not`);
    }
  } finally {
    context.buffers.give(lowest);
  }
}
