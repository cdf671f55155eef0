import { defineConfig } from 'vitest/config'

/** The tests of the tools themselves and of the tree: they need no database and no server. */
export default defineConfig({ test: { include: ['tools/**/*.test.ts'], root: '.', testTimeout: 60_000 } })
