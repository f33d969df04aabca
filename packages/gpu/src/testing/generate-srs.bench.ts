// Times generateSrs and spot-checks its points against multiples of the generators computed on the host.
//   npx tsc -b
//   cd packages/gpu
//   npx rolldown src/testing/generate-srs.bench.ts --platform node --external webgpu -o dist/generate-srs.bench.mjs
//   node dist/generate-srs.bench.mjs hardware 2KiB 512MiB 32GiB
// The bundle looks for the kernels at ../kernels, so it must stand in dist.
import { developmentToxicWaste } from '@cuzk/core/groth16/development-waste';
import { parseSectorSize, sectorShape } from '@cuzk/core/porep/sector';
import { stackedCircuit } from '@cuzk/core/porep/stacked-circuit';
import { compileTemplate } from '@cuzk/core/r1cs/compile-shape';
import type { GpuMode } from '../device/device.ts';
import { generateSrs } from '../setup/generate-srs.ts';
import { openProver } from '../startup/open-prover.ts';
import { spotCheckSrs } from './spot-check-srs.ts';

const [mode = 'auto', ...sectors] = process.argv.slice(2);
const GIB = 2 ** 30;
const waste = developmentToxicWaste();
const print = (line: string): void => {
  process.stdout.write(`${line}\n`);
};
const gib = (bytes: number): string => `${(bytes / GIB).toFixed(2)} GiB`;
const secondsSince = (start: number): string => ((performance.now() - start) / 1000).toFixed(2);

let peakRss = 0;
setInterval(() => {
  peakRss = Math.max(peakRss, process.memoryUsage.rss());
}, 100).unref();

async function timeSector(
  { context }: Awaited<ReturnType<typeof openProver>>,
  name: string,
): Promise<void> {
  const compiled = performance.now();
  const shape = {
    ...compileTemplate(stackedCircuit(sectorShape(parseSectorSize(name)))),
    shapeDigest: '',
  };
  print(`${name}: template in ${secondsSince(compiled)} s, ${shape.constraints} constraints`);
  peakRss = 0;
  const start = performance.now();
  let shown = 0;
  const circuit = await generateSrs(context, shape, waste, {
    onPoints: (done, total) => {
      if (done / total < shown) return;
      shown += 0.1;
      const percent = Math.round((100 * done) / total);
      print(`  ${secondsSince(start)} s: ${percent} % of ${total} points`);
    },
  });
  const { bytesInUse, peakBytes } = context.buffers;
  print(
    `${name}: SRS in ${secondsSince(start)} s; points ${gib(bytesInUse.srs)}, device peak ${gib(peakBytes)}, host peak ${gib(peakRss)}`,
  );
  for (const { phase, seconds, source } of await context.timer.collect()) {
    print(`  ${phase}: ${seconds.toFixed(2)} s by ${source}`);
  }
  const checking = performance.now();
  const below = (n: number): number => Math.floor(Math.random() * n);
  const options = { each: 16, mostTerms: 1000, below };
  const { checked, wrong, skipped } = await spotCheckSrs(context, circuit, waste, options);
  print(
    `${name}: ${checked} points checked in ${secondsSince(checking)} s, ${skipped} skipped, ${wrong.length} wrong ${wrong.join(', ')}`,
  );
  circuit.close();
  if (wrong.length > 0) process.exitCode = 1;
}

const prover = await openProver(mode as GpuMode);
print(prover.context.traits.description);
for (const name of sectors) await timeSector(prover, name);
prover.close();
