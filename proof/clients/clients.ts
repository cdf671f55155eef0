/**
 * `npm run clients`: unmodified clients from their registries, against a gateway. Exit code 1 where a feature of one
 * does not work; a client that cannot be installed is named.
 */
import { readFileSync, writeFileSync } from 'node:fs'
import { homedir } from 'node:os'
import path from 'node:path'
import { readOptions } from '../../packages/server/src/app/read-options.ts'
import { someText } from '../../packages/server/src/platform/runtime/program-options.ts'
import { agents } from './agent-list.ts'
import { libraries } from './library-list.ts'
import { renderMatrix, replaceMatrix, titleOf } from './render-matrix.ts'
import { runClients } from './run-clients.ts'

const options = readOptions({
  name: 'npm run clients --',
  does: 'Installs clients at pinned versions, runs each against a gateway, and says which features work.',
  options: {
    only: someText('names', { help: 'some clients, with commas between' }),
    document: someText('path', {
      help: 'write the matrix between the marks of this document, such as docs/clients.md',
    }),
    folder: someText('path', { help: 'where the packages are kept (default: .cache/svc-clients in the home folder)' }),
  },
})
const all = [...libraries, ...agents]
const only = options.only?.split(',') ?? all.map(({ name }) => name)
const unknown = only.find((name) => !all.some((client) => client.name === name))
if (unknown !== undefined) {
  console.error(`There is no client ${unknown}. There are ${all.map(({ name }) => name).join(', ')}.`)
  process.exit(2)
}
const { document } = options
// Found out now and not after the run.
if (document !== null) replaceMatrix(readFileSync(document, 'utf8'), '')
const results = await runClients({
  clients: all.filter(({ name }) => only.includes(name)),
  folder: path.resolve(options.folder ?? path.join(homedir(), '.cache/svc-clients')),
  onResult({ client, missing, results: done }) {
    const failed = done.filter(({ passed }) => !passed)
    const passed = done.filter((result) => result.passed).map(({ feature }) => feature)
    console.log(`${titleOf(client)}: ${missing ?? (passed.join(', ') || 'nothing works')}`)
    for (const { feature, why } of failed) console.log(`  FAULT  ${feature}: ${why}`)
  },
})
const matrix = renderMatrix(results, new Date().toISOString().slice(0, 10))
if (document === null) console.log(`\n${matrix}`)
else writeFileSync(document, replaceMatrix(readFileSync(document, 'utf8'), matrix))
process.exit(results.some((result) => result.results.some(({ passed }) => !passed)) ? 1 : 0)
