/** Values made from a JSON schema: mostly right, often at an edge. */
import type { Random } from '../../packages/server/testing/random.ts'
import { strangeValue } from './strange-values.ts'

/** The parts of a JSON schema that the document uses. */
export interface JsonSchema {
  readonly $ref?: string
  readonly type?: string | readonly string[]
  readonly enum?: readonly unknown[]
  readonly const?: unknown
  readonly anyOf?: readonly JsonSchema[]
  readonly oneOf?: readonly JsonSchema[]
  readonly allOf?: readonly JsonSchema[]
  readonly properties?: Readonly<Record<string, JsonSchema>>
  readonly required?: readonly string[]
  readonly items?: JsonSchema
  readonly minimum?: number
  readonly maximum?: number
  readonly minLength?: number
  readonly maxLength?: number
  readonly minItems?: number
  readonly maxItems?: number
  readonly format?: string
  readonly pattern?: string
}

/** Looks a `$ref` up. */
export type ResolveSchema = (reference: string) => JsonSchema

interface Context {
  readonly random: Random
  readonly resolve: ResolveSchema
}

const DEPTH_MAX = 8
const LENGTH_MAX = 400

function aroundEdges(random: Random, least: number, most: number): number {
  return random.pick([least - 1, least, least, least + 1, most, most, most + 1, least + random.below(10)])
}

function numberFor(schema: JsonSchema, random: Random): unknown {
  const value = aroundEdges(random, schema.minimum ?? 0, schema.maximum ?? 100)
  return schema.type === 'integer' || random.below(2) === 0 ? value : value + 0.5
}

/** Texts that fit the usual formats and patterns. */
const samples = [
  ...[
    '1',
    '8',
    '10',
    '12.5',
    '0.000000001',
    '2026-01',
    new Date().toISOString().slice(0, 7),
    '2026-01-15',
    'svc-opus',
    'ada@example.com',
    '1280x720',
    '16:9',
  ],
  ...['0195c1a0-0000-7000-8000-000000000000', `0x${'a1'.repeat(20)}`, `0x${'b2'.repeat(32)}`, 'https://a.example/x'],
  'data:image/png;base64,iVBORw0KGgo=',
] as const

const formats: Readonly<Record<string, string>> = {
  email: 'ada@example.com',
  uuid: '0195c1a0-0000-7000-8000-000000000000',
  uri: 'https://a.example/x',
  'date-time': '2026-01-15T00:00:00Z',
}

function stringFor(schema: JsonSchema, random: Random): string {
  const { format = '', pattern } = schema
  if (random.below(4) > 0 && formats[format] !== undefined) return formats[format]
  if (random.below(4) > 0 && pattern !== undefined) {
    const fitting = samples.filter((sample) => new RegExp(pattern).test(sample))
    if (fitting.length > 0) return random.pick(fitting)
  }
  // Some texts have a form that the schema cannot tell, such as an amount.
  if (pattern === undefined && random.below(4) === 0) return random.pick(samples)
  const length = Math.max(0, aroundEdges(random, schema.minLength ?? 0, Math.min(schema.maxLength ?? 12, LENGTH_MAX)))
  return random.pick(['a', 'b ', 'é', '字']).repeat(length).slice(0, length)
}

function objectFor(schema: JsonSchema, context: Context, depth: number): Record<string, unknown> {
  const { random } = context
  const required = new Set(schema.required)
  const entries = Object.entries(schema.properties ?? {}).filter(([name]) =>
    required.has(name) ? random.below(25) > 0 : random.below(4) === 0,
  )
  return Object.fromEntries(entries.map(([name, each]) => [name, valueFor(each, context, depth + 1)]))
}

function arrayFor(schema: JsonSchema, context: Context, depth: number): unknown[] {
  const length = context.random.pick([schema.minItems ?? 0, 1, 1, 2, Math.min((schema.maxItems ?? 3) + 1, 150)])
  return Array.from({ length }, () => valueFor(schema.items ?? {}, context, depth + 1))
}

/** Makes one value. */
export function valueFor(schema: JsonSchema, context: Context, depth = 0): unknown {
  const { random, resolve } = context
  if (depth > DEPTH_MAX || random.below(40) === 0) return strangeValue(random)
  if (schema.$ref !== undefined) return valueFor(resolve(schema.$ref), context, depth + 1)
  if (schema.const !== undefined) return schema.const
  if (schema.enum !== undefined) return random.pick(schema.enum, '')
  const choices = schema.anyOf ?? schema.oneOf ?? schema.allOf
  if (choices !== undefined) return valueFor(random.pick(choices, {}), context, depth + 1)
  const type = typeof schema.type === 'string' ? schema.type : random.pick(schema.type ?? [], 'any')
  switch (type) {
    case 'string':
      return stringFor(schema, random)
    case 'integer':
    case 'number':
      return numberFor(schema, random)
    case 'boolean':
      return random.below(2) === 0
    case 'null':
      return null
    case 'array':
      return arrayFor(schema, context, depth)
    case 'object':
      return objectFor(schema, context, depth)
    default:
      return strangeValue(random)
  }
}
