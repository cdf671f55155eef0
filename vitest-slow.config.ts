import { defineConfig } from 'vitest/config'
import shared, { SETUP, SLOW } from './vitest.config.ts'

/** Streams that are cut: here behind each byte, and in `npm test` behind some. */
const CUTS = 'tests/*-cuts.test.ts'

/** The tests that are slow by nature, one file at a time: they start many processes each. */
export default defineConfig({
  test: {
    ...shared.test,
    // On the disk: some of them measure, and some write more than memory has room for.
    globalSetup: SETUP,
    projects: [
      { extends: true, test: { name: 'slow', include: [SLOW] } },
      { extends: true, test: { name: 'every cut', include: [CUTS], env: { SVC_EVERY_CUT: 'yes' } } },
    ],
    maxWorkers: 1,
    // Each starts many processes, and some wait for leases that run out.
    testTimeout: 600_000,
    hookTimeout: 600_000,
  },
})
