import { reverseBits } from '@cuzk/core/poly/reverse-bits';
import { sectorShape } from '@cuzk/core/porep/sector';
import { stackedCircuit } from '@cuzk/core/porep/stacked-circuit';
import { synthesizePartition } from '@cuzk/core/porep/synthesize';
import { readPartition } from '@cuzk/core/porep/testing/golden-partition';
import { compileTemplate } from '@cuzk/core/r1cs/compile-shape';
import { expect, it } from 'vitest';
import { paceCommands } from '../device/paced-commands.ts';
import { downloadFr, giveFrVector, takeFrVector } from '../field/fr-vector.ts';
import { uploadShape } from '../r1cs/device-shape.ts';
import { uploadWitness } from '../r1cs/device-witness.ts';
import { countUnsatisfiedRows, evaluateRows } from '../r1cs/r1cs-eval.ts';
import {
  type GoldenSmall,
  goldenVector,
  type SequenceDigest,
  sha256Hex,
} from '../testing/sample-circuits.ts';
import { openTestDevice, processorSeconds } from '../testing/software-device.ts';
import { openQuotient } from './quotient.ts';

const CASE = '2KiB-V1_1-a';
const slow = process.env.SLOW === '1';
if (!slow) console.log(`quotient of ${CASE}: left out, it takes a minute; set SLOW=1`);

interface GoldenWitnesses {
  readonly partitions: readonly Readonly<Record<'a' | 'b' | 'c', SequenceDigest>>[];
}

it.skipIf(!slow)('a 2 KiB partition has its golden rows and its golden quotient', async () => {
  const sector = sectorShape(2048);
  const input = await readPartition(CASE);
  const witness = synthesizePartition(input, sector);
  const shape = { ...compileTemplate(stackedCircuit(sector)), shapeDigest: witness.shapeDigest };
  const opened = await openTestDevice();
  const { context } = opened;
  const timed = async <T>(what: string, run: () => Promise<T> | T): Promise<T> => {
    const [wall, cpu] = [performance.now(), processorSeconds()];
    const result = await run();
    const seconds = ((performance.now() - wall) / 1000).toFixed(2);
    console.log(
      `${what}: ${seconds} s, ${(processorSeconds() - cpu).toFixed(2)} processor seconds`,
    );
    return result;
  };
  const deviceShape = await timed('upload shape', () =>
    uploadShape(context, shape, { check: true }),
  );
  const deviceWitness = await timed('upload witness', () =>
    uploadWitness(context, deviceShape, witness),
  );
  const unsatisfied = await timed('check rows', () =>
    countUnsatisfiedRows(context, deviceShape, deviceWitness),
  );
  expect(unsatisfied.count).toBe(0);

  const witnesses = goldenVector<GoldenWitnesses>(`witness/${CASE}.json.gz`);
  const out = takeFrVector(context, 'evaluations', 2 ** deviceShape.logN, 'rows');
  const paced = paceCommands(context, 'r1cs_eval');
  for (const [what, letter] of [
    ['a', 'a'],
    ['b', 'b'],
    ['product', 'c'],
  ] as const) {
    await timed(`rows of ${letter}`, async () => {
      await evaluateRows(context, paced, deviceShape, deviceWitness, what, out);
      await paced.finish();
    });
    const { count, sha256 } = witnesses.partitions[0][letter];
    expect(deviceShape.rows).toBe(count);
    expect(sha256Hex(await downloadFr(context, out, 0, count))).toBe(sha256);
  }
  giveFrVector(context, out);

  const quotient = await timed('open quotient', () => openQuotient(context, deviceShape.logN));
  await context.timer.collect();
  type Stages = Pick<GoldenSmall['intermediate'], 'stages'>;
  const { stages } = goldenVector<Stages>(`proofs/${CASE}-stages.json`);
  for (const run of ['first', 'second']) {
    const h = await timed(`${run} quotient`, async () => {
      const computed = await quotient.compute(deviceShape, deviceWitness);
      await computed.checked;
      return computed.h;
    });
    console.log(JSON.stringify(await context.timer.collect()));
    const reversed = await downloadFr(context, h);
    const n = h.length;
    const bytes = new Uint8Array(32 * (n - 1));
    for (let i = 0; i < n - 1; i++) {
      const p = reverseBits(i, deviceShape.logN);
      bytes.set(reversed.subarray(32 * p, 32 * p + 32), 32 * i);
    }
    expect(sha256Hex(bytes)).toBe(stages.h_coefficients.sha256);
    giveFrVector(context, h);
  }
  console.log(`peak device bytes ${context.buffers.peakBytes}`);
  opened.close();
});
