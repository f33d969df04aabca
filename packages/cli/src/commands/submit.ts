import { parseMinerAddress } from '@cuzk/core/porep/replica-id';
import type { Command } from 'commander';
import { parseSectorNumber } from '../arguments.ts';
import type { CliContext } from '../cli-context.ts';
import { requireWritable, writeOutput } from '../files/output-file.ts';
import { downloadResult, submitC1, waitForProof } from '../proof-client.ts';
import { progressLine } from '../terminal/progress-line.ts';

interface SubmitOptions {
  readonly url: string;
  readonly miner: string;
  readonly sectorNumber: string;
  readonly wait?: true;
  readonly out?: string;
}

/** `cuzk submit`: sends a C1 to a running system, and waits for its proof where that is asked for. */
export function defineSubmit(program: Command, { config, output }: CliContext): void {
  program
    .command('submit')
    .description('send a C1 to a running system')
    .argument('<c1>', 'C1 file')
    .requiredOption('--miner <address>', 'ID address of the miner, such as f01000')
    .requiredOption('--sector-number <number>', 'number of the sector')
    .option('--url <url>', 'address of the API', 'http://127.0.0.1:8080')
    .option('--wait', 'wait until the proof has ended')
    .option('--out <file>', 'write the proof here (waits for it)')
    .action(async (file: string, options: SubmitOptions) => {
      parseMinerAddress(options.miner);
      parseSectorNumber(options.sectorNumber);
      if (options.out !== undefined) await requireWritable(options.out);
      const api = { url: options.url, key: config.apiKey };
      const submission = await submitC1(api, file, options);
      const { proofId, joined } = submission;
      output.progress(`${proofId}${joined ? ' (the same content was there already)' : ''}`);
      if (options.wait === undefined && options.out === undefined) {
        output.result(submission, [`${proofId} is ${submission.state}`]);
        return;
      }
      let shown = '';
      const proof = await waitForProof(api, proofId, {
        signal: new AbortController().signal,
        onChange: (view) => {
          const line = progressLine(view);
          if (line !== shown) output.progress(line);
          shown = line;
        },
      });
      const bytes = await downloadResult(api, proofId);
      if (options.out !== undefined) await writeOutput(options.out, bytes);
      const { state, parameters } = proof;
      output.result({ proofId, state, joined, parameters, proofBytes: bytes.length }, [
        `${proofId} ${state}: ${bytes.length} bytes, ${parameters} parameters`,
      ]);
    });
}
