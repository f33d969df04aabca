import { groupsFor, openCommands, readBuffer } from '../device/commands.ts';
import type { GpuContext } from '../device/context.ts';
import { roundingTriples } from './self-test-operands.ts';

const WORKGROUP = 64;

/**
 * Sums, products, fused sums and conversions of `count` triples on and around the middle between two f32 values that
 * are not rounded to the nearest. A fused sum may be split into two roundings.
 */
export async function countWrongRoundings(
  context: GpuContext,
  count: number,
): Promise<{ wrong: number; checked: number; detail: string }> {
  const triples = roundingTriples(count);
  const found = new Float32Array(await runRounding(context, triples));
  const integers = new Int32Array(triples.buffer);
  const wrong = { add: 0, mul: 0, fma: 0, convert: 0 };
  let split = 0;
  for (let i = 0; i < count; i++) {
    const [x, y, z] = triples.subarray(4 * i, 4 * i + 3);
    const [sum, product, fused, converted] = found.subarray(4 * i, 4 * i + 4);
    if (sum !== Math.fround(x + y)) wrong.add += 1;
    if (product !== Math.fround(x * y)) wrong.mul += 1;
    if (converted !== integers[4 * i + 3]) wrong.convert += 1;
    // the sum is exact in a double where z is not zero, and the product where it is
    if (fused === Math.fround(x * y + z)) continue;
    if (fused === Math.fround(Math.fround(x * y) + z)) split += 1;
    else wrong.fma += 1;
  }
  const total = wrong.add + wrong.mul + wrong.fma + wrong.convert;
  return {
    wrong: total,
    checked: 4 * count,
    detail:
      total === 0
        ? `exact; fma is ${split === 0 ? 'fused' : 'split'}`
        : `wrong: ${wrong.add} sums, ${wrong.mul} products, ${wrong.fma} fma, ${wrong.convert} conversions`,
  };
}

async function runRounding(context: GpuContext, triples: Float32Array): Promise<ArrayBuffer> {
  const kernel = await context.kernels.get({
    file: 'field/probe-rounding.wgsl',
    bindings: 'rwu',
    workgroupSize: WORKGROUP,
  });
  const take = (): GPUBuffer => context.buffers.take('scratch', triples.byteLength, 'rounding');
  const [input, output] = [take(), take()];
  try {
    context.device.queue.writeBuffer(input, 0, triples.buffer, 0, triples.byteLength);
    const commands = openCommands(context);
    const count = triples.length / 4;
    commands.dispatch(kernel, [input, output], groupsFor(count, WORKGROUP), [count, 0, 0, 0]);
    await commands.submit('self-test');
    return await readBuffer(context, output, 0, triples.byteLength);
  } finally {
    context.buffers.drop(input);
    context.buffers.drop(output);
  }
}
