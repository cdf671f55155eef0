import fc from 'fast-check'
import { expect, test } from 'vitest'
import {
  loneNumberText,
  DuplicateKeyError,
  type JsonBody,
  numberText,
  scanMembers,
  spliceMembers,
} from './json-body.ts'

function bodyOf(text: string): JsonBody {
  const buffer = Buffer.from(text)
  return {
    text: buffer,
    value: JSON.parse(text.replace(/^\uFEFF/, '')) as Record<string, unknown>,
    members: scanMembers(buffer),
  }
}

/** Any JSON object, written with any white space between its tokens and any escapes in its keys. */
const written = fc
  .tuple(fc.dictionary(fc.string({ unit: 'binary' }), fc.jsonValue()), fc.constantFrom('', ' ', '\n\t', '\r\n  '))
  .map(([value, space]) => {
    const members = Object.entries(value).map(
      ([key, inner]) => `${space}${JSON.stringify(key)}${space}:${space}${JSON.stringify(inner)}${space}`,
    )
    return `${space}{${members.join(',')}}${space}`
  })

test('every top-level range holds exactly the value that JSON.parse sees', () => {
  fc.assert(
    fc.property(written, (text) => {
      const body = bodyOf(text)
      expect([...body.members.keys()].toSorted()).toEqual(Object.keys(body.value).toSorted())
      for (const [key, range] of body.members) {
        const slice = body.text.toString('utf8', range.valueStart, range.valueEnd)
        expect(JSON.parse(slice)).toEqual(body.value[key])
      }
    }),
    { verbose: true },
  )
})

test('a splice changes the named values and leaves the text of all others alone', () => {
  fc.assert(
    fc.property(written, fc.string(), fc.jsonValue(), (text, key, value) => {
      const body = bodyOf(text)
      const spliced = spliceMembers(body, new Map([[key, JSON.stringify(value)]]))
      expect(JSON.parse(spliced.toString())).toEqual(JSON.parse(JSON.stringify({ ...body.value, [key]: value })))
    }),
    { verbose: true },
  )
})

test('a member is left out, and the text of all others stays', () => {
  fc.assert(
    fc.property(written, fc.string(), fc.jsonValue(), (text, key, value) => {
      const body = bodyOf(text)
      const [cut] = [...body.members.keys(), key]
      const { [cut ?? key]: _gone, ...rest } = body.value
      const added = { ...rest, ...(key === cut ? {} : { [key]: value }) }
      const edits = new Map([
        ...(key === cut ? [] : [[key, JSON.stringify(value)] as const]),
        [cut ?? key, null] as const,
      ])
      const spliced = spliceMembers(body, edits)
      expect(JSON.parse(spliced.toString())).toEqual(JSON.parse(JSON.stringify(added)))
    }),
    { verbose: true },
  )
  const body = bodyOf('{ "a" : 1e400, "b":[1.0], "c": 7 }')
  expect(spliceMembers(body, new Map([['b', null]])).toString()).toBe('{"a":1e400,"c":7}')
  expect(spliceMembers(body, new Map([['x', null]])).toString()).toBe(body.text.toString())
})

test('digits that no float can hold survive a splice', () => {
  const body = bodyOf('{"seed":9007199254740993,"model":"a","x":1e400,"y":0.1000000000000000055,"z":1.0}')
  expect(spliceMembers(body, new Map([['model', '"b"']])).toString()).toBe(
    '{"seed":9007199254740993,"model":"b","x":1e400,"y":0.1000000000000000055,"z":1.0}',
  )
})

test('a byte order mark is skipped and not sent on', () => {
  const body = bodyOf('\uFEFF{"model":"a"}')
  expect(spliceMembers(body, new Map([['model', '"b"']])).toString()).toBe('{"model":"b"}')
  expect(spliceMembers(body, new Map([['stream', 'true']])).toString()).toBe('{"stream":true,"model":"a"}')
})

test.each(['{"model":"a","model":"b"}', '{"model":"a","\\u006dodel":"b"}', '{"a":{"x":1},"a":2}'])(
  'a duplicate top-level key is refused: %s',
  (text) => {
    expect(() => scanMembers(Buffer.from(text))).toThrow(DuplicateKeyError)
  },
)

test('a duplicate key further in is left to the upstream', () => {
  expect(scanMembers(Buffer.from('{"a":{"x":1,"x":2}}')).size).toBe(1)
})

test('the text of a number is read as it is written', () => {
  const text = Buffer.from('{"usage":{"note":"\\"cost\\": 7","cost":0.000950000000000000001,"d":{"cost":3}},"cost":9}')
  expect(numberText(text, ['usage', 'cost'])).toBe('0.000950000000000000001')
  expect(numberText(text, ['usage', 'note'])).toBeNull()
  expect(numberText(text, ['usage', 'none'])).toBeNull()
  expect(numberText(Buffer.from('{"usage":null,"usage":{"cost":1,"cost":2.50}}'), ['usage', 'cost'])).toBe('2.50')
})

test('a lone number is read by its digits, and only where its key appears once', () => {
  const read = (text: string): string | null => loneNumberText(Buffer.from(text), 'cost')
  expect(read('{"usage":{"cost":0.000950000000000001}}')).toBe('0.000950000000000001')
  expect(read('{"cost":1E-7,"x":2}')).toBe('1E-7')
  expect(read('{"said":"the \\"cost\\":7","cost":3}')).toBe('3')
  expect(read('{"cost":1,"inner":{"cost":2}}')).toBeNull()
  for (const other of ['{"cost":null}', '{"cost":"7"}', '{"cost" : 7}', '{"c\\u006fst":7}', '{}', '{"cost":']) {
    expect(read(other)).toBeNull()
  }
})
