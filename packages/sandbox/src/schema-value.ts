import { isSchema, type JsonSchema, mergeSchemas, schemaOf, textsOf } from './merge-schemas.ts'
import { integerForSchema, numberForSchema } from './number-value.ts'
import type { SeededRandom } from './seeded-random.ts'
import { stringForSchema } from './string-value.ts'

/** Below this depth only what a schema demands is made. */
const RICH_DEPTH = 5
/** Below this depth nothing is made: a schema that demands itself has no value. */
const DEPTH_MAX = 24
/** Values in one answer; after them only what is demanded, and at twice as many nothing. */
const VALUES_MAX = 1_000
/** References and combinations that are followed for one value. */
const HOPS_MAX = 64
const ITEMS_MAX = 256
/** Characters of text in one answer; after them texts are as short as they can be, whatever length is demanded. */
const CHARACTERS_MAX = 65_536

interface Making {
  readonly root: JsonSchema
  readonly random: SeededRandom
  made: number
  characters: number
}

interface Place {
  readonly depth: number
  /** What the value is called, for values that read well. */
  readonly name: string
}

/**
 * Makes a value that fits a JSON schema, the same for the same random numbers.
 *
 * Understands types, enum, const, properties, required, items, prefixItems, contains, bounds, lengths, formats,
 * patterns, local `$ref`, allOf, anyOf and oneOf; ignores not, if, and what it does not know. Depth and size are
 * bounded whatever the schema asks.
 */
export function valueForSchema(schema: unknown, random: SeededRandom): unknown {
  return make({ root: schemaOf(schema), random, made: 0, characters: 0 }, schema, { depth: 0, name: '' })
}

function make(making: Making, given: unknown, place: Place): unknown {
  making.made++
  if (place.depth > DEPTH_MAX || isExhausted(making)) return null
  const schema = flatten({ making, isSparse: isSparse(making, place), hopsLeft: HOPS_MAX }, given)
  if (Object.hasOwn(schema, 'const')) return schema['const']
  const options = schema['enum']
  if (Array.isArray(options) && options.length > 0) {
    const fitting = options.filter((option) => hasType(schema, option))
    return making.random.pick(fitting.length > 0 ? fitting : options)
  }
  switch (typeOf(making, schema, place)) {
    case 'object':
      return makeObject(making, schema, place)
    case 'array':
      return makeArray(making, schema, place)
    case 'integer':
      return integerForSchema(schema, making.random)
    case 'number':
      return numberForSchema(schema, making.random)
    case 'boolean':
      return making.random.fraction() < 0.5
    case 'null':
      return null
    default:
      return makeString(making, schema, place)
  }
}

function makeString(making: Making, schema: JsonSchema, place: Place): string {
  const { minLength: _demanded, ...free } = schema
  const isFull = making.characters > CHARACTERS_MAX
  const text = stringForSchema(isFull ? { ...free, maxLength: 8 } : schema, place.name, making.random)
  making.characters += text.length
  return text
}

function isExhausted(making: Making): boolean {
  return making.made > VALUES_MAX * 2
}

function isSparse(making: Making, place: Place): boolean {
  return place.depth >= RICH_DEPTH || making.made > VALUES_MAX
}

interface Flattening {
  readonly making: Making
  readonly isSparse: boolean
  /** Shared by all branches, because references that meet again double with each step. */
  hopsLeft: number
}

/** Follows references and combinations until one plain schema is left. */
function flatten(flattening: Flattening, given: unknown): JsonSchema {
  if (!isSchema(given) || flattening.hopsLeft-- <= 0) return {}
  const { $ref, allOf, anyOf, oneOf, ...plain } = given
  let schema: JsonSchema = plain
  const add = (part: unknown): void => {
    schema = mergeSchemas(schema, flatten(flattening, part))
  }
  if (typeof $ref === 'string') add(findReference(flattening.making.root, $ref))
  if (Array.isArray(allOf)) for (const part of allOf) add(part)
  for (const choices of [anyOf, oneOf]) {
    if (Array.isArray(choices) && choices.length > 0) add(choose(flattening, choices))
  }
  return schema
}

function choose({ making, isSparse }: Flattening, choices: readonly unknown[]): unknown {
  if (!isSparse) return making.random.pick(choices)
  return [...choices].sort((left, right) => weightOf(left) - weightOf(right))[0]
}

/** How much a value of this schema may lead to; deep down the lightest alternative ends the recursion. */
function weightOf(given: unknown): number {
  const schema = schemaOf(given)
  if (Object.hasOwn(schema, 'const') || Object.hasOwn(schema, 'enum')) return 0
  if (schema['type'] === 'array') return Number(schema['minItems'] ?? 0) > 0 ? 3 : 1
  if (schema['type'] === 'object') return textsOf(schema['required']).length > 0 ? 3 : 1
  return typeof schema['type'] === 'string' ? 0 : 4
}

function findReference(root: JsonSchema, reference: string): unknown {
  if (reference === '#') return root
  if (!reference.startsWith('#/')) return {}
  let found: unknown = root
  for (const part of reference.slice(2).split('/')) {
    const name = unescapePointer(part)
    if (typeof found !== 'object' || found === null || !Object.hasOwn(found, name)) return {}
    found = Reflect.get(found, name)
  }
  return found
}

/** Source: RFC 6901 sections 4 and 6. */
function unescapePointer(part: string): string {
  let text = part
  try {
    text = decodeURIComponent(part)
  } catch {
    // A stray percent sign: the part is taken as it is.
  }
  return text.replaceAll('~1', '/').replaceAll('~0', '~')
}

function typesOf(schema: JsonSchema): string[] {
  const type = schema['type']
  return typeof type === 'string' ? [type] : textsOf(type)
}

function hasType(schema: JsonSchema, value: unknown): boolean {
  const types = typesOf(schema)
  if (types.length === 0) return true
  if (value === null) return types.includes('null')
  if (Array.isArray(value)) return types.includes('array')
  if (typeof value === 'number')
    return types.includes('number') || (types.includes('integer') && Number.isInteger(value))
  return types.includes(typeof value)
}

function typeOf(making: Making, schema: JsonSchema, place: Place): string {
  const types = typesOf(schema)
  if (types.length > 0) {
    const solid = types.filter((type) => type !== 'null')
    if (solid.length === 0) return 'null'
    const mayBeNull = solid.length < types.length
    if (mayBeNull && (isSparse(making, place) || making.random.fraction() < 0.2)) return 'null'
    return making.random.pick(solid)
  }
  const has = (...keys: string[]): boolean => keys.some((key) => Object.hasOwn(schema, key))
  if (has('properties', 'required', 'additionalProperties', 'minProperties')) return 'object'
  if (has('items', 'prefixItems', 'minItems', 'contains')) return 'array'
  if (has('minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum', 'multipleOf')) return 'number'
  return place.depth === 0 ? 'object' : 'string'
}

function makeObject(making: Making, schema: JsonSchema, place: Place): unknown {
  const properties = new Map(Object.entries(schemaOf(schema['properties'])))
  const chosen = chooseProperties(making, schema, place, [...properties.keys()])
  const entries = chosen.map((name): [string, unknown] => {
    const own = properties.has(name) ? properties.get(name) : schema['additionalProperties']
    return [name, make(making, own, { depth: place.depth + 1, name })]
  })
  return Object.fromEntries(entries)
}

/**
 * Names to fill, in the schema's order: all that are demanded, and of the others most, as long as the answer is small.
 */
function chooseProperties(making: Making, schema: JsonSchema, place: Place, known: readonly string[]): string[] {
  const demanded = new Set(textsOf(schema['required']))
  const minimum = Math.min(Number(schema['minProperties'] ?? 0), ITEMS_MAX)
  const maximum = Number(schema['maxProperties'] ?? Number.POSITIVE_INFINITY)
  for (const name of known) {
    const isWanted = demanded.size < minimum || (!isSparse(making, place) && making.random.fraction() < 0.75)
    if (!demanded.has(name) && demanded.size < maximum && isWanted) demanded.add(name)
  }
  const dependent = schemaOf(schema['dependentRequired'])
  for (const name of demanded) for (const other of textsOf(dependent[name])) demanded.add(other)
  const mayAdd = schema['additionalProperties'] !== false
  for (let extra = 1; mayAdd && demanded.size < minimum && extra <= ITEMS_MAX; extra++) demanded.add(`extra_${extra}`)
  const isKnown = new Set(known)
  return [...known.filter((name) => demanded.has(name)), ...[...demanded].filter((name) => !isKnown.has(name))]
}

function makeArray(making: Making, schema: JsonSchema, place: Place): unknown[] {
  const tuple = listOf(schema['prefixItems']) ?? listOf(schema['items']) ?? []
  const rest = Array.isArray(schema['items']) ? schema['additionalItems'] : schema['items']
  const minimum = Math.min(Math.max(0, Number(schema['minItems'] ?? 0)), ITEMS_MAX)
  const maximum = Math.max(minimum, Math.min(Number(schema['maxItems'] ?? ITEMS_MAX), ITEMS_MAX))
  const liked = isSparse(making, place) ? minimum : Math.max(minimum, tuple.length, making.random.integer(1, 3))
  const wanted = Math.min(maximum, rest === false ? Math.min(liked, tuple.length) : liked)
  const isUnique = schema['uniqueItems'] === true
  const seen = new Set<string>()
  const items: unknown[] = []
  const below = { depth: place.depth + 1, name: singular(place.name) }
  for (let attempt = 0; items.length < wanted && attempt < wanted * 8 && !isExhausted(making); attempt++) {
    const needed = items.length === 0 && isSchema(schema['contains']) ? [schema['contains']] : []
    const item = make(making, { allOf: [tuple[items.length] ?? rest ?? {}, ...needed] }, below)
    const text = JSON.stringify(item)
    if (isUnique && seen.has(text)) continue
    seen.add(text)
    items.push(item)
  }
  return items
}

function listOf(value: unknown): readonly unknown[] | null {
  return Array.isArray(value) ? value : null
}

function singular(name: string): string {
  return name.endsWith('ies') ? `${name.slice(0, -3)}y` : name.replace(/s$/, '')
}
