import { readConfig } from '../../config.ts';
import { openMachineProver } from '../../open-machine-prover.ts';
import type { StartNews } from './time-start.ts';

/** The process that timeWarmStart times: a device is opened as a gpu-worker's process does it, then two small proofs. */
const send = (news: StartNews): void => {
  process.send?.(news);
};

const prover = await openMachineProver(readConfig(), (line) => process.stderr.write(`${line}\n`));
const { selfTestReport, context } = prover;
send({
  kind: 'open',
  seconds: performance.now() / 1000,
  selfTestSeconds: selfTestReport.seconds,
});
send({ kind: 'ready', pipelines: await prover.keptPipelines });
// code that a start does not need
const { timeSmallProofs } = await import('./small-proofs.ts');
send({ kind: 'proved', proofs: await timeSmallProofs(context, 2) });
prover.close();
process.disconnect();
