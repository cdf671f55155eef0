/** Values made from a JSON schema: mostly right, often at an edge. */
import fc from 'fast-check'
import { rarely, weighted } from './draw.ts'
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

const DEPTH_MAX = 8
const LENGTH_MAX = 400
const ITEMS_MAX = 150
/** Means a member that is left out. */
const ABSENT = Symbol('absent')

/** Texts of the forms that a schema cannot describe, such as an amount. */
const samples = [
  ...['1', '8', '10', '12.5', '0.000000001', '2026-01', new Date().toISOString().slice(0, 7), '2026-01-15', 'svc-opus'],
  ...['ada@example.com', '1280x720', '16:9', '0195c1a0-0000-7000-8000-000000000000', `0x${'a1'.repeat(20)}`],
  ...[`0x${'b2'.repeat(32)}`, 'https://a.example/x', 'data:image/png;base64,iVBORw0KGgo='],
]

const formats: Readonly<Record<string, fc.Arbitrary<string>>> = {
  email: fc.oneof(fc.constant('ada@example.com'), fc.emailAddress()),
  uuid: fc.uuid(),
  uri: fc.webUrl(),
  'date-time': fc.date({ noInvalidDate: true }).map((date) => date.toISOString()),
}

/** Numbers within two bounds, and just outside. */
function around(least: number, most: number): fc.Arbitrary<number> {
  const inside = fc.integer({ min: least, max: Math.max(least, most) })
  return weighted([3, inside], [1, fc.constantFrom(least - 1, most + 1)])
}

function numberFor({ type, minimum = 0, maximum = 100 }: JsonSchema): fc.Arbitrary<number> {
  const whole = around(Math.ceil(minimum), Math.floor(maximum))
  return type === 'integer'
    ? whole
    : fc.oneof(
        whole,
        whole.map((value) => value + 0.5),
      )
}

function textMatching(pattern: string): fc.Arbitrary<string> {
  const fitting = samples.filter((sample) => new RegExp(pattern).test(sample))
  try {
    const made = fc.stringMatching(new RegExp(pattern))
    return fitting.length === 0 ? made : fc.oneof(fc.constantFrom(...fitting), made)
  } catch {
    // Of a form that it cannot make texts of, such as one that looks ahead.
    return fc.constantFrom(...(fitting.length === 0 ? samples : fitting))
  }
}

function stringFor({ format = '', pattern, minLength = 0, maxLength = 12 }: JsonSchema): fc.Arbitrary<string> {
  const most = Math.max(minLength, Math.min(maxLength, LENGTH_MAX))
  const plain = fc.oneof(
    fc.string({ unit: 'grapheme', minLength, maxLength: most }),
    fc
      .tuple(fc.constantFrom('a', 'b ', 'é', '字'), around(minLength, most))
      .map(([text, length]) => text.repeat(Math.max(0, length)).slice(0, Math.max(0, length))),
  )
  const right = formats[format] ?? (pattern === undefined ? null : textMatching(pattern))
  if (right !== null) return weighted([4, right], [1, plain])
  return weighted([3, plain], [1, fc.constantFrom(...samples)])
}

/** A record of which most required members are there, and some of the others. */
function objectFor(schema: JsonSchema, resolve: ResolveSchema, depth: number): fc.Arbitrary<unknown> {
  const required = new Set(schema.required)
  const members = Object.entries(schema.properties ?? {}).map(([name, each]) => {
    const value = valueFor(each, resolve, depth + 1)
    const [there, gone] = required.has(name) ? [24, 1] : [1, 3]
    const member = weighted([gone, fc.constant<unknown>(ABSENT)], [there, value])
    return member.map((made) => [name, made] as const)
  })
  return fc.tuple(...members).map((entries) => Object.fromEntries(entries.filter(([, value]) => value !== ABSENT)))
}

/** A right value of one type, or one just beside it. */
function typedFor(schema: JsonSchema, resolve: ResolveSchema, depth: number): fc.Arbitrary<unknown> {
  switch (schema.type) {
    case 'string':
      return stringFor(schema)
    case 'integer':
    case 'number':
      return numberFor(schema)
    case 'boolean':
      return fc.boolean()
    case 'null':
      return fc.constant(null)
    case 'array': {
      const { minItems = 0, maxItems = 3, items = {} } = schema
      const lengths = fc.constantFrom(minItems, 1, 1, 2, Math.min(maxItems + 1, ITEMS_MAX))
      const each = valueFor(items, resolve, depth + 1)
      return lengths.chain((length) => fc.array(each, { minLength: 0, maxLength: length, size: 'max' }))
    }
    case 'object':
      return objectFor(schema, resolve, depth)
    default:
      return strangeValue
  }
}

/** Values of a schema, and now and then of none. */
export function valueFor(schema: JsonSchema, resolve: ResolveSchema, depth = 0): fc.Arbitrary<unknown> {
  if (depth > DEPTH_MAX) return strangeValue
  return rarely(40, strangeValue, null).chain((strange) =>
    strange === null ? rightFor(schema, resolve, depth) : fc.constant(strange),
  )
}

function rightFor(schema: JsonSchema, resolve: ResolveSchema, depth: number): fc.Arbitrary<unknown> {
  const { $ref, type } = schema
  if ($ref !== undefined) return valueFor(resolve($ref), resolve, depth + 1)
  if (schema.const !== undefined) return fc.constant(schema.const)
  if (schema.enum !== undefined) return fc.constantFrom(...schema.enum)
  const choices = schema.anyOf ?? schema.oneOf ?? schema.allOf
  if (choices !== undefined) return fc.oneof(...choices.map((each) => valueFor(each, resolve, depth + 1)))
  if (type === undefined || typeof type === 'string') return typedFor(schema, resolve, depth)
  return fc.oneof(...type.map((each) => typedFor({ ...schema, type: each }, resolve, depth)))
}
