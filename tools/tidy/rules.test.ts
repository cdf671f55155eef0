/** The rules of the tree must notice what they forbid: a law that cannot fail is none. */
import { expect, test } from 'vitest'
import { findStaleMap } from './architecture.ts'
import { findStaleIndex } from './decision-index.ts'
import { findDearImports, findLoadEffects } from './effects.ts'
import { findEndpointMismatches } from './endpoint-files.ts'
import { findBadNames, findBadSizes, findBuiltFiles, findLooseEnds } from './forms.ts'
import {
  findDeadLinks,
  findForeignPlaces,
  findResolvedPackages,
  findRootDocuments,
  findUnknownDecisions,
} from './hygiene.ts'
import {
  findCycles,
  findPackageBreaches,
  findReachBreaches,
  findRoomBreaches,
  findStoreBreaches,
  findTestImports,
} from './rooms.ts'
import { parseSource } from './source-file.ts'
import { findTableBreaches } from './tables.ts'

const SERVER = 'packages/server/src'

/** The messages of the one file's findings. */
const source = (path: string, text: string) => parseSource({ path, text })
const messages = (findings: readonly { readonly message: string }[]): string[] => findings.map((each) => each.message)

test('an import that goes up, sideways or along a forbidden arrow is found', () => {
  const found = findRoomBreaches([
    source(`${SERVER}/money/ledger/a.ts`, `import { b } from '../../edge/b.ts'`),
    source(`${SERVER}/access/keys/a.ts`, `import type { B } from '../../money/ledger/b.ts'`),
    source(`${SERVER}/edge/a.ts`, `export { b } from '../money/ledger/b.ts'`),
    source(`${SERVER}/money/billing/a.ts`, `import { b } from '../ledger/b.ts'`),
    source(`${SERVER}/edge/b.ts`, `const b = import('../../src/main.ts')`),
    source(`${SERVER}/attic/a.ts`, ''),
    source(`${SERVER}/modalities/rerank/a.ts`, `import { b } from '../chat/b.ts'`),
    source(`${SERVER}/modalities/rerank/b.ts`, `import { b } from '../../money/ledger/b.ts'`),
  ])
  expect(messages(found)).toEqual([
    'money/ledger -> edge does not point down',
    'access/keys -> money/ledger does not point down',
    'edge -> money/ledger is forbidden',
    'edge -> main.ts does not point down',
    'room attic has no level in tools/tidy/room-of.ts',
    'modalities/rerank -> modalities/chat does not point down',
    'modalities/rerank -> money/ledger is forbidden',
  ])
})

test('a program that reaches what it must not is found, over imports, types and workers', () => {
  const way = ['main.ts', 'run.ts', 'deposits/a.ts', 'deposits/sweeping/keys.ts'].map((each) => `${SERVER}/${each}`)
  const found = findReachBreaches([
    source(`${SERVER}/main.ts`, `import './run.ts'`),
    source(`${SERVER}/run.ts`, `const sweep = await import('./deposits/a.ts')`),
    source(`${SERVER}/deposits/a.ts`, `import type { Keys } from './sweeping/keys.ts'`),
    source(`${SERVER}/deposits/sweeping/keys.ts`, ''),
    source(`${SERVER}/admin.ts`, `import './catalog/a.ts'`),
    source(`${SERVER}/catalog/a.ts`, ''),
    source(`${SERVER}/sweeper.ts`, `const worker = new URL('edge/a.worker.ts', import.meta.url)`),
    source(`${SERVER}/edge/a.worker.ts`, ''),
  ])
  expect(messages(found)).toEqual([
    `reaches deposits/sweeping: ${way.join(' -> ')}`,
    `reaches edge: ${SERVER}/sweeper.ts -> ${SERVER}/edge/a.worker.ts`,
  ])
  expect(messages(findReachBreaches([source(`${SERVER}/main.ts`, ''), source(`${SERVER}/admin.ts`, '')]))).toEqual([
    'is missing; rooms.ts says what it must not reach',
  ])
})

test('the store of another room is found, but not in a composition root or a test', () => {
  const text = `import { createKeyStore } from '../../access/keys/key-store.ts'`
  const paths = [`${SERVER}/money/billing/a.ts`, `${SERVER}/access/keys/a.ts`, `${SERVER}/money/billing/a.test.ts`]
  const found = findStoreBreaches([
    ...paths.map((path) => source(path, text)),
    source(`${SERVER}/main.ts`, text.replace('../..', '.')),
  ])
  expect(found.map(({ path }) => path)).toEqual([`${SERVER}/money/billing/a.ts`])
})

test('a statement about the table of another room is found, in SQL and in built queries', () => {
  const found = findTableBreaches([
    source(`${SERVER}/access/keys/key-store.ts`, `db.selectFrom('hold as h').innerJoin('api_key', 'a', 'b')`),
    source(`${SERVER}/edge/a.ts`, 'const text = `select 1 from transfer where a = ${b}`'),
    source(`${SERVER}/edge/b.ts`, `const text = 'a hold from transfer to team'`),
  ])
  expect(messages(found)).toEqual([
    'names table hold, which belongs to money/ledger',
    'names table transfer, which belongs to money/ledger',
  ])
})

test('an import around the name of a package, or of a package that shares nothing, is found', () => {
  const found = findPackageBreaches([
    source('packages/cli/src/a.ts', `import '../../contract/src/credits.ts'; import '@svc/contract'`),
    source('packages/console/src/a.ts', `import '@svc/server'`),
    source('packages/sandbox/src/a.ts', `import '@svc/server'; import '@svc/tokens/count-tokens'`),
    source(`${SERVER}/a.ts`, `import { a } from '@svc/sandbox'`),
    source(`${SERVER}/b.ts`, `import type { a } from '@svc/sandbox'; await import('@svc/sandbox')`),
  ])
  expect(found.map(({ path }) => path)).toEqual([
    'packages/cli/src/a.ts',
    'packages/console/src/a.ts',
    'packages/sandbox/src/a.ts',
    `${SERVER}/a.ts`,
  ])
})

test('a source that imports what is made for tests is found', () => {
  expect(findTestImports([source(`${SERVER}/keys/a.ts`, `import '../../testing/seed.ts'`)])).toHaveLength(1)
})

test('a circle of imports is found, also where types alone close it', () => {
  const circle = (back: string) =>
    findCycles([source(`${SERVER}/keys/a.ts`, `import { b } from './b.ts'`), source(`${SERVER}/keys/b.ts`, back)])
  expect(circle(`import { a } from './a.ts'`)).toHaveLength(1)
  expect(circle(`import type { A } from './a.ts'`)).toHaveLength(1)
  expect(circle(`import { c } from './c.ts'`)).toEqual([])
})

test('what happens on import is found, but not what happens in a call', () => {
  const found = findLoadEffects([
    source(`${SERVER}/keys/a.ts`, `await start(); setInterval(work, 1); const port = process.env['PORT']`),
    source(`${SERVER}/keys/b.ts`, `export async function start() { await work(); setTimeout(work, 1) }`),
    source(`${SERVER}/main.ts`, `await start(process.env)`),
  ])
  expect(messages(found)).toEqual([
    'waits at the top level',
    'calls setInterval at the top level',
    'reads process.env, which only the configuration may',
  ])
})

test('imports that load more than they are for are found', () => {
  const found = findDearImports([
    source(`${SERVER}/edge/a.ts`, `import { createServer, type Server } from 'node:http'`),
    source(`${SERVER}/edge/b.ts`, `import type { Server } from 'node:http'`),
    source(`${SERVER}/edge/c.test.ts`, `import { request } from 'node:http'`),
  ])
  expect(found.map(({ path }) => path)).toEqual([`${SERVER}/edge/a.ts`])
})

test('names that say nothing, and names in another case, are found', () => {
  const paths = [
    `${SERVER}/keys/utils.ts`,
    `${SERVER}/common/a.ts`,
    `${SERVER}/keys/rawKey.ts`,
    `${SERVER}/keys/raw-key.test.ts`,
  ]
  expect(findBadNames(paths.map((path) => ({ path, text: '' })))).toHaveLength(3)
})

test('files over the limit are found', () => {
  const found = findBadSizes([
    { path: 'a.ts', text: 'x\n'.repeat(401) },
    { path: 'a.test.ts', text: 'x\n'.repeat(600) },
  ])
  expect(messages(found)).toEqual(['401 lines; at most 400'])
})

test('built files and open ends are found', () => {
  expect(findBuiltFiles([{ path: `${SERVER}/main.js`, text: '' }])).toHaveLength(1)
  const open = ['TO', 'DO'].join('')
  expect(findLooseEnds([{ path: 'a.ts', text: `// ${open}: later\n// ${open} (#12): later` }])).toHaveLength(1)
})

test('an endpoint without a file and a file without an endpoint are found', () => {
  const files = ['usage/routes/v1-usage-request-id.ts', 'edge/routes/v1-old.ts'].map((path) => ({
    path: `${SERVER}/${path}`,
    text: '',
  }))
  const found = findEndpointMismatches(files, [{ path: '/v1/usage/{request_id}' }, { path: '/v1/balance' }])
  expect(found.map(({ path }) => path)).toEqual(['routes/v1-balance.ts', `${SERVER}/edge/routes/v1-old.ts`])
})

test('paths of a machine and registries are found', () => {
  const text = [`see /${'home'}/somebody/x`, `from registry.${'npmjs'}.org`, 'GET /home'].join('\n')
  expect(findForeignPlaces([{ path: 'a.md', text }])).toHaveLength(2)
})

test('an address in a lock file is found, a link to a workspace is none', () => {
  const packages = { a: { resolved: 'packages/a', link: true }, b: { resolved: 'b.tgz' } }
  expect(findResolvedPackages([{ path: 'package-lock.json', text: JSON.stringify({ packages }) }])).toHaveLength(1)
})

test('documents that the root lacks or should not have are found', () => {
  const found = findRootDocuments(['README.md', 'NOTES.md', 'LICENSE'].map((path) => ({ path, text: '' })))
  expect(found.map(({ path }) => path)).toEqual([
    'ARCHITECTURE.md',
    'CHANGELOG.md',
    'CONTRIBUTING.md',
    'SECURITY.md',
    'NOTES.md',
  ])
})

test('links to files and headings that do not exist are found', () => {
  const text = '# A B\n[a](#a-b) [b](#c) [c](docs/x.md) [d](a.md#a-b) `[e](f.md)` [g](https://example.org)'
  expect(messages(findDeadLinks([{ path: 'a.md', text }], (path) => path === 'a.md'))).toEqual([
    'links to #c, which does not exist',
    'links to docs/x.md, which does not exist',
  ])
})

test('decisions that are not written down are found, in whatever form they are named', () => {
  const word = 'decision'
  const named = `${word} 0001. ${word}s 0001 (one) and 0003 (three). ${word} 2. ${word}s 5.7`
  const files = [{ path: 'docs/decisions/0001-one.md', text: '' }].concat({ path: 'a.ts', text: named })
  expect(messages(findUnknownDecisions(files))).toEqual(
    ['0003', '2', '5.7'].map((number) => `names ${word} ${number}, which is not in docs/decisions`),
  )
})

test('a map that lacks a room, invents one or names a file that is gone is found', () => {
  const text = '| 3 | `pipeline` | x |\n| 1 | `attic` | x |\nsee `pipeline/gone.ts`'
  const found = messages(findStaleMap([{ path: 'ARCHITECTURE.md', text }]))
  expect(found).toContain('lacks the row of room pipeline, level 4')
  expect(found).toContain('has a row for attic, which is no room')
  expect(found).toContain('names pipeline/gone.ts, which does not exist')
})

test('a decision without a title or a status, and a stale index are found', () => {
  const decision = { path: 'docs/decisions/0001-a.md', text: '# A\n' }
  const index = { path: 'docs/decisions/README.md', text: '' }
  expect(findStaleIndex([decision, index]).map(({ path }) => path)).toEqual([decision.path, index.path])
})
