import { bigintFromLe } from '@cuzk/core/bytes';
import { FR_BYTES, FR_MODULUS } from '@cuzk/core/field/fr';
import { mod } from '@cuzk/core/field/modular';
import { instancesOf, RowEvaluator } from '@cuzk/core/r1cs/row-evaluator';
import type { GpuContext } from '@cuzk/gpu/device/context';
import { paceCommands } from '@cuzk/gpu/device/paced-commands';
import { downloadFr, type FrVector, giveFrVector, takeFrVector } from '@cuzk/gpu/field/fr-vector';
import type { DeviceShape } from '@cuzk/gpu/r1cs/device-shape';
import { uploadWitness } from '@cuzk/gpu/r1cs/device-witness';
import { countUnsatisfiedRows, evaluateRows } from '@cuzk/gpu/r1cs/r1cs-eval';
import { fourDigits, type KernelResult } from './kernel-result.ts';
import { createWords } from './random-words.ts';
import type { PartitionToProve } from './sector-partition.ts';
import { secondsOf, timeWork } from './time-work.ts';

const REPEATS = 9;
const SAMPLES = 64;
const SEED = 23;

/**
 * a and b of all rows from the compact witness. Random rows are compared with core's evaluator, and all rows by the
 * kernels that check a∘b = c.
 */
export async function timeEvaluation(
  context: GpuContext,
  deviceShape: DeviceShape,
  partition: PartitionToProve,
): Promise<KernelResult> {
  const witness = uploadWitness(context, deviceShape, partition.witness);
  const take = (label: string): FrVector =>
    takeFrVector(context, 'evaluations', 2 ** deviceShape.logN, label);
  const [a, b] = [take('a'), take('b')];
  try {
    const timing = await timeWork(
      context,
      async () => {
        const paced = paceCommands(context, 'r1cs');
        await evaluateRows(context, paced, deviceShape, witness, 'a', a);
        await evaluateRows(context, paced, deviceShape, witness, 'b', b);
        await paced.finish();
      },
      { repeats: REPEATS },
    );
    const { count } = await countUnsatisfiedRows(context, deviceShape, witness);
    const written = 2 * FR_BYTES * deviceShape.rows;
    return {
      name: `a and b from the compact witness, ${partition.name}`,
      ...timing,
      figures: {
        rows: deviceShape.rows,
        gigabytesWrittenPerSecond: fourDigits(written / secondsOf(timing) / 1e9),
      },
      checked: `${SAMPLES} rows by core, all rows against c`,
      passed: count === 0 && (await sampledRowsAgree(context, partition, a, b)),
    };
  } finally {
    giveFrVector(context, a);
    giveFrVector(context, b);
    witness.close();
  }
}

async function sampledRowsAgree(
  context: GpuContext,
  { shape, witness }: PartitionToProve,
  a: FrVector,
  b: FrVector,
): Promise<boolean> {
  const evaluator = new RowEvaluator(shape, witness);
  const places = instancesOf(shape);
  const next = createWords(SEED);
  for (let i = 0; i < SAMPLES; i++) {
    const place = places[next() % places.length];
    if (place === undefined || place.segment.rows === 0) continue;
    const local = next() % place.segment.rows;
    evaluator.moveTo(place);
    for (const [vector, matrix] of [
      [a, place.segment.a],
      [b, place.segment.b],
    ] as const) {
      const expected = mod(BigInt(evaluator.value(matrix, local)), FR_MODULUS);
      const found = bigintFromLe(await downloadFr(context, vector, place.firstRow + local, 1));
      if (found !== expected) return false;
    }
  }
  return true;
}
