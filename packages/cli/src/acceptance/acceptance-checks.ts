import { type Problem, problemOf } from '../terminal/problem.ts';

/** One thing that was tried. */
export interface AcceptanceCheck {
  readonly name: string;
  readonly passed: boolean;
  readonly seconds: number;
  /** Why not; null where it passed. */
  readonly problem: Problem | null;
}

/** Runs checks one after another and keeps what came of each; after one that failed the rest is left out. */
export class AcceptanceChecks {
  readonly done: AcceptanceCheck[] = [];
  readonly #onStart: (name: string) => void;

  constructor(onStart: (name: string) => void) {
    this.#onStart = onStart;
  }

  get passed(): boolean {
    return this.done.every(({ passed }) => passed);
  }

  /** The result of the work, or undefined where it threw or a check before did. */
  async run<T>(name: string, work: () => Promise<T>): Promise<T | undefined> {
    if (!this.passed) return undefined;
    this.#onStart(name);
    const startedAt = performance.now();
    const seconds = (): number => Math.round(performance.now() - startedAt) / 1000;
    try {
      const result = await work();
      this.done.push({ name, passed: true, seconds: seconds(), problem: null });
      return result;
    } catch (error) {
      this.done.push({ name, passed: false, seconds: seconds(), problem: problemOf(error) });
      return undefined;
    }
  }
}
