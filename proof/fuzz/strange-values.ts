/** Values that programs do not expect, and ways to put them where an expected one was. */
import fc from 'fast-check'
import { weighted } from './draw.ts'

interface ExactJson {
  /** A number by its text. */
  rawJSON(text: string): unknown
  isRawJSON(value: unknown): boolean
}

// The compiler's library does not describe these two standard parts of JSON yet.
const exactJson = JSON as unknown as ExactJson

function nested(depth: number, isArray: boolean): unknown {
  let value: unknown = isArray ? [] : {}
  for (let level = 0; level < depth; level++) value = isArray ? [value] : { a: value }
  return value
}

/** Numbers by their text: JSON knows more of them than JavaScript. */
const numberTexts = [
  ...['0', '-0', '-1', '1.0', '0.1', '1e400', '-1e400', '1e-400', '9007199254740993', '1E+2', '2147483648'],
  ...['123456789012345678901234567890', '0.000000000000000000000000000001'],
]

const strings = [
  ...['', ' ', '\u0000', '\ud800', '\udc00\ud800', '\ufeff', '\u202eevil', '👩‍👩‍👧‍👧', 'e\u0301', '\r\nx-injected: 1'],
  ...['data: [DONE]\n\n', '{"a":1}', '__proto__', 'constructor', '../../etc/passwd', "' or 1=1 --", '%00%0d%0a'],
  ...['<script>', 'NaN', 'null'],
]

/** Containers that are empty, long, or have members that objects have already. */
const containers: readonly unknown[] = [
  ...[[], {}, [null], [[]], { '': 0 }, Array.from({ length: 2_100 }, () => 0)],
  JSON.parse('{"__proto__":{"polluted":true},"toString":1,"length":-1}'),
]

/** One strange value, which JSON can hold. */
export const strangeValue: fc.Arbitrary<unknown> = weighted(
  [1, fc.constantFrom(null, true, false)],
  [2, fc.constantFrom(...numberTexts).map((text) => exactJson.rawJSON(text))],
  [3, fc.constantFrom(...strings)],
  [
    1,
    fc
      .tuple(fc.constantFrom('a', '\u0000', '数', '😀'), fc.constantFrom(1, 64, 257, 5_000, 40_000))
      .map(([text, times]) => text.repeat(times)),
  ],
  [1, fc.tuple(fc.constantFrom(1, 10, 200, 2_000), fc.boolean()).map(([depth, isArray]) => nested(depth, isArray))],
  [2, fc.constantFrom(...containers)],
  [1, fc.string({ unit: 'binary' })],
  [1, fc.jsonValue()],
)

function isContainer(value: unknown): value is Record<string, unknown> | unknown[] {
  return typeof value === 'object' && value !== null && !exactJson.isRawJSON(value)
}

/** One change of a value, deep or at the top. */
interface Edit {
  /** Which member at each level, counted beyond the last: that adds one. */
  readonly at: readonly number[]
  readonly removes: boolean
  readonly name: string
  readonly value: unknown
}

const edit: fc.Arbitrary<Edit> = fc.record({
  at: fc.array(fc.nat(999), { maxLength: 7 }),
  removes: fc.constantFrom(false, false, false, false, true),
  name: fc.constantFrom('extra', '', '__proto__', 'x'.repeat(300)),
  value: strangeValue,
})

/** The value with one place replaced, removed or added. The value itself stays as it was. */
function changed(value: unknown, change: Edit, level = 0): unknown {
  const { at, removes, name } = change
  const place = at[level]
  if (place === undefined || !isContainer(value)) return change.value
  const entries: [string, unknown][] = Object.entries(value)
  const position = place % (entries.length + 1)
  const entry = entries[position]
  const isLast = level === at.length - 1 || !isContainer(entry?.[1])
  if (entry === undefined) entries.push([name, change.value])
  else if (removes && isLast) entries.splice(position, 1)
  else entries[position] = [entry[0], changed(entry[1], change, level + 1)]
  if (Array.isArray(value)) return entries.map(([, each]) => each)
  // Not by assignment, which a key such as `__proto__` would turn into something else.
  return Object.fromEntries(entries)
}

/** Changes of so many places of a value at most; shrinks to none. */
export function changes(most: number): fc.Arbitrary<(value: unknown) => unknown> {
  return fc
    .array(edit, { maxLength: most })
    .map((edits) => (value) => edits.reduce<unknown>((before, each) => changed(before, each), value))
}

/** A value with some of its places changed, as JSON text. */
export function mutatedText(value: unknown): fc.Arbitrary<string> {
  return changes(4).map((change) => JSON.stringify(change(value)) ?? 'null')
}
