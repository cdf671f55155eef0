// Writes the file that is published.
import { chmodSync, rmSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { bundle } from './bundle.mjs'

const folder = fileURLToPath(new URL('.', import.meta.url))
rmSync(`${folder}dist`, { recursive: true, force: true })
await bundle("#!/usr/bin/env node\nimport './src/bin.ts'", `${folder}dist/svc.cjs`)
chmodSync(`${folder}dist/svc.cjs`, 0o755)
