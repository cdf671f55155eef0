import { Ajv2020 } from 'ajv/dist/2020.js'
import addFormats from 'ajv-formats'
import fastCheck from 'fast-check'
import { describe, expect, test } from 'vitest'
import { valueForSchema } from './schema-value.ts'
import { createSeededRandom } from './seeded-random.ts'

const ajv = new Ajv2020({ strict: false, allErrors: true })
addFormats.default(ajv)

/** Null when the value made for the seed fits; else the schema, the value and what is wrong. */
function findMisfit(schema: object, seed: string): string | null {
  const value: unknown = JSON.parse(JSON.stringify(valueForSchema(schema, createSeededRandom(seed))))
  if (ajv.validate(schema, value)) return null
  return `${seed}\n${JSON.stringify(schema)}\n${JSON.stringify(value)}\n${ajv.errorsText()}`
}

const schemas: Record<string, object> = {
  'a tool with nested arguments': {
    type: 'object',
    properties: {
      city: { type: 'string' },
      unit: { enum: ['celsius', 'fahrenheit'] },
      days: {
        type: 'array',
        minItems: 2,
        items: { type: 'object', properties: { at: { type: 'string', format: 'date' } }, required: ['at'] },
      },
    },
    required: ['city', 'unit', 'days'],
    additionalProperties: false,
  },
  'a local reference': {
    $defs: {
      step: {
        type: 'object',
        properties: { text: { type: 'string' } },
        required: ['text'],
        additionalProperties: false,
      },
    },
    type: 'object',
    properties: { steps: { type: 'array', items: { $ref: '#/$defs/step' } }, 'a/b': { $ref: '#/$defs/step' } },
    required: ['steps', 'a/b'],
  },
  'a recursive tree': {
    type: 'object',
    properties: { label: { type: 'string' }, children: { type: 'array', items: { $ref: '#' } } },
    required: ['label', 'children'],
    additionalProperties: false,
  },
  'a linked list that may end': {
    $defs: {
      node: {
        type: 'object',
        properties: { value: { type: 'number' }, next: { anyOf: [{ $ref: '#/$defs/node' }, { type: 'null' }] } },
        required: ['value', 'next'],
        additionalProperties: false,
      },
    },
    $ref: '#/$defs/node',
  },
  alternatives: {
    oneOf: [
      { type: 'string', minLength: 3 },
      { type: 'integer', minimum: 5 },
    ],
  },
  combined: {
    allOf: [
      { type: 'object', properties: { a: { type: 'integer', minimum: 3 } }, required: ['a'] },
      { properties: { a: { maximum: 4 }, b: { const: 'fixed' } }, required: ['b'] },
    ],
  },
  'a nullable type': { type: ['string', 'null'], maxLength: 4 },
  bounds: {
    type: 'object',
    properties: {
      exclusive: { type: 'number', exclusiveMinimum: 0, exclusiveMaximum: 0.001 },
      fives: { type: 'integer', multipleOf: 5, minimum: 11, maximum: 19 },
      cents: { type: 'number', multipleOf: 0.25, minimum: 1 },
      negative: { type: 'integer', maximum: -7 },
    },
    required: ['exclusive', 'fives', 'cents', 'negative'],
  },
  'a tuple': { type: 'array', prefixItems: [{ type: 'string' }, { type: 'integer' }], items: false, minItems: 2 },
  'a unique list': { type: 'array', items: { enum: ['a', 'b', 'c'] }, uniqueItems: true, minItems: 3 },
  'a list that contains': { type: 'array', items: { type: 'integer' }, contains: { minimum: 90, maximum: 95 } },
  'many extra properties': { type: 'object', minProperties: 4, additionalProperties: { type: 'boolean' } },
  'a dependency': {
    type: 'object',
    properties: { card: { type: 'string' }, code: { type: 'string' } },
    dependentRequired: { card: ['code'] },
  },
  'a name of the prototype': JSON.parse(
    '{"type":"object","properties":{"__proto__":{"type":"integer"}},"required":["__proto__"]}',
  ) as object,
}
for (const format of [
  'date',
  'time',
  'date-time',
  'duration',
  'email',
  'hostname',
  'ipv4',
  'ipv6',
  'uri',
  'uri-reference',
  'uuid',
  'json-pointer',
  'regex',
]) {
  schemas[`format ${format}`] = { type: 'string', format }
}
for (const pattern of [
  '^[A-Z]{3}-\\d{4}$',
  '^(foo|bar)+[^a-z]?$',
  '^\\w+@[a-z]+\\.(com|org)$',
  'x{2,5}y*',
  '^(?:\\+1)?[0-9]{10}$',
  '^.{8,}$',
]) {
  schemas[`pattern ${pattern}`] = { type: 'string', pattern, minLength: pattern.includes('{8,}') ? 20 : 0 }
}

describe('a value for a schema', () => {
  test.each(Object.entries(schemas))('%s fits, whatever the seed', (_name, schema) => {
    for (let seed = 0; seed < 40; seed++) expect(findMisfit(schema, `seed ${seed}`)).toBeNull()
  })

  test('equal seeds give equal values', () => {
    const schema = schemas['a tool with nested arguments']
    const values = ['s', 's', 't'].map((seed) => JSON.stringify(valueForSchema(schema, createSeededRandom(seed))))
    expect(values[0]).toBe(values[1])
    expect(values[0]).not.toBe(values[2])
  })

  test('a schema that can never end, or asks for a million items, gives a bounded value', () => {
    const endless = {
      type: 'object',
      properties: { again: { $ref: '#' }, too: { $ref: '#' } },
      required: ['again', 'too'],
    }
    const wide = {
      type: 'array',
      minItems: 1_000_000,
      items: { type: 'array', minItems: 1_000_000, items: { type: 'string', minLength: 1e9 } },
    }
    const loop = {
      $ref: '#/$defs/a',
      $defs: { a: { $ref: '#/$defs/b' }, b: { allOf: [{ $ref: '#/$defs/a' }, { $ref: '#/$defs/a' }] } },
    }
    for (const schema of [endless, wide])
      expect(JSON.stringify(valueForSchema(schema, createSeededRandom('x'))).length).toBeLessThan(250_000)
    expect(valueForSchema(loop, createSeededRandom('x'))).toBeDefined()
    for (const pattern of [
      '((((a*)*)*)*)+',
      '(((|){4000}){4000}){4000}',
      `${'('.repeat(500)}a`,
      '(a+)+$',
      '[^ -~a-z]',
    ]) {
      const text = valueForSchema({ type: 'string', pattern, minLength: 1e9 }, createSeededRandom('x'))
      expect(String(text).length).toBeLessThanOrEqual(20_000)
    }
  })

  test.each([
    null,
    true,
    false,
    7,
    'text',
    [],
    {},
    { type: 'nonsense' },
    { $ref: '#/nowhere' },
    { $ref: 'http://example.com/x' },
    { enum: [] },
  ])('nonsense (%j) gives a value and no error', (schema) => {
    expect(JSON.stringify(valueForSchema(schema, createSeededRandom('x')))).toBeTypeOf('string')
  })

  test('any schema made of types, enums, bounds and nesting gets a value that fits', () => {
    const seed = Date.now()
    const leaf = fastCheck.oneof(
      fastCheck.constantFrom(
        { type: 'boolean' },
        { type: 'null' },
        { type: 'string', format: 'uuid' },
        { const: { a: 1 } },
      ),
      fastCheck
        .tuple(fastCheck.integer({ min: -50, max: 50 }), fastCheck.nat(90))
        .map(([minimum, size]) => ({ type: 'integer', minimum, maximum: minimum + size })),
      fastCheck
        .tuple(fastCheck.nat(20), fastCheck.nat(20))
        .map(([minLength, size]) => ({ type: 'string', minLength, maxLength: minLength + size })),
      fastCheck
        .uniqueArray(fastCheck.oneof(fastCheck.string(), fastCheck.integer()), { minLength: 1, maxLength: 4 })
        .map((values) => ({ enum: values })),
    )
    const { schema } = fastCheck.letrec<{ schema: object }>((tie) => ({
      schema: fastCheck.oneof(
        { depthSize: 'small', withCrossShrink: true },
        leaf,
        fastCheck
          .tuple(tie('schema'), fastCheck.nat(3))
          .map(([items, minItems]) => ({ type: 'array', items, minItems })),
        fastCheck
          .dictionary(fastCheck.string({ minLength: 1, maxLength: 6 }), tie('schema'), { maxKeys: 4 })
          .map((properties) => ({
            type: 'object',
            properties,
            required: Object.keys(properties).filter((_, index) => index % 2 === 0),
            additionalProperties: false,
          })),
        fastCheck.array(tie('schema'), { minLength: 1, maxLength: 3 }).map((anyOf) => ({ anyOf })),
      ),
    }))
    const property = fastCheck.property(schema, fastCheck.string(), (made, word) => findMisfit(made, word) === null)
    const result = fastCheck.check(property, { seed, numRuns: 150 })
    expect(result.failed, `seed ${seed}: ${JSON.stringify(result.counterexample)}`).toBe(false)
  })
})
