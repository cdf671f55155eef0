import { expect, test } from 'vitest'
import { z } from 'zod'
import { parseBySchema } from './parse-by-schema.ts'

const schema = z.object({
  model: z.string().min(1).max(10),
  list: z
    .array(z.union([z.string().max(3), z.looseObject({ a: z.string().max(3) })]))
    .max(4)
    .optional(),
})

const strange: unknown = JSON.parse('{"toString":1,"length":{"toString":1,"__proto__":{}}}')

test.each([
  ['model', { model: strange }, "Invalid value for 'model': expected string."],
  ['model', { model: { length: 3 } }, "Invalid value for 'model': expected string."],
  ['list.1.a', { model: 'a', list: ['b', { a: strange }] }, "Invalid value for 'list.1.a': expected string."],
  ['list', { model: 'a', list: strange }, "Invalid value for 'list': expected array."],
])('an object that has a length of its own is none of a text or a list: %s', (param, value, message) => {
  expect(() => parseBySchema(schema, value)).toThrow(expect.objectContaining({ code: 'invalid_value', param, message }))
})

test('an object keeps its own length where an object may be', () => {
  const value = { model: 'a', list: [{ a: 'b', length: { type: 'number' } }] }
  expect(parseBySchema(schema, value)).toEqual(value)
})

test('a length that cannot be compared is refused also where an object may be', () => {
  const value = { model: 'a', list: [{ a: 'b', length: { toString: 1 } }] }
  expect(() => parseBySchema(schema, value)).toThrow(expect.objectContaining({ code: 'invalid_value', param: null }))
})

test('a fault of a schema itself is none of the request', () => {
  const broken = z.string().refine(() => {
    throw new TypeError('broken')
  })
  expect(() => parseBySchema(broken, 'a')).toThrow('broken')
})
