import type { Tuning } from './tune-device.ts';

/** The choices of a tuning in one line, for people and for spans. */
export const tuningText = ({ variants, round, msmRates }: Tuning): string =>
  `fp ${variants.fp}, fr ${variants.fr}, workgroups of ${round.workgroupSize}, ${round.pairsPerThread} pairs an invocation, ${(1e-6 / msmRates.addition).toPrecision(3)} million additions a second`;
