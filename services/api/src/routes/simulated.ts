import { CuzkError } from '@cuzk/core/errors';

/** There is nothing to give out or to verify of a proof that was simulated. */
export const simulated = (): CuzkError =>
  new CuzkError('PROOF_SIMULATED', 'This proof was simulated and proves nothing.', {
    expected: 'a proof made by a device',
    found: 'the end of a load test',
  });
