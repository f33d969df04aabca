import { parentPort, type Transferable } from 'node:worker_threads';
import { CuzkError } from '@cuzk/core/errors';
import { type AnswerMessage, type TaskMessage, toWireError } from './thread-protocol.ts';

export interface TaskContext<Part> {
  /** Throws CANCELLED when the task is no longer wanted; call it at least every 50 ms of work. */
  readonly checkpoint: () => void;
  /** Sends a part of the answer ahead of its end. Transferred buffers are gone for the sender. */
  readonly emit: (part: Part, transfer?: readonly Transferable[]) => void;
}

export interface TaskAnswer<Answer> {
  readonly answer: Answer;
  readonly transfer?: readonly Transferable[];
}

/** The whole of a thread: takes one task at a time from the pool that started it. Call once, at its top. */
export function serveThread<Request, Part, Answer>(
  handle: (request: Request, context: TaskContext<Part>) => Promise<TaskAnswer<Answer>>,
): void {
  const port = parentPort;
  if (!port) throw new TypeError('serveThread: expected to run in a worker thread');
  const send = (message: AnswerMessage, transfer: readonly Transferable[] = []) =>
    port.postMessage(message, transfer);
  port.on('message', async ({ request, cancel }: TaskMessage) => {
    const context: TaskContext<Part> = {
      checkpoint: () => {
        if (Atomics.load(cancel, 0) === 1)
          throw new CuzkError('CANCELLED', 'the task was cancelled');
      },
      emit: (value, transfer) => send({ kind: 'part', value }, transfer),
    };
    try {
      const { answer, transfer } = await handle(request as Request, context);
      send({ kind: 'done', value: answer }, transfer);
    } catch (error) {
      send({ kind: 'failed', error: toWireError(error) });
    }
  });
}
