// A device process that does what the path of its "witness" says: prove, hang, exit, fail. Like the real one it works on
// one partition at a time and says when it begins each. "unbegun" ends the process before it has begun.
const cancelled = new Set();
const send = (reply) => process.send(reply);
const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
let turn = Promise.resolve();

async function prove(request, how) {
  send({ kind: 'begun', request });
  if (how === 'exit') process.exit(3);
  if (how === 'hang') return sleep(1e9);
  if (how === 'fail') {
    const problem = { code: 'GPU_OUT_OF_MEMORY', message: 'too large', facts: {} };
    return send({ kind: 'failed', request, problem });
  }
  for (let i = 0; i < 5 && !cancelled.has(request); i++) {
    await sleep(50);
    send({ kind: 'progress', request, what: 'proving', fraction: i / 5 });
  }
  const problem = { code: 'CANCELLED', message: 'cancelled', facts: {} };
  if (cancelled.has(request)) return send({ kind: 'failed', request, problem });
  const bytes = { proof: new Uint8Array(192), publicInputs: new Uint8Array(0) };
  send({ kind: 'proved', request, proof: { ...bytes, phases: [] } });
}

process.on('message', ({ request, body }) => {
  if (body.kind === 'cancel') cancelled.add(body.request);
  else if (body.kind === 'prove') {
    const how = body.witness.path;
    if (how === 'unbegun') process.exit(4);
    send({ kind: 'uploaded', request });
    turn = turn.then(() => prove(request, how));
  } else if (body.kind === 'self-test') send({ kind: 'tested', request });
});
process.on('disconnect', () => process.exit(0));
