import { signal } from '@preact/signals';
import { problemText } from '../net/api.ts';

export interface Notice {
  readonly id: number;
  readonly text: string;
  readonly bad: boolean;
}

const SHOWN_MS = 8_000;
let last = 0;

/** What was done or went wrong lately; read out by screen readers. */
export const notices = signal<readonly Notice[]>([]);

export function notify(text: string, bad = false): void {
  const notice = { id: ++last, text, bad };
  notices.value = [...notices.value, notice].slice(-4);
  setTimeout(() => dismiss(notice.id), SHOWN_MS);
}

export function dismiss(id: number): void {
  notices.value = notices.value.filter((notice) => notice.id !== id);
}

/** Does something and says how it went. */
export async function attempt(done: string, work: () => Promise<unknown>): Promise<void> {
  try {
    await work();
    notify(done);
  } catch (error) {
    notify(problemText(error), true);
  }
}
