// A collector for tests, as a process of its own: takes OTLP/HTTP (protobuf) on a free port of 127.0.0.1, prints the
// port, and appends one JSON line to the file it is given for each span and for each export of metrics. A second
// argument makes it a bad one: 'errors' answers 503 to everything, 'silent' takes everything and never answers.
import { appendFileSync } from 'node:fs';
import { createServer } from 'node:http';

const [file, manners = 'good'] = process.argv.slice(2);

/** Fields of a protobuf message: number → list of values (bigint, or bytes for length-delimited ones). */
function fieldsOf(bytes) {
  const fields = new Map();
  let at = 0;
  const varint = () => {
    let value = 0n;
    for (let shift = 0n; ; shift += 7n) {
      const byte = bytes[at++];
      if (byte === undefined) throw new RangeError('protobuf: cut off inside a number');
      value |= BigInt(byte & 0x7f) << shift;
      if (byte < 0x80) return value;
    }
  };
  const fixed = (size) => {
    at += size;
    const view = new DataView(bytes.buffer, bytes.byteOffset + at - size, size);
    return size === 8 ? view.getBigUint64(0, true) : BigInt(view.getUint32(0, true));
  };
  while (at < bytes.length) {
    const tag = Number(varint());
    const read = { 0: varint, 1: () => fixed(8), 2: block, 5: () => fixed(4) }[tag & 7];
    if (read === undefined) throw new RangeError(`protobuf: unknown wire type ${tag & 7}`);
    const list = fields.get(tag >> 3) ?? [];
    list.push(read());
    fields.set(tag >> 3, list);
  }
  return fields;

  function block() {
    const size = Number(varint());
    if (at + size > bytes.length) throw new RangeError('protobuf: cut off inside a block');
    at += size;
    return bytes.subarray(at - size, at);
  }
}

const messages = (fields, number) => (fields.get(number) ?? []).map(fieldsOf);
const text = (fields, number) => Buffer.from(fields.get(number)?.[0] ?? []).toString();
const hex = (fields, number) => Buffer.from(fields.get(number)?.[0] ?? []).toString('hex');
const integer = (fields, number) => Number(fields.get(number)?.[0] ?? 0n);
const milliseconds = (fields, number) => Number(fields.get(number)?.[0] ?? 0n) / 1e6;

function anyValue(any) {
  if (any.has(1)) return text(any, 1);
  if (any.has(2)) return any.get(2)[0] !== 0n;
  if (any.has(3)) return integer(any, 3);
  if (!any.has(4)) return null;
  const bits = new DataView(new ArrayBuffer(8));
  bits.setBigUint64(0, any.get(4)[0]);
  return bits.getFloat64(0);
}

const attributesOf = (fields, number) =>
  Object.fromEntries(
    messages(fields, number).map((pair) => [
      text(pair, 1),
      anyValue(messages(pair, 2)[0] ?? new Map()),
    ]),
  );

function spansOf(body) {
  return messages(fieldsOf(body), 1).flatMap((resourceSpans) => {
    const resource = messages(resourceSpans, 1)[0] ?? new Map();
    const service = attributesOf(resource, 1)['service.name'];
    return messages(resourceSpans, 2).flatMap((scope) =>
      messages(scope, 2).map((span) => ({
        kind: 'span',
        traceId: hex(span, 1),
        spanId: hex(span, 2),
        parentSpanId: hex(span, 4) || null,
        name: text(span, 5),
        service,
        startMs: milliseconds(span, 7),
        endMs: milliseconds(span, 8),
        attributes: attributesOf(span, 9),
        statusCode: integer(messages(span, 15)[0] ?? new Map(), 3),
        statusMessage: text(messages(span, 15)[0] ?? new Map(), 2),
      })),
    );
  });
}

const metricNamesOf = (body) =>
  messages(fieldsOf(body), 1).flatMap((resource) =>
    messages(resource, 2).flatMap((scope) => messages(scope, 2).map((metric) => text(metric, 1))),
  );

function linesOf(path, body) {
  if (path === '/v1/traces') return spansOf(body);
  return path === '/v1/metrics' ? [{ kind: 'metrics', names: metricNamesOf(body) }] : null;
}

const server = createServer((request, response) => {
  if (manners !== 'good') {
    request.resume();
    if (manners === 'errors') request.on('end', () => response.writeHead(503).end());
    return;
  }
  const chunks = [];
  request.on('data', (chunk) => chunks.push(chunk));
  request.on('end', () => {
    const lines = linesOf(request.url, Buffer.concat(chunks));
    if (lines !== null)
      appendFileSync(file, lines.map((line) => `${JSON.stringify(line)}\n`).join(''));
    response
      .writeHead(lines === null ? 404 : 200, { 'content-type': 'application/x-protobuf' })
      .end();
  });
});
server.listen(0, '127.0.0.1', () => console.log(`listening on ${server.address().port}`));
process.on('SIGTERM', () => process.exit(0));
