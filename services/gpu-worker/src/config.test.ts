import { expect, it } from 'vitest';
import { readConfig } from './config.ts';

const refused = (environment: Record<string, string>) =>
  expect(() => readConfig(environment), JSON.stringify(environment)).toThrow(
    expect.objectContaining({ code: 'CONFIG_INVALID' }),
  );

it('a sector size that does not exist ends the start, and is not looked for again and again', () => {
  refused({ SECTOR_SIZES: '3KiB' });
  refused({ SECTOR_SIZES: '2KiB,32' });
  for (const SECTOR_SIZES of ['', '2KiB', ' 2kib , 32 GiB ']) {
    expect(readConfig({ SECTOR_SIZES }).SECTOR_SIZES).toBe(SECTOR_SIZES);
  }
});

it('a limit of silence below the time between two news, which would kill every device, is refused', () => {
  for (const DEVICE_HANG_MS of ['0', '-1', '999', '2 min']) refused({ DEVICE_HANG_MS });
  expect(readConfig({ DEVICE_HANG_MS: '5000' }).DEVICE_HANG_MS).toBe(5_000);
});
