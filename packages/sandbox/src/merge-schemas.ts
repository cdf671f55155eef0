/** A JSON schema as it came from a client: nothing about it is certain. */
export type JsonSchema = Readonly<Record<string, unknown>>

/** Takes anything for a schema; `true` and what is no object say nothing about a value. */
export function schemaOf(value: unknown): JsonSchema {
  return isSchema(value) ? value : {}
}

/** Whether a value is a schema in object form. */
export function isSchema(value: unknown): value is JsonSchema {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** The texts in a list; anything else is left out. */
export function textsOf(value: unknown): string[] {
  return Array.isArray(value) ? value.filter((entry) => typeof entry === 'string') : []
}

/** Joins two schemas into one that asks for what both ask; where they contradict, the second wins. */
export function mergeSchemas(first: JsonSchema, second: JsonSchema): JsonSchema {
  const merged: Record<string, unknown> = { ...first }
  for (const [key, value] of Object.entries(second)) {
    merged[key] = Object.hasOwn(first, key) ? mergeKeyword(key, first[key], value) : value
  }
  return merged
}

function mergeKeyword(key: string, first: unknown, second: unknown): unknown {
  switch (key) {
    case 'properties':
      return mergeProperties(schemaOf(first), schemaOf(second))
    case 'required':
      return [...new Set([...textsOf(first), ...textsOf(second)])]
    case 'enum':
      return mergeEnums(first, second)
    case 'type':
      return mergeTypes(first, second)
    case 'items':
    case 'additionalProperties':
      return first === false ? false : isSchema(first) && isSchema(second) ? { allOf: [first, second] } : second
    case 'minimum':
    case 'exclusiveMinimum':
    case 'minLength':
    case 'minItems':
    case 'minProperties':
      return Math.max(Number(first), Number(second))
    case 'maximum':
    case 'exclusiveMaximum':
    case 'maxLength':
    case 'maxItems':
    case 'maxProperties':
      return Math.min(Number(first), Number(second))
    default:
      return second
  }
}

function mergeProperties(first: JsonSchema, second: JsonSchema): JsonSchema {
  const merged = new Map(Object.entries(first))
  for (const [name, schema] of Object.entries(second)) {
    merged.set(name, merged.has(name) ? { allOf: [merged.get(name), schema] } : schema)
  }
  return Object.fromEntries(merged)
}

function mergeEnums(first: unknown, second: unknown): unknown {
  if (!Array.isArray(first) || !Array.isArray(second)) return second
  const allowed = new Set(first.map((value) => JSON.stringify(value)))
  const both = second.filter((value) => allowed.has(JSON.stringify(value)))
  return both.length === 0 ? second : both
}

function mergeTypes(first: unknown, second: unknown): unknown {
  const left = typeof first === 'string' ? [first] : textsOf(first)
  const right = typeof second === 'string' ? [second] : textsOf(second)
  const both = right.filter((type) => left.includes(type) || (type === 'integer' && left.includes('number')))
  if (both.length === 0 && left.includes('integer') && right.includes('number')) return 'integer'
  return both.length === 0 ? second : both
}
