import { createHash } from 'node:crypto';
import { developmentToxicWaste } from '@cuzk/core/groth16/development-waste';
import { sectorShape } from '@cuzk/core/porep/sector';
import { stackedCircuit } from '@cuzk/core/porep/stacked-circuit';
import { compileTemplate } from '@cuzk/core/r1cs/compile-shape';
import { expect, it } from 'vitest';
import type { ScalarSegments } from '../curve/point-segments.ts';
import { readBuffer } from '../device/commands.ts';
import { downloadFr, giveFrVector } from '../field/fr-vector.ts';
import { elementBytes } from '../testing/fr-values.ts';
import { goldenVector, type SequenceDigest, sha256Hex } from '../testing/sample-circuits.ts';
import { openTestDevice, processorSeconds } from '../testing/software-device.ts';
import { openDeviceExponents } from './exponents-on-device.ts';
import { lagrangeOnDevice } from './lagrange.ts';
import { openQapOnDevice } from './qap-on-device.ts';
import { readQapColumns } from './read-qap-columns.ts';
import { makeParams } from './setup.ts';

const slow = process.env.SLOW === '1';
if (!slow) console.log('key generation at 2 KiB: left out, it takes minutes; set SLOW=1');

type Sequences =
  | 'lagrange_at_tau'
  | 'u_at_tau_inputs_then_aux'
  | 'v_at_tau_inputs_then_aux'
  | 'w_at_tau_inputs_then_aux'
  | 'exponents_h'
  | 'exponents_ic'
  | 'exponents_l'
  | 'exponents_a_compacted'
  | 'exponents_b_compacted';

const waste = developmentToxicWaste();
const timed = async <T>(what: string, run: () => Promise<T>): Promise<T> => {
  const [wall, cpu] = [performance.now(), processorSeconds()];
  const result = await run();
  const seconds = ((performance.now() - wall) / 1000).toFixed(2);
  console.log(`${what}: ${seconds} s, ${(processorSeconds() - cpu).toFixed(2)} processor seconds`);
  return result;
};

it.skipIf(!slow)(
  'the 2 KiB key has its golden exponents and its golden file',
  async () => {
    const shape = { ...compileTemplate(stackedCircuit(sectorShape(2048))), shapeDigest: '' };
    const golden = goldenVector<Record<Sequences, SequenceDigest> & { domain: number }>(
      'params/2KiB-qap-at-tau.json',
    );
    const { context, close } = await openTestDevice();
    const logN = Math.log2(golden.domain);
    const lagrange = await timed('Lagrange values', () =>
      lagrangeOnDevice(context, logN, waste.tau),
    );
    expect(sha256Hex(await downloadFr(context, lagrange))).toBe(golden.lagrange_at_tau.sha256);
    giveFrVector(context, lagrange);

    const qap = await timed('open QAP', () => openQapOnDevice(context, shape, waste.tau));
    for (const [matrix, name] of [
      ['a', 'u_at_tau_inputs_then_aux'],
      ['b', 'v_at_tau_inputs_then_aux'],
      ['c', 'w_at_tau_inputs_then_aux'],
    ] as const) {
      const columns = await timed(`columns of ${matrix}`, () =>
        readQapColumns(context, qap, matrix, 0, qap.columns, 2 ** 18),
      );
      expect(sha256Hex(new Uint8Array(columns.buffer))).toBe(golden[name].sha256);
    }
    qap.close();
    context.buffers.trim();

    const exponents = await timed('open exponents', () =>
      openDeviceExponents(context, shape, waste),
    );
    expect(sha256Hex(elementBytes(exponents.ic))).toBe(golden.exponents_ic.sha256);
    const digest = async (pieces: AsyncIterable<ScalarSegments>): Promise<SequenceDigest> => {
      const hash = createHash('sha256');
      let count = 0;
      for await (const piece of pieces) {
        hash.update(
          new Uint8Array(await readBuffer(context, piece.segments[0], 0, 32 * piece.count)),
        );
        count += piece.count;
      }
      return { count, sha256: hash.digest('hex') };
    };
    for (const [name, pieces] of [
      ['exponents_h', exponents.h('natural')],
      ['exponents_l', exponents.l()],
      ['exponents_a_compacted', exponents.a()],
      ['exponents_b_compacted', exponents.b()],
    ] as const) {
      const { count, sha256 } = golden[name];
      expect(await timed(name, () => digest(pieces))).toEqual({ count, sha256 });
    }
    exponents.close();
    context.buffers.trim();

    const file = goldenVector<{ params_sha256: string }>('params/2KiB-params.json');
    const hash = createHash('sha256');
    await timed('parameter file', () =>
      makeParams(context, shape, waste, async (bytes) => {
        hash.update(bytes);
      }),
    );
    expect(hash.digest('hex')).toBe(file.params_sha256);
    console.log(`peak device bytes ${context.buffers.peakBytes}`);
    close();
  },
  1_800_000,
);
