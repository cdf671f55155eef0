import { defineConfig } from 'vitest/config'

/**
 * Tests that change or measure the process that they run in: its time zone, its memory, its work, its sockets,
 * timers and warnings. Each of these files gets a process of its own.
 */
const alone = [
  'tests/backpressure.test.ts',
  'tests/days.test.ts',
  'tests/scrub-secrets.test.ts',
  'tests/strangers.test.ts',
  'tests/streaming-frames.test.ts',
]

/** Tests that are slow by nature: kills, hostile requests and loads in rounds. `npm run test:slow` runs them. */
export const SLOW = 'tests/slow/**/*.test.ts'

/** What is made once for a run: the databases that tests copy, and the browser. */
export const SETUP = ['packages/server/testing/global-setup.ts', 'tests/unpack-browser.ts']

/**
 * Every test of the repository but the tree's own and those that are slow by nature. PostgreSQL is started once, for those that ask for it.
 *
 * Files share four processes and what these have loaded: to load the gateway anew for each took a quarter of the whole
 * run. Source: decision 0055.
 */
export default defineConfig({
  test: {
    globalSetup: ['packages/server/testing/memory-folder.ts', ...SETUP],
    // A file waits for real processes, databases and browsers for a good part of its time: with three at once two cores
    // stood still for a quarter of it.
    maxWorkers: 4,
    pool: 'forks',
    // Long enough for any machine that is merely busy: a test waits for conditions, not for times.
    testTimeout: 90_000,
    hookTimeout: 120_000,
    expect: { poll: { timeout: 30_000, interval: 50 } },
    teardownTimeout: 20_000,
    projects: [
      { extends: true, test: { name: 'alone', include: alone } },
      {
        extends: true,
        test: {
          name: 'shared',
          include: [
            'packages/*/src/**/*.test.ts',
            'packages/server/testing/**/*.test.ts',
            '{bench,tests}/**/*.test.ts',
          ],
          exclude: [...alone, SLOW],
          isolate: false,
        },
      },
    ],
  },
})
