import type { Stretch } from '@cuzk/service-kit/record/timeline';
import type { WaterfallSpan } from '../terminal/waterfall.ts';
import { type ProofHistory, stageOfPhase } from './proof-history.ts';

const labelOf = ({ kind, what, attempt, ending, endMs }: Stretch): string => {
  const name = kind === 'wait' ? `wait for ${what}` : what;
  const again = attempt === null || attempt === 1 ? '' : ` (attempt ${attempt})`;
  if (endMs === null) return `${name}${again}, still`;
  return ['failed', 'lost', 'drained', 'stopped'].includes(ending ?? '')
    ? `${name}${again}: ${ending}`
    : `${name}${again}`;
};

/**
 * Bars of a proof: the whole proof's own, and each partition's with the phases measured inside its stages. Starts
 * count from the creation of the record; what goes on ends at the end of the axis.
 */
export function historySpans(history: ProofHistory): readonly WaterfallSpan[] {
  const { proof, stretches, originMs, endMs } = history;
  const named = proof.partitions.length > 1;
  const spanOf = (stretch: Stretch, prefix: string): WaterfallSpan => ({
    name: `${prefix}${labelOf(stretch)}`,
    startSeconds: (stretch.startMs - originMs) / 1000,
    seconds: ((stretch.endMs ?? endMs) - stretch.startMs) / 1000,
  });
  const whole = stretches.filter(({ partition }) => partition === null);
  const before = whole.filter(({ what }) => what === 'ingest').map((s) => spanOf(s, ''));
  const after = whole.filter(({ what }) => what !== 'ingest').map((s) => spanOf(s, ''));
  const parts = proof.partitions.flatMap(({ index, phases }) => {
    const prefix = named ? `[${index}] ` : '';
    const own = stretches.filter(({ partition }) => partition === index);
    return own.flatMap((stretch) => {
      const counts =
        stretch === own.findLast(({ kind, what }) => kind === 'work' && what === stretch.what);
      const inside = phases.filter(
        (phase) =>
          counts && stageOfPhase(phase) === stretch.what && phase.name !== `cuzk.${stretch.what}`,
      );
      return [
        spanOf(stretch, prefix),
        ...inside.map(({ name, startMs, durationMs, parent }) => ({
          name: `${prefix}${parent === undefined ? '  ' : '    '}${name.replace(/^cuzk\./, '')}`,
          startSeconds: (startMs - originMs) / 1000,
          seconds: durationMs / 1000,
        })),
      ];
    });
  });
  return [...before, ...parts, ...after];
}
