import { runService } from '@cuzk/service-kit/run-service';
import { readConfig } from './config.ts';
import { startSynthWorker } from './start-synth-worker.ts';

await runService('synth-worker', () => startSynthWorker(readConfig()));
