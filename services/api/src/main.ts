import { runService } from '@cuzk/service-kit/run-service';
import { readConfig } from './config.ts';
import { startApi } from './start-api.ts';

await runService('api', () => startApi(readConfig()));
