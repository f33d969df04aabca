import { readConfig } from '../../config.ts';
import { openMachineProver } from '../../open-machine-prover.ts';
import type { StartNews } from './time-starts.ts';

/**
 * The process that timeStarts times: a device is opened as a gpu-worker's process does it; then, on hardware, two small
 * proofs are made, and its pipelines are kept for the next process where none were.
 */
const send = (news: StartNews): void => {
  process.send?.(news);
};

const prover = await openMachineProver(readConfig(), (line) => process.stderr.write(`${line}\n`));
const { selfTestReport, tuning, context } = prover;
send({
  kind: 'open',
  figures: {
    openSeconds: performance.now() / 1000,
    selfTestSeconds: selfTestReport.seconds,
    // of the process that measured it, which may be another one
    tuningSeconds: tuning?.measured.seconds ?? 0,
    pipelines: context.kernels.compiled.count,
  },
  operations: selfTestReport.probes.reduce((sum, { checked }) => sum + checked, 0),
});
const kept = await prover.keptPipelines;
send({ kind: 'ready', kept });
// code that a start does not need
const { timeSmallProofs } = await import('./small-proofs.ts');
const proofs = context.traits.software ? [] : await timeSmallProofs(context, 2);
send({ kind: 'proved', proofs });
if (kept === 0) await prover.keepPipelines();
prover.close();
process.disconnect();
