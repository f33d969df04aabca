import type { Change, NextUnit, PhaseTiming, Problem } from './types.ts';

/** Lua encodes an empty list as an empty object. */
export function asList<T>(value: readonly T[] | object | null | undefined): readonly T[] {
  return Array.isArray(value) ? (value as readonly T[]) : [];
}

export interface WireChange {
  readonly accepted: boolean;
  readonly reason: string | null;
  readonly next: readonly NextUnit[] | object;
}

export const changeOf = (wire: WireChange): Change => ({
  accepted: wire.accepted,
  reason: wire.reason,
  next: asList<NextUnit>(wire.next),
});

/** Longest text of a problem that is kept: records stay small whatever an error says. */
const TEXT_MAX = 1024;
const PHASES_MAX = 40;

/** A problem cut to a bounded size, without empty members. */
export function boundedProblem(problem: Problem): Problem {
  const cut = Object.entries(problem)
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => [name, String(value).slice(0, TEXT_MAX)]);
  return Object.fromEntries(cut) as Problem;
}

export const boundedPhases = (phases: readonly PhaseTiming[]): readonly PhaseTiming[] =>
  phases.slice(0, PHASES_MAX);
