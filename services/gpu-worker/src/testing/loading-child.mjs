// A device process without a device, whose loads go as the parameter file says behind its key: "good"; "malformed"; "evicts" makes room
// by evicting all others and then finds the file malformed; "dies once" ends the process in the middle, and leaves a
// note beside the file that it has. Beside each file a note has a dot for every load.
import { appendFileSync, existsSync, readFileSync, writeFileSync } from 'node:fs';

const held = new Map();
const send = (reply) => process.send(reply);
const malformed = (request) => {
  const facts = { expected: '4 bytes', found: '3 bytes' };
  const message = 'parameter file, section a: truncated';
  send({ kind: 'failed', request, problem: { code: 'PARAMS_MALFORMED', message, facts } });
};

function load(request, { sectorBytes, source }) {
  const how = readFileSync(source.paramsPath, 'utf8').slice('a key'.length);
  appendFileSync(`${source.paramsPath}.loads`, '.');
  send({ kind: 'progress', request, what: 'loading', fraction: 0.4 });
  if (how === 'malformed') return malformed(request);
  if (how === 'evicts') {
    held.clear();
    return malformed(request);
  }
  if (how === 'dies once' && !existsSync(`${source.paramsPath}.died`)) {
    writeFileSync(`${source.paramsPath}.died`, '');
    setTimeout(() => process.kill(process.pid, 'SIGKILL'), 300);
    return;
  }
  held.set(sectorBytes, { sectorBytes, kind: 'resident', plan: null, users: 0 });
  const usage = { submits: 1, deviceBytes: { srs: 96 * held.size } };
  send({ kind: 'usage', request, usage });
  const seconds = { seconds: 0, warmUpSeconds: null };
  send({
    kind: 'loaded',
    request,
    circuitId: `of ${sectorBytes}`,
    ...seconds,
    evicted: [],
    plan: null,
  });
}

process.on('message', ({ request, body }) => {
  if (body.kind === 'open') {
    const adapter = {
      description: 'none',
      software: true,
      tuning: '',
      fpMulPerSecond: 1,
      openSeconds: 0,
      compiledAhead: null,
    };
    send({ kind: 'opened', request, adapter });
  } else if (body.kind === 'load') load(request, body);
  else if (body.kind === 'pipelines')
    send({ kind: 'pipelines', request, pipelines: { count: 0, readySeconds: 0 } });
  else if (body.kind === 'evict') {
    send({ kind: 'evicted', request, wasLoaded: held.delete(body.sectorBytes) });
  } else if (body.kind === 'prove') {
    const proof = { proof: new Uint8Array(192), publicInputs: new Uint8Array(32), phases: [] };
    setTimeout(() => send({ kind: 'proved', request, proof }), 100);
  } else if (body.kind === 'circuits')
    send({ kind: 'circuits', request, circuits: [...held.values()] });
});
process.on('disconnect', () => process.exit(0));
