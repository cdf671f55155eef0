/** Values that programs do not expect, and ways to put them where an expected one stood. */
import type { Random } from '../../packages/server/testing/random.ts'

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
  '0',
  '-0',
  '-1',
  '1.0',
  '0.1',
  '1e400',
  '-1e400',
  '1e-400',
  '9007199254740993',
  '123456789012345678901234567890',
  '1E+2',
  '2147483648',
  '0.000000000000000000000000000001',
] as const

const strings = [
  '',
  ' ',
  '\u0000',
  '\ud800',
  '\udc00\ud800',
  '\ufeff',
  '\u202eevil',
  '👩‍👩‍👧‍👧',
  'e\u0301',
  '\r\nx-injected: 1',
  'data: [DONE]\n\n',
  '{"a":1}',
  '__proto__',
  'constructor',
  '../../etc/passwd',
  "' or 1=1 --",
  '%00%0d%0a',
  '<script>',
  'NaN',
  'null',
] as const

/** One strange value. */
export function strangeValue(random: Random): unknown {
  switch (random.below(12)) {
    case 0:
      return null
    case 1:
      return random.below(2) === 0
    case 2:
    case 3:
      return exactJson.rawJSON(random.pick(numberTexts))
    case 4:
    case 5:
    case 6:
      return random.pick(strings)
    case 7:
      return random.pick(['a', '\u0000', '数', '😀']).repeat(random.pick([1, 64, 257, 5_000, 40_000]))
    case 8:
      return nested(random.pick([1, 10, 200, 2_000]), random.below(2) === 0)
    case 9:
      return random.pick<unknown>([[], {}, [null], [[]], { '': 0 }, Array.from({ length: 2_100 }, () => 0)])
    case 10:
      return JSON.parse('{"__proto__":{"polluted":true},"toString":1,"length":-1}')
    default:
      return Object.fromEntries(Array.from({ length: random.below(40) }, (_, index) => [`k${index}`, index]))
  }
}

function isContainer(value: unknown): value is Record<string, unknown> | unknown[] {
  return typeof value === 'object' && value !== null && !exactJson.isRawJSON(value)
}

/**
 * Changes one place of a value, deep or at the top: replaced, removed, doubled or added. The value itself stays
 * as it was.
 */
export function mutate(value: unknown, random: Random): unknown {
  if (!isContainer(value) || random.below(8) === 0) return strangeValue(random)
  const entries: [string, unknown][] = Object.entries(value)
  const position = random.below(entries.length + 1)
  const entry = entries[position]
  if (entry === undefined)
    entries.push([random.pick(['extra', '', '__proto__', 'x'.repeat(300)]), strangeValue(random)])
  else if (random.below(5) === 0) entries.splice(position, 1)
  else entries[position] = [entry[0], mutate(entry[1], random)]
  if (Array.isArray(value)) return entries.map(([, each]) => each)
  // Not by assignment, which a key such as `__proto__` would turn into something else.
  return Object.fromEntries(entries)
}
