const UNITS = ['B', 'KiB', 'MiB', 'GiB', 'TiB'] as const;

/** Bytes with a unit and three significant digits: 1.25 GiB. */
export function formatBytes(bytes: number): string {
  let value = bytes;
  let unit = 0;
  while (value >= 1024 && unit < UNITS.length - 1) {
    value /= 1024;
    unit++;
  }
  const digits = unit === 0 || value >= 100 ? 0 : value >= 10 ? 1 : 2;
  return `${value.toFixed(digits)} ${UNITS[unit]}`;
}

/** A duration with units: 850 ms, 12.3 s, 4 min 05 s, 2 h 07 min, 3 d 4 h. */
export function formatMs(ms: number): string {
  if (ms < 1_000) return `${Math.max(0, Math.round(ms))} ms`;
  const seconds = ms / 1_000;
  if (seconds < 99.95) return `${seconds.toFixed(1)} s`;
  return formatLong(Math.round(seconds));
}

/** Like formatMs in whole seconds, for values that tick. */
export function formatSeconds(seconds: number): string {
  const whole = Math.max(0, Math.floor(seconds));
  return whole < 100 ? `${whole} s` : formatLong(whole);
}

/** Seconds in the little room of a cell: 85 s, 417 s, 17 min, 3 h. */
export function formatTight(seconds: number): string {
  const whole = Math.max(0, Math.floor(seconds));
  if (whole < 1_000) return `${whole} s`;
  return whole < 5_940 ? `${Math.floor(whole / 60)} min` : `${Math.floor(whole / 3_600)} h`;
}

function formatLong(seconds: number): string {
  const two = (value: number) => String(value).padStart(2, '0');
  if (seconds < 3_600) return `${Math.floor(seconds / 60)} min ${two(seconds % 60)} s`;
  if (seconds < 86_400)
    return `${Math.floor(seconds / 3_600)} h ${two(Math.floor((seconds % 3_600) / 60))} min`;
  return `${Math.floor(seconds / 86_400)} d ${Math.floor((seconds % 86_400) / 3_600)} h`;
}

/** The end of a proof id, which is what differs: prf_…9c1f2a. */
export const shortId = (proofId: string): string => `prf_…${proofId.slice(-8)}`;

/** A sentence with the proof ids in it cut short. */
export const withShortIds = (text: string): string => text.replace(/prf_[0-9a-f-]{36}/g, shortId);

/** `gpu-worker/node-a/0` → `node-a/0`: the role is said where it stands. */
export const shortWorker = (name: string): string => name.replace(/^[a-z]+-worker\//, '');

export const count = (n: number, one: string, many = `${one}s`): string =>
  `${n.toLocaleString('en')} ${n === 1 ? one : many}`;

/** Local time of day. */
export const formatTime = (iso: string): string =>
  new Date(iso).toLocaleTimeString('en-GB', {
    hour: '2-digit',
    minute: '2-digit',
    second: '2-digit',
  });
