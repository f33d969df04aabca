import { CuzkError } from '@cuzk/core/errors';
import type { ParametersKind } from '@cuzk/service-kit/circuits/params-folder';
import type { CliConfig } from '../config.ts';
import {
  type ApiAddress,
  downloadResult,
  type ProofView,
  submitC1,
  waitForProof,
} from '../proof-client.ts';
import { progressLine } from '../terminal/progress-line.ts';
import { openC1Verifier, type SectorC1 } from '../verify/verify-c1-proof.ts';

/** One proof of a measurement, from its POST to the verdict of core's verifier. */
export interface MeasuredProof {
  readonly view: ProofView;
  readonly verified: boolean;
  readonly proofBytes: number;
  /** From the start of the POST until the proof was there, and until it was verified. */
  readonly postToProofSeconds: number;
  readonly postToVerifiedSeconds: number;
}

export interface ProveAllOptions {
  readonly signal: AbortSignal;
  onLine(line: string): void;
}

/**
 * Sends all C1s at once, waits for all proofs, downloads and verifies each when it is there. Errors: what the API
 * answers; REQUEST_INVALID where the system has proved one of them before.
 */
export async function proveAll(
  config: CliConfig,
  api: ApiAddress,
  sectors: readonly SectorC1[],
  options: ProveAllOptions,
): Promise<{ readonly proofs: readonly MeasuredProof[]; readonly seconds: number }> {
  const startedAt = performance.now();
  const proofs = await Promise.all(
    sectors.map((sector, i) =>
      proveOne(config, api, sector, {
        signal: options.signal,
        onLine: (line) => options.onLine(sectors.length === 1 ? line : `proof ${i}: ${line}`),
      }),
    ),
  );
  return { proofs, seconds: (performance.now() - startedAt) / 1000 };
}

async function proveOne(
  config: CliConfig,
  api: ApiAddress,
  sector: SectorC1,
  { signal, onLine }: ProveAllOptions,
): Promise<MeasuredProof> {
  const postedAt = performance.now();
  const secondsSincePost = (): number => (performance.now() - postedAt) / 1000;
  const { proofId, joined } = await submitC1(api, sector.c1File, sector);
  if (joined) {
    throw new CuzkError('REQUEST_INVALID', 'the system knows this C1 already', {
      expected: 'a C1 that was not sent before, so that there is something to measure',
      found: proofId,
      action: 'name another --seed',
    });
  }
  // While the system works: the statement is there when the proof is.
  const opening = openC1Verifier(config, sector);
  opening.catch(() => {}); // Awaited below; a wait that fails first must not leave it unhandled.
  onLine(`POST ${api.url}/v1/proofs: ${proofId}`);
  let shown = '';
  const view = await waitForProof(api, proofId, {
    signal,
    onChange: (proof) => {
      const line = progressLine(proof);
      if (line !== shown) onLine(line);
      shown = line;
    },
  });
  const postToProofSeconds = secondsSincePost();
  const bytes = await downloadResult(api, proofId);
  const kind = view.parameters as ParametersKind | null;
  const verify = await opening;
  const verified = await verify(bytes, kind);
  onLine(`${bytes.length} bytes ${verified ? 'verified' : 'DO NOT VERIFY'}`);
  return {
    view,
    verified,
    proofBytes: bytes.length,
    postToProofSeconds,
    postToVerifiedSeconds: secondsSincePost(),
  };
}
