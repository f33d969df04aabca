import type { Tuning } from './tune-device.ts';

/** What a tuning chose and found, in one line, for people and for spans. */
export const tuningText = ({ variants, measured: { round } }: Tuning): string =>
  [
    `fp ${variants.fp}, fr ${variants.fr}`,
    ...(round === null
      ? []
      : [`${(round.additionsPerSecond / 1e6).toFixed(0)} million additions of points a second`]),
  ].join(', ');
