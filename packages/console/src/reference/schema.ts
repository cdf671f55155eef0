/** What is read of a JSON Schema, and what it says in words. Pure. */

export interface Schema {
  readonly $ref?: string
  readonly type?: string | readonly string[]
  readonly description?: string
  readonly enum?: readonly unknown[]
  readonly const?: unknown
  readonly anyOf?: readonly Schema[]
  readonly oneOf?: readonly Schema[]
  readonly allOf?: readonly Schema[]
  readonly items?: Schema
  readonly properties?: Readonly<Record<string, Schema>>
  readonly required?: readonly string[]
  readonly default?: unknown
  readonly format?: string
  readonly minimum?: number
  readonly maximum?: number
  readonly minLength?: number
  readonly maxLength?: number
  readonly minItems?: number
  readonly maxItems?: number
}

export type Schemas = Readonly<Record<string, Schema>>

const REF = '#/components/schemas/'

/** The name that a reference has; null for a schema that stands where it is used. */
export const nameOf = ({ $ref: ref }: Schema): string | null => ref?.slice(REF.length) ?? null

/** Follows references. What a property says of itself comes before what its type says. */
export function resolve(schema: Schema, schemas: Schemas): Schema {
  const name = nameOf(schema)
  const found = name === null ? undefined : schemas[name]
  if (found === undefined) return schema
  const { $ref: _ref, ...own } = schema
  return { ...resolve(found, schemas), ...own }
}

const alternatives = ({ anyOf, oneOf }: Schema): readonly Schema[] => anyOf ?? oneOf ?? []

/** Such as `string`, `array of objects`, `"auto" or object`. */
export function typeText(schema: Schema, schemas: Schemas): string {
  const whole = resolve(schema, schemas)
  if (whole.const !== undefined) return JSON.stringify(whole.const)
  const either = alternatives(whole)
  if (either.length > 0) return [...new Set(either.map((each) => typeText(each, schemas)))].join(' or ')
  if (whole.type === 'array' && whole.items !== undefined) return `array of ${typeText(whole.items, schemas)}`
  if (Array.isArray(whole.type)) return whole.type.join(' or ')
  if (typeof whole.type === 'string') return whole.format === 'binary' ? 'file' : whole.type
  return whole.properties === undefined ? 'any' : 'object'
}

/** The bounds of a value, in words. */
export function boundsOf({ minimum, maximum, minLength, maxLength, minItems, maxItems }: Schema): readonly string[] {
  const span = (least: number | undefined, most: number | undefined, unit: string): readonly string[] => {
    const counted = (count: number): string => `${count.toLocaleString('en')}${unit}`
    if (least !== undefined && most !== undefined) return [`${least.toLocaleString('en')} to ${counted(most)}`]
    if (least !== undefined && least > 0) return [`at least ${counted(least)}`]
    return most === undefined ? [] : [`at most ${counted(most)}`]
  }
  return [
    ...span(minimum, maximum, ''),
    ...span(minLength, maxLength, ' characters'),
    ...span(minItems, maxItems, ' entries'),
  ]
}

/** The objects that a value can be, with a name where there are several. */
export interface Shape {
  readonly name: string | null
  readonly schema: Schema
  /** The schemas that led here: one of them again would never end. */
  readonly path: readonly string[]
}

/** @param path the named schemas around this one. */
export function shapesOf(schema: Schema, schemas: Schemas, path: readonly string[] = []): readonly Shape[] {
  const name = nameOf(schema)
  if (name !== null && path.includes(name)) return []
  const inside = name === null ? path : [...path, name]
  const whole = resolve(schema, schemas)
  if (whole.properties !== undefined) return [{ name: kindOf(whole) ?? name, schema: whole, path: inside }]
  if (whole.items !== undefined) return shapesOf(whole.items, schemas, inside)
  return alternatives(whole).flatMap((each) => shapesOf(each, schemas, inside))
}

/** What tells an object from its alternatives: the one value that its `type` or `role` can have. */
function kindOf({ properties }: Schema): string | null {
  const { const: kind } = properties?.['type'] ?? properties?.['role'] ?? {}
  return typeof kind === 'string' ? kind : null
}
