import { expect, test } from 'vitest'
import { boundsOf, type Schema, shapesOf, typeText } from './schema.ts'

const schemas = {
  Part: { type: 'object', properties: { type: { const: 'text' }, inner: { $ref: '#/components/schemas/Part' } } },
  Other: { type: 'object', properties: { type: { const: 'image' } } },
} satisfies Readonly<Record<string, Schema>>
const part = { $ref: '#/components/schemas/Part' }
const other = { $ref: '#/components/schemas/Other' }

test.each([
  [{ type: 'string' }, 'string'],
  [{ anyOf: [{ type: 'string' }, { type: 'null' }] }, 'string or null'],
  [{ type: 'array', items: part }, 'array of object'],
  [{ const: 'auto' }, '"auto"'],
  [{ type: 'string', format: 'binary' }, 'file'],
  [{}, 'any'],
] as const)('%j is said to be %s', (schema, text) => {
  expect(typeText(schema, schemas)).toBe(text)
})

test('alternatives are named by what tells them apart, and one within itself ends', () => {
  const shapes = shapesOf({ type: 'array', items: { anyOf: [part, other, { type: 'string' }] } }, schemas)
  expect(shapes.map(({ name }) => name)).toEqual(['text', 'image'])
  expect(shapesOf(part, schemas, shapes[0]?.path)).toEqual([])
})

test('bounds are said in words', () => {
  expect(boundsOf({ minimum: 0, maximum: 2 })).toEqual(['0 to 2'])
  expect(boundsOf({ minLength: 1, maxItems: 2_048 })).toEqual(['at least 1 characters', 'at most 2,048 entries'])
})
