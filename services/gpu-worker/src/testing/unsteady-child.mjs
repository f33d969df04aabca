// A device process that does what the path of its "witness" says: prove, hang, exit, fail.
let cancelled = false;
const send = (reply) => process.send(reply);
const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

async function prove(request, how) {
  if (how === 'exit') process.exit(3);
  if (how === 'hang') return sleep(1e9);
  if (how === 'fail') {
    const problem = { code: 'GPU_OUT_OF_MEMORY', message: 'too large', facts: {} };
    return send({ kind: 'failed', request, problem });
  }
  send({ kind: 'uploaded', request });
  for (let i = 0; i < 5 && !cancelled; i++) {
    await sleep(50);
    send({ kind: 'progress', request, what: 'proving', fraction: i / 5 });
  }
  const problem = { code: 'CANCELLED', message: 'cancelled', facts: {} };
  if (cancelled) return send({ kind: 'failed', request, problem });
  const bytes = { proof: new Uint8Array(192), publicInputs: new Uint8Array(0) };
  send({ kind: 'proved', request, proof: { ...bytes, phases: [], deviceBytes: {} } });
}

process.on('message', ({ request, body }) => {
  if (body.kind === 'cancel') cancelled = true;
  else if (body.kind === 'prove') void prove(request, body.witnessPath);
  else if (body.kind === 'self-test') send({ kind: 'tested', request });
});
process.on('disconnect', () => process.exit(0));
