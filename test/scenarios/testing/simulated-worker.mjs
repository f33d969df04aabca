// A worker whose work takes time and makes nothing: everything around it (queues, record, permits, presence, metrics,
// traces) is real. Settings come as one JSON argument; prints "ready <port>" when it has /metrics on that port.
//   role synth: ingest, synthesize, finalize and the coordinator; role gpu: prove.
import { setTimeout as sleep } from 'node:timers/promises';
import { CuzkError } from '@cuzk/core/errors';
import { Coordinator } from '@cuzk/service-kit/fleet/coordinator';
import { registerFleetMetrics } from '@cuzk/service-kit/fleet/fleet-metrics';
import { openService } from '@cuzk/service-kit/open-service';
import { startOpsServer } from '@cuzk/service-kit/ops-server';
import { holdPermit, isDenied } from '@cuzk/service-kit/permits/held-permit';
import { hostPool } from '@cuzk/service-kit/permits/permits';
import { jobIdOf } from '@cuzk/service-kit/queues/job-id';
import { StageWorker } from '@cuzk/service-kit/queues/stage-worker';
import {
  acceptC1,
  releaseHandoff,
  submitPartitionProof,
  submitResult,
  submitWitness,
} from '@cuzk/service-kit/record/changes';
import { writePhaseSpans } from '@cuzk/service-kit/telemetry/trace-context';

const CIRCUIT = 'simulated';
const WITNESS_BYTES = 70_000_000;
const settings = {
  role: 'gpu',
  node: 'node',
  service: {},
  partitions: 2,
  concurrency: 1,
  synthesizeMs: 0,
  proveMs: 0,
  failureShare: 0,
  ...JSON.parse(process.argv[2] ?? '{}'),
};

const service = await openService(
  settings.role === 'synth' ? 'synth-worker' : 'gpu-worker',
  settings.service,
  'patient',
);
const { redis, buffers, telemetry } = service;
const reference = (name, bytes = 1_000) => ({ ref: name, bytes, sha256: '0'.repeat(64) });

/** Fails now and then: mostly in a way that is tried again. */
function maybeFail() {
  const dice = Math.random();
  if (dice < settings.failureShare / 10) throw new CuzkError('WITNESS_UNSATISFIED', 'simulated');
  if (dice < settings.failureShare) throw new CuzkError('GPU_DEVICE_LOST', 'simulated');
}

/** Works for a while with a buffer in its hands, stops when it is told to. */
async function holding(bufferClass, stage, ms, signal) {
  const held = buffers.hold(bufferClass, stage, WITNESS_BYTES);
  try {
    await sleep(ms, undefined, { signal });
    maybeFail();
  } finally {
    held.release();
  }
}

const handlers = {
  ingest: async ({ fence }, { signal }) => {
    await holding('partition_input', 'ingest', 0, signal);
    return acceptC1(redis, fence, {
      circuitId: CIRCUIT,
      sectorBytes: 2048,
      witnessBytes: WITNESS_BYTES,
      publicInputs: reference('inputs'),
      inputs: Array.from({ length: settings.partitions }, (_, k) => reference(`input-${k}`)),
    });
  },
  synthesize: async ({ fence }, { signal }) => {
    await holding('witness', 'synthesize', settings.synthesizeMs, signal);
    return submitWitness(redis, fence, reference('witness', WITNESS_BYTES), []);
  },
  prove: async ({ fence }, { signal, span }) => {
    const startMs = Date.now();
    await holding('witness', 'prove', settings.proveMs / 4, signal);
    await releaseHandoff(redis, fence);
    await sleep((3 * settings.proveMs) / 4, undefined, { signal });
    maybeFail();
    const phases = phasesOf(startMs, Date.now() - startMs);
    writePhaseSpans(telemetry.tracer, span, phases);
    return submitPartitionProof(redis, fence, {
      proof: new Uint8Array(192),
      parameters: 'insecure-development',
      worker: service.identity.name,
      phases,
    });
  },
  finalize: ({ fence }) => submitResult(redis, fence, reference('result'), 'insecure-development'),
};

/** Twelve phases, as a real device reports them. */
const phasesOf = (startMs, durationMs) =>
  Array.from({ length: 12 }, (_, i) => ({
    name: i === 0 ? 'cuzk.gpu.total' : `cuzk.gpu.phase_${i}`,
    startMs: startMs + (i === 0 ? 0 : ((i - 1) * durationMs) / 11),
    durationMs: i === 0 ? durationMs : durationMs / 11,
    clock: 'wall',
    ...(i === 0 ? {} : { parent: 'cuzk.gpu.total' }),
  }));

async function admit(unit) {
  const permit = await holdPermit(redis, {
    pool: hostPool(settings.node),
    lease: `${jobIdOf(unit)}@${service.identity.owner}`,
    bytes: WITNESS_BYTES,
    capBytes: settings.concurrency * WITNESS_BYTES,
    holder: unit.proofId,
  });
  return isDenied(permit) ? null : permit;
}

const common = { concurrency: settings.concurrency, maxFailures: 4 };
const start = (stage, more = {}) =>
  StageWorker.start(service, { stage, ...common, handle: handlers[stage], ...more });
const facts = { ready: true, status: 'simulated', slots: settings.concurrency };
const stages = [];
let coordinator;
if (settings.role === 'synth') {
  const limits = { handoffBytes: 64 * WITNESS_BYTES, window: 64 };
  coordinator = new Coordinator(service, { ...limits, silentMs: 3_000, quietMs: 0, tickMs: 500 });
  registerFleetMetrics(service, () => coordinator.leader);
  stages.push(await start('ingest'), await start('synthesize', { admit }), await start('finalize'));
  await service.presence.publish(facts);
} else {
  await service.presence.publish({ ...facts, circuits: [CIRCUIT] });
  stages.push(await start('prove', { circuits: () => [CIRCUIT], selfTest: async () => true }));
}
const ops = await startOpsServer({ host: '127.0.0.1', port: 0 }, service, {
  readiness: () => ({ ready: true, status: 'simulated' }),
  finish: async () => {},
});
console.log(`ready ${ops.port}`);

process.on('SIGTERM', async () => {
  await Promise.all(stages.map((stage) => stage.drain()));
  await coordinator?.close();
  await ops.close();
  await service.close();
  process.exit(0);
});
