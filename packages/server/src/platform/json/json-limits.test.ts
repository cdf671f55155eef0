import { expect, test } from 'vitest'
import { JsonCounter, JsonLimitError, type JsonLimits } from './json-limits.ts'

const limits: JsonLimits = { depth: 4, objectMembers: 3, members: 5, elements: 6, numberLength: 8 }

/** What a text has too much of, and where; null where it is within the limits. */
function refusal(...texts: string[]): string | null {
  const counter = new JsonCounter(limits)
  try {
    for (const text of texts) counter.count(Buffer.from(text))
    return null
  } catch (error) {
    if (!(error instanceof JsonLimitError)) throw error
    return `${error.limit} ${error.most} ${error.param}`
  }
}

test.each([
  '',
  '{}',
  '[]',
  '"a,b,c,{[[[[[["',
  '{"a":1,"b":2,"c":3}',
  '[1,2,3,4,5,6]',
  '[[[[]]]]',
  '{"a":[],"b":{}}',
  '{"a":"\\",,,,{{{{{{{{\\\\"}',
  '-1234567',
  '}}}}]]]]',
])('%s is within the limits', (text) => {
  expect(refusal(text)).toBeNull()
})

test.each([
  ['{"a":1,"b":2,"c":3,"d":4}', 'objectMembers 3 c'],
  ['{"a":{"x":1,"y":2},"b":{"x":1,"y":2}}', 'members 5 b'],
  ['[1,2,3,4,5,6,7]', 'elements 6 null'],
  ['{"a":[1,2,3],"b":[{},{},{},{}]}', 'elements 6 b'],
  ['{"tools":[[[[]]]]}', 'depth 4 tools'],
  ['[[[[[', 'depth 4 null'],
  ['{"a,":1,"\\"b":[[[[', 'depth 4 \\"b'],
  ['{"seed":123456789}', 'numberLength 8 seed'],
  ['{"seed":1e-0000001}', 'numberLength 8 seed'],
])('%s is refused: %s', (text, expected) => {
  expect(refusal(text)).toBe(expected)
})

test('texts that belong together are counted together', () => {
  expect(refusal('[1,2,3]', '[4,5,6]')).toBeNull()
  expect(refusal('[1,2,3]', '[4,5,6,7]')).toBe('elements 6 null')
})

test('strings are skipped whole, whatever they are written with', () => {
  const string = `"${'\\\\'.repeat(100)}\\"${'x'.repeat(200)}\\"${'\\u0022'.repeat(50)}"`
  expect(refusal(`[${string},${string}]`)).toBeNull()
  expect(refusal(`[${string},1,2,3,4,5,6]`)).toBe('elements 6 null')
})
