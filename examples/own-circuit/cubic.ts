import { type Circuit, compileCircuit, makeWitness, publicInputs } from '@cuzk/gpu/circuit';
import { kernelTexts } from '@cuzk/gpu/kernel-texts';
import { openGpu } from '@cuzk/gpu/open';
import { openCircuit, prove } from '@cuzk/gpu/prove';
import { setup } from '@cuzk/gpu/setup';
import { verify } from '@cuzk/gpu/verify';

/** "I know an x with x³ + x = y"; y is public. A row is a·b = c, each a sum of terms. */
const cubic = (x: bigint, { input, element, row }: Circuit) => {
  const [y, root] = [input(() => x ** 3n + x), element(() => x)];
  const square = element(() => x * x);
  row([root], [root], [square]);
  row([square], [root], [y, [-1n, root]]);
};

/** Makes parameters, proves that 30 is such a y, and verifies; any WebGPU device will do. */
export async function proveCubic(device: GPUDevice) {
  const gpu = await openGpu(device, kernelTexts);
  const shape = compileCircuit('cubic', (circuit) => cubic(0n, circuit));
  const { params, vk } = await setup(gpu, shape);
  const circuit = await openCircuit(gpu, shape, params);
  const witness = makeWitness(shape, (circuit) => cubic(3n, circuit));
  const proof = await prove(gpu, circuit, witness);
  circuit.close();
  return verify(vk, publicInputs(witness), proof) && !verify(vk, [31n], proof);
}
