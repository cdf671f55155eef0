import path from 'node:path'
import * as contract from '@svc/contract'
import { consoleEndpoints, endpoints, type CallableEndpoint } from '@svc/contract'
import type { Plugin } from 'vite'

/** What the typed client reads of a row, and nothing else: no schema, no words for the document. */
function rowForClient({ id, method, path: address, reply, isIdempotent, isRepeatable }: CallableEndpoint): object {
  return {
    id,
    method,
    path: address,
    request: {},
    isIdempotent,
    isRepeatable,
    reply: { ...(reply.event === undefined ? {} : { event: {} }), ...(reply.bytes === undefined ? {} : { bytes: {} }) },
  }
}

/** The module that exports a table and the list of its rows, as plain data. */
function tableModule(name: string, table: Readonly<Record<string, CallableEndpoint>>): string {
  const rows = Object.entries(table).map(([id, row]) => [id, rowForClient(row)])
  return [
    `export const ${name} = ${JSON.stringify(Object.fromEntries(rows))}`,
    `export const ${name.replace(/s$/, 'List')} = Object.values(${name})`,
  ].join('\n')
}

const CONTRACT = path.join(import.meta.dirname, '..', 'contract', 'src')

const tables = new Map([
  [path.join(CONTRACT, 'endpoints.ts'), tableModule('endpoints', endpoints)],
  [path.join(CONTRACT, 'console-endpoints.ts'), tableModule('consoleEndpoints', consoleEndpoints)],
])

/** Replaces every schema and everything that is done with one. */
const NO_SCHEMA = `const schema = new Proxy(function () {}, {
  get: () => schema, apply: () => schema, ownKeys: () => ['prototype'],
})
export { schema as z }`

/** Modules that read what a person brings, such as a receipt, and so need their schemas. Pages load them when needed. */
const READERS = [path.join(CONTRACT, 'log') + path.sep, path.join(CONTRACT, 'recompute-charge.ts')]

/** What schemas are made with besides `z`: functions of the contract, and schemas that others are made from. */
const MAKERS = ['wholeNumber', 'boundedNumber', 'recordId', 'creditsNumber', 'usdNumber']

/** Calls of these do nothing but make a schema, so that what is made by them and not read is left out. */
export const schemaMakers: readonly string[] = [
  'z',
  ...MAKERS,
  ...Object.entries(contract).flatMap(([name, value]) =>
    typeof value === 'object' && value !== null && '_zod' in value ? [name] : [],
  ),
]

const STUB = '\0svc-no-schemas'

/**
 * Takes the schemas out of what the browser loads. The pages send what the contract's types allow and believe their own
 * gateway's answers, so they never parse by a schema; the rows of the tables come as plain data, made when this is
 * built. What is left of a schema, beside a constant that a page needs, is one object in place of all of them. The readers of
 * receipts alone keep theirs.
 */
export function withoutSchemas(): Plugin {
  return {
    name: 'svc-without-schemas',
    enforce: 'pre',
    resolveId: (id, importer = '') =>
      id === 'zod' && !READERS.some((reader) => importer.startsWith(reader)) ? STUB : null,
    load: (id) => (id === STUB ? NO_SCHEMA : (tables.get(id.split('?')[0] ?? '') ?? null)),
  }
}
