import { defineConfig } from 'vitest/config';

const conditions = ['@cuzk/source'];
const exclude = ['**/dist/**', '**/node_modules/**'];
/** Tests with real processes and clocks get a second try in CI, where nobody can look; the report counts them as retried. */
const retry = process.env.CI === 'true' ? 1 : 0;

/** Slow tests run only with SLOW=1; each prints why it was left out. */
export default defineConfig({
  resolve: { conditions },
  ssr: { resolve: { conditions } },
  test: {
    projects: [
      {
        extends: true,
        test: {
          name: 'unit',
          include: [
            '{packages,services}/*/src/**/*.test.ts',
            'services/*/web/**/*.test.ts',
            'scripts/**/*.test.ts',
          ],
          exclude: [...exclude, '**/*.gpu.test.ts'],
          testTimeout: process.env.CI === 'true' ? 180_000 : 60_000,
          hookTimeout: 180_000,
          retry,
        },
      },
      {
        extends: true,
        test: {
          name: 'gpu',
          include: ['{packages,services}/*/src/**/*.gpu.test.ts'],
          exclude,
          fileParallelism: false,
          testTimeout: 300_000,
          hookTimeout: 300_000,
        },
      },
      {
        extends: true,
        test: {
          name: 'scenario',
          include: ['test/scenarios/*.test.ts'],
          exclude,
          fileParallelism: false,
          retry,
          testTimeout: 600_000,
          hookTimeout: 600_000,
        },
      },
      {
        extends: true,
        test: {
          // Simulated work: these wait more than they compute, so that two at once take half the time.
          name: 'chaos',
          include: ['test/scenarios/chaos/*.test.ts'],
          exclude,
          maxWorkers: 2,
          retry,
          testTimeout: 600_000,
          hookTimeout: 600_000,
        },
      },
    ],
  },
});
