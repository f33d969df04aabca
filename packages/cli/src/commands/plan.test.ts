import { beforeAll, describe, expect, it } from 'vitest';
import { runCommandLine, runJson } from '../testing/run-program.ts';

const plan = (...more: string[]) => runJson(['plan', '--sector', '2KiB', ...more]);

describe('cuzk plan', () => {
  // Compiled once; a plan does not store what it compiles.
  beforeAll(() => runJson(['circuit', '--sector', '2KiB']), 120_000);

  it('says what the circuit takes on a device', async () => {
    const { value, exitCode } = await plan();
    expect(exitCode).toBe(0);
    expect(value).toMatchObject({
      sector: '2KiB',
      constraints: 2_687_921,
      rows: 2_687_961,
      logDomain: 22,
      paramsFileBytes: 1_114_707_768,
      gpuMemoryBytes: null,
      fits: null,
    });
    const device = value.device as Record<string, number>;
    expect(device.srsBytes).toBe(1_135_749_216);
  });

  it('answers whether that fits, and ends with 1 where it does not', async () => {
    const { value } = await plan();
    const { provingBytes } = value.device as { provingBytes: number };
    const least = Math.ceil(value.leastBytes as number);
    const just = await plan('--gpu-memory', String(Math.ceil(provingBytes)));
    expect(just).toMatchObject({ exitCode: 0, value: { fits: true, streaming: null } });
    const streamed = await plan('--gpu-memory', '3GiB');
    expect(streamed).toMatchObject({
      exitCode: 0,
      value: { fits: true, streaming: { waiting: 10, residentPoints: 2 ** 22 - 1 } },
    });
    const atLeast = await plan('--gpu-memory', String(least));
    expect(atLeast).toMatchObject({ exitCode: 0, value: { fits: true } });
    const less = await plan('--gpu-memory', String(least - 1));
    expect(less).toMatchObject({
      exitCode: 1,
      value: { fits: false, streaming: null, gpuMemoryBytes: least - 1 },
    });
    const small = ['plan', '--sector', '2KiB', '--gpu-memory', '0.25 GiB'];
    expect((await runCommandLine(small)).stdout).toContain('does NOT fit into 0.25 GiB');
  });

  it.each(['x', '0', '1GB', '-5', ''])('refuses %j as memory', async (text) => {
    const { value } = await plan('--gpu-memory', text);
    expect(value).toMatchObject({ code: 'REQUEST_INVALID' });
  });
});
