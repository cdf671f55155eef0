import { defineConfig } from 'vitest/config'

/** Every test of the repository but the tree's own. PostgreSQL is started once, for those that ask for it. */
export default defineConfig({
  test: {
    include: ['packages/*/src/**/*.test.ts', 'packages/server/testing/**/*.test.ts', '{bench,tests}/**/*.test.ts'],
    globalSetup: ['packages/server/testing/global-setup.ts'],
    // Real databases and processes share the machine's cores: two files at a time keep waiting times honest.
    maxWorkers: 2,
    pool: 'forks',
    // Long enough for any machine that is merely busy: a test waits for conditions, not for times.
    testTimeout: 90_000,
    hookTimeout: 120_000,
    expect: { poll: { timeout: 30_000, interval: 20 } },
    teardownTimeout: 20_000,
  },
})
