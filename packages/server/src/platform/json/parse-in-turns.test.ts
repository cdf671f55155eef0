import { expect, test } from 'vitest'
import { createRandom } from '../../../testing/random.ts'
import { parseInTurns, STRUCTURE_BYTES_MAX, TooDenseError } from './parse-in-turns.ts'

const parse = (text: string | Buffer): Promise<unknown> =>
  parseInTurns(typeof text === 'string' ? Buffer.from(text) : text, () => Promise.resolve())

const LONG = 600_000
const units = ['x', '\\n', '\\\\', '\\u0041', '\\ud83d\\ude00', '😀', 'é', '\\"', ' ', '\\\\\\"']

test.each(units)('a long string of %s is read as by JSON.parse', async (unit) => {
  const text = `{"a":"${unit.repeat(LONG / unit.length)}","b":["${unit.repeat(300)}",1,{"c":"${unit}"}]}`
  expect(await parse(text)).toEqual(JSON.parse(text))
  // Wherever its pieces end.
  for (let at = 1; at < 7; at++) {
    const moved = text.replace('"a":"', `"a":"${'a'.repeat(at)}`)
    expect((await parse(moved)) as unknown).toEqual(JSON.parse(moved))
  }
})

test('random texts are read as by JSON.parse, also where they are none', async () => {
  const random = createRandom()
  const odd = ['"', '{', '}', '[', ']', ':', ',', '\\', '\u0000', '\\u12', '1', 'null', ' ', '"a":', '\uFEFF']
  const string = (): string =>
    `"${Array.from({ length: random.below(30) }, () => random.pick(units))
      .join('')
      .repeat(random.pick([1, 1, 20, 2_000]))}"`
  const value = (depth: number): string => {
    switch (random.below(depth > 3 ? 3 : 5)) {
      case 0:
        return string()
      case 1:
        return random.pick(['1', '-0', '1e400', 'true', 'null', '12345678901234567890'])
      case 2:
        return string()
      case 3:
        return `[${Array.from({ length: random.below(5) }, () => value(depth + 1)).join(',')}]`
      default:
        return `{${Array.from({ length: random.below(5) }, () => `${string()} : ${value(depth + 1)}`).join(',')}}`
    }
  }
  for (let round = 0; round < 150; round++) {
    const whole = value(0)
    const at = random.below(whole.length + 1)
    const text = random.below(2) === 0 ? whole : `${whole.slice(0, at)}${random.pick(odd)}${whole.slice(at)}`
    const told = await parse(text).then(
      (read) => ({ read }),
      () => null,
    )
    let right: { readonly read: unknown } | null
    try {
      // A character that was cut in two is another one as bytes.
      right = {
        read: JSON.parse(
          Buffer.from(text)
            .toString('utf8')
            .replace(/^\uFEFF/, ''),
        ) as unknown,
      }
    } catch {
      right = null
    }
    expect([random.seed, round, told]).toEqual([random.seed, round, right])
  }
})

test('a member __proto__ stays a member', async () => {
  const text = `{"__proto__":"${'x'.repeat(400)}","a":{"__proto__":{"b":"${'y'.repeat(400)}"}}}`
  const read = await parse(text)
  expect(JSON.stringify(read)).toBe(text)
  expect(Object.getPrototypeOf(read)).toBe(Object.prototype)
})

test.each(['{"a":"', '"', '{"a":"\\', '{"a":"\\"', '["x", "'])('a string without an end is none: %s', async (start) => {
  for (const fill of ['x', '\\\\', '\\"']) {
    await expect(parse(`${start}${fill.repeat(LONG)}`)).rejects.toThrow(SyntaxError)
  }
})

test('more structure than one turn may parse is refused', async () => {
  const text = `[${'"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa",'.repeat(STRUCTURE_BYTES_MAX / 60)}1]`
  await expect(parse(text)).rejects.toThrow(TooDenseError)
})

test('other work comes between', async () => {
  let turns = 0
  const text = Buffer.from(`{"a":"${'x'.repeat(20 * LONG)}"}`)
  await parseInTurns(text, () => {
    turns++
    return Promise.resolve()
  })
  expect(turns).toBeGreaterThan(20)
})
