/** The rows of the console as operations: they are in no document, so they come from the contract itself. */
import { type ConsoleEndpoint, consoleEndpointList } from '@svc/contract'
import { z } from 'zod'
import { checkWith, createAjv, type FuzzTarget, type Operation, type Parameter } from './fuzz-target.ts'
import type { JsonSchema } from './schema-values.ts'

/** Rows that take something from the person who calls, for good: nothing comes behind them. */
const LAST = ['leaveTeam', 'removeMember', 'setMemberRole', 'changeAccountState', 'removeOperator', 'setPassword']

function schemaOf(
  schema: z.ZodType,
  io: 'input' | 'output',
): JsonSchema & { readonly $defs?: Record<string, JsonSchema> } {
  return z.toJSONSchema(schema, { io, unrepresentable: 'any' }) as JsonSchema
}

function parametersOf({ request }: ConsoleEndpoint): readonly Parameter[] {
  const { properties = {}, required = [] } = request.query === undefined ? {} : schemaOf(request.query, 'input')
  const needed = new Set(required)
  return Object.entries(properties).map(([name, schema]) => ({ name, in: 'query', required: needed.has(name), schema }))
}

/** A file may be JSON, of which the contract says no more. */
function checkFile(types: readonly string[]): Operation['checkReply'] {
  return () => (types.includes('application/json') ? null : 'is no JSON by the contract')
}

/** The rows; those that end a person's rights come last. */
export function readConsoleTarget(): FuzzTarget {
  const ajv = createAjv()
  const definitions = new Map<string, JsonSchema>()
  const operations = consoleEndpointList.map((row): Operation => {
    const body = row.request.body === undefined ? null : schemaOf(row.request.body, 'input')
    for (const [name, schema] of Object.entries(body?.$defs ?? {})) definitions.set(`#/$defs/${name}`, schema)
    const { json, bytes } = row.reply as ConsoleEndpoint['reply']
    return {
      ...{ id: row.id, method: row.method, path: row.path, parameters: parametersOf(row), body },
      ...{
        form: null,
        example: undefined,
        caller: 'session',
        asksUpstream: false,
        sendsFiles: false,
        canStream: false,
      },
      isPublic: row.permission === 'public',
      checkReply: json === undefined ? checkFile(bytes?.types ?? []) : checkWith(ajv.compile(schemaOf(json, 'output'))),
      checkEvent: () => 'is no event by the contract',
      answersType: (type) => bytes?.types.includes(type) === true,
      documents: () => true,
    }
  })
  const placeOf = ({ id }: Operation): number => LAST.indexOf(id)
  return {
    operations: operations.toSorted((left, right) => placeOf(left) - placeOf(right)),
    resolve: (reference) => definitions.get(reference) ?? {},
  }
}
