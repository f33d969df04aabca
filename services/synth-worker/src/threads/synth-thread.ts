import { createReadStream } from 'node:fs';
import { open, readFile } from 'node:fs/promises';
import { checkC1 } from '@cuzk/core/porep/c1-check';
import type { C1Header } from '@cuzk/core/porep/c1-document';
import { C1_TAIL_BYTES } from '@cuzk/core/porep/c1-tail';
import { circuitId } from '@cuzk/core/porep/circuit-id';
import { partitionCounts } from '@cuzk/core/porep/fill-counts';
import type { PartitionInput } from '@cuzk/core/porep/partition-input';
import { decodePartitionInput, encodePartitionInput } from '@cuzk/core/porep/partition-input-file';
import { PINNED_CIRCUITS } from '@cuzk/core/porep/pinned-circuits';
import { proverIdOfActor } from '@cuzk/core/porep/replica-id';
import { type SectorShape, sectorShape } from '@cuzk/core/porep/sector';
import { synthesizePartition } from '@cuzk/core/porep/synthesize';
import { encodeCompactWitness } from '@cuzk/core/r1cs/compact-witness-file';
import { nodeHashes, sha256 } from '@cuzk/service-kit/circuits/node-hashes';
import { serveThread, type TaskContext } from '@cuzk/service-kit/threads/serve-thread';
import type {
  C1Facts,
  CheckC1Task,
  CheckedC1Answer,
  CheckedPartition,
  SynthAnswer,
  SynthesizedAnswer,
  SynthesizeTask,
  SynthTask,
} from './synth-tasks.ts';

type Context = TaskContext<CheckedPartition>;

/** Room for the header and the filling of the sections of a CZWT file. */
const WITNESS_OVERHEAD_BYTES = 2048;

function witnessFileBytes(shape: SectorShape): number {
  const { inputs, aux, elements } = partitionCounts(shape);
  return 32 * (inputs + elements) + 4 * Math.ceil(aux / 32) + WITNESS_OVERHEAD_BYTES;
}

async function* chunksOf(path: string, { checkpoint }: Context): AsyncGenerator<Uint8Array> {
  for await (const chunk of createReadStream(path, { highWaterMark: 1 << 16 })) {
    checkpoint();
    yield chunk as Uint8Array;
  }
}

/** The last bytes of a file. */
async function tailOf(path: string): Promise<Uint8Array> {
  const file = await open(path);
  try {
    const { size } = await file.stat();
    const length = Math.min(size, C1_TAIL_BYTES);
    const { buffer } = await file.read(new Uint8Array(length), 0, length, size - length);
    return buffer;
  } finally {
    await file.close();
  }
}

function factsOf(header: C1Header): C1Facts {
  const { sectorBytes, partitions } = header.registeredProof;
  const shape = sectorShape(sectorBytes);
  return {
    ...{ circuitId: circuitId(shape), sectorBytes, partitions },
    witnessBytes: witnessFileBytes(shape),
  };
}

function sendPartition(input: PartitionInput, facts: C1Facts, { emit }: Context): void {
  const czpi = encodePartitionInput(input, nodeHashes);
  const publicInputs = Uint8Array.from(Buffer.concat(input.publicInputs));
  const part = { facts, partition: input.partition, czpi, publicInputs };
  emit(part, [czpi.buffer as ArrayBuffer, publicInputs.buffer]);
}

async function checkDocument(task: CheckC1Task, context: Context): Promise<CheckedC1Answer> {
  let facts: C1Facts | undefined;
  const { header } = await checkC1(chunksOf(task.c1Path, context), {
    proverId: proverIdOfActor(BigInt(task.minerId)),
    sectorId: BigInt(task.sectorNumber),
    hashes: nodeHashes,
    tail: await tailOf(task.c1Path),
    onPartition: (input, known) => {
      context.checkpoint();
      facts ??= factsOf(known);
      sendPartition(input, facts, context);
    },
  });
  return { task: 'check-c1', facts: facts ?? factsOf(header) };
}

async function synthesize(task: SynthesizeTask, context: Context): Promise<SynthesizedAnswer> {
  const input = decodePartitionInput(await readFile(task.inputPath), nodeHashes);
  const shape = sectorShape(input.sectorBytes);
  const shapeDigest = PINNED_CIRCUITS.get(input.sectorBytes)?.shapeDigest;
  if (shapeDigest === undefined) throw new TypeError(`no pinned circuit for ${shape.name}`);
  const startedAt = performance.now();
  const witness = synthesizePartition(input, shape, {
    shapeDigest,
    checkpoint: context.checkpoint,
  });
  const filledAt = performance.now();
  const { aux } = partitionCounts(shape);
  const chunks = encodeCompactWitness({ witness, aux, run: task.run }, sha256);
  const encodeMs = performance.now() - filledAt;
  return { task: 'synthesize', chunks, fillMs: filledAt - startedAt, encodeMs };
}

serveThread<SynthTask, CheckedPartition, SynthAnswer>(async (task, context) => {
  if (task.task === 'check-c1') return { answer: await checkDocument(task, context) };
  const answer = await synthesize(task, context);
  const buffers = new Set(answer.chunks.map((chunk) => chunk.buffer as ArrayBuffer));
  return { answer, transfer: [...buffers] };
});
