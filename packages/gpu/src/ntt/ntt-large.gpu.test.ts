import { FR_MODULUS, frMul, frPow, frRootOfUnity } from '@cuzk/core/field/fr';
import { reverseBits } from '@cuzk/core/poly/reverse-bits';
import { describe, expect, it } from 'vitest';
import { paceCommands } from '../device/paced-commands.ts';
import {
  downloadFr,
  type FrVector,
  giveFrVector,
  takeFrVector,
  uploadFr,
} from '../field/fr-vector.ts';
import { elementBytes, elementValues, seededElements } from '../testing/fr-values.ts';
import { openTestDevice, processorSeconds } from '../testing/software-device.ts';
import { openNtt } from './ntt.ts';

const r = FR_MODULUS;
const slow = process.env.SLOW === '1';
const hardware = process.env.CUZK_TEST_GPU === 'hardware';
if (!slow) console.log('large transforms: left out, they take minutes; set SLOW=1');
const logs = hardware ? [20, 22, 24, 25, 26, 27] : [20, 22];

describe('NTT of large sizes', () => {
  it.skipIf(!slow).each([20, 22])(
    'gives sampled outputs of a dense 2^%i and comes back',
    async (logN) => {
      const n = 2 ** logN;
      const { context, close } = await openTestDevice();
      const ntt = await openNtt(context, logN);
      const vector = takeFrVector(context, 'evaluations', n, 'large');
      expect(vector.segments.length).toBe(1);
      const bytes = seededElements(3, n);
      uploadFr(context, vector, bytes);
      const paced = paceCommands(context, 'ntt');
      await ntt.dif(paced, vector, 'forward');
      await paced.finish();
      const values = elementValues(bytes);
      for (const k of [1, n / 2 + 3]) {
        const root = frPow(frRootOfUnity(logN), BigInt(k));
        let expected = 0n;
        for (let i = n - 1; i >= 0; i--) expected = (expected * root + values[i]) % r;
        const position = reverseBits(k, logN);
        expect(elementValues(await downloadFr(context, vector, position, 1))).toEqual([expected]);
      }
      await ntt.dit(paced, vector, 'inverse');
      await paced.finish();
      const back = elementValues(await downloadFr(context, vector));
      expect(back.every((value, i) => value === frMul(values[i], BigInt(n)))).toBe(true);
      close();
    },
  );

  it.skipIf(!slow).each(logs)(
    'transforms a sparse 2^%i exactly at 2,048 positions and back',
    async (logN) => {
      const n = 2 ** logN;
      const { context, close } = await openTestDevice();
      const ntt = await openNtt(context, logN);
      console.log(`2^${logN}: ${JSON.stringify(ntt.plan)} on ${context.traits.description}`);
      const vector = takeFrVector(context, 'evaluations', n, 'large');
      const places = [0, 1, n / 2 - 1, n / 2, n - 1, 123_457 % n];
      const values = elementValues(seededElements(17, places.length));
      await clear(vector);
      places.forEach((place, i) => {
        uploadFr(context, vector, elementBytes([values[i]]), place);
      });
      const paced = paceCommands(context, 'ntt');
      const check = async (
        expected: (index: number) => bigint,
        reversed: boolean,
      ): Promise<void> => {
        for (let range = 0; range < 32; range++) {
          const start = Math.floor((range * (n - 64)) / 31);
          const found = elementValues(await downloadFr(context, vector, start, 64));
          found.forEach((value, i) => {
            const index = reversed ? reverseBits(start + i, logN) : start + i;
            expect(value).toBe(expected(index));
          });
        }
      };
      const omega = frRootOfUnity(logN);
      const root = new Map(places.map((place) => [place, frPow(omega, BigInt(place))]));
      await ntt.dif(paced, vector, 'forward');
      await paced.finish();
      await check(
        (k) =>
          places.reduce(
            (sum, place, i) =>
              (sum + frMul(values[i], frPow(root.get(place) ?? 0n, BigInt(k)))) % r,
            0n,
          ),
        true,
      );
      await ntt.dit(paced, vector, 'inverse');
      await paced.finish();
      await check((i) => frMul(values[places.indexOf(i)] ?? 0n, BigInt(n)), false);
      for (const name of ['dif', 'dit', 'dif', 'dit'] as const) {
        const [wall, cpu] = [performance.now(), processorSeconds()];
        await ntt[name](paced, vector, name === 'dif' ? 'inverse' : 'forward');
        await paced.finish();
        const [ms, seconds] = [performance.now() - wall, processorSeconds() - cpu];
        console.log(
          `2^${logN} ${name}: ${ms.toFixed(2)} ms, ${seconds.toFixed(2)} processor seconds`,
        );
      }
      giveFrVector(context, vector);
      close();

      async function clear(target: FrVector): Promise<void> {
        const commands = paceCommands(context, 'clear');
        for (const segment of target.segments) commands.commands.clear(segment);
        await commands.finish();
      }
    },
  );
});
