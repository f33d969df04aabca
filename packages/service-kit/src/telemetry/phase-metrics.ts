import type { Metrics } from '../metrics.ts';
import type { PhaseTiming } from '../record/types.ts';

/** Counts measured phases into the histogram of phases. */
export function observePhases(metrics: Metrics, phases: readonly PhaseTiming[]): void {
  for (const { name, durationMs, clock } of phases) {
    const labels = { phase: name, clock };
    metrics.observeSeconds('cuzk_phase_duration_seconds', durationMs / 1000, labels);
  }
}
