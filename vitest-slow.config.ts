import { defineConfig } from 'vitest/config'
import shared, { SLOW } from './vitest.config.ts'

/** The tests that are slow by nature, one file at a time: they start many processes each. */
export default defineConfig({
  test: {
    ...shared.test,
    projects: [{ extends: true, test: { name: 'slow', include: [SLOW] } }],
    include: [SLOW],
    maxWorkers: 1,
  },
})
