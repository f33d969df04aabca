import type { Tuning } from './tune-device.ts';

/** The choices of a tuning in one line, for people and for spans. */
export const tuningText = ({ variants, round }: Tuning): string =>
  [
    `fp ${variants.fp}, fr ${variants.fr}`,
    ...(round === null
      ? []
      : [`workgroups of ${round.workgroupSize}, ${round.pairsPerThread} pairs an invocation`]),
  ].join(', ');
