// Ends spans as fast as it can against a collector, in rounds, and prints the heap after each round as one JSON array
// of bytes. Arguments: address of the collector, spans a round, rounds. Needs --expose-gc.
import { setTimeout as sleep } from 'node:timers/promises';
import { startTelemetry } from '@cuzk/service-kit/telemetry/start-telemetry';

const [otlpEndpoint, spans, rounds] = process.argv.slice(2);
const settings = { service: 'span-maker', instance: 'span-maker', otlpEndpoint, spanFile: '' };
let lost = 0;
const { tracer, shutdown } = startTelemetry(settings, (_signal, items) => {
  lost += items;
});
const heapBytes = [];
for (let round = 0; round < Number(rounds); round++) {
  for (let i = 0; i < Number(spans); i++) {
    tracer.startSpan('work', { attributes: { 'cuzk.proof': `proof ${i}` } }).end();
    if (i % 1_000 === 0) await sleep(1); // The exporter gets its turn.
  }
  globalThis.gc();
  heapBytes.push(process.memoryUsage().heapUsed);
}
await shutdown();
console.log(JSON.stringify({ heapBytes, lost }));
process.exit(0);
