// Writes deploy/grafana/dashboards/*.json from scripts/dashboards. CI runs it with --check and demands no difference.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { fleet } from './dashboards/fleet.mjs';
import { gpu } from './dashboards/gpu.mjs';
import { memory } from './dashboards/memory.mjs';
import { proof } from './dashboards/proof.mjs';
import { queues } from './dashboards/queues.mjs';

const folder = new URL('../deploy/grafana/dashboards/', import.meta.url);
mkdirSync(folder, { recursive: true });

function readOld(file) {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}

const stale = [];
for (const [name, dashboard] of Object.entries({ fleet, proof, gpu, queues, memory })) {
  const text = `${JSON.stringify(dashboard, null, 2)}\n`;
  const file = new URL(`${name}.json`, folder);
  if (!process.argv.includes('--check')) writeFileSync(file, text);
  else if (readOld(file) !== text) stale.push(name);
}
if (stale.length > 0) {
  console.error(`dashboards differ from their sources: ${stale.join(', ')}; run npm run generate`);
  process.exit(1);
}
