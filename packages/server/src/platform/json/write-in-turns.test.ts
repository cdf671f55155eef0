import { expect, test } from 'vitest'
import { createRandom } from '../../../testing/random.ts'
import { writeInTurns } from './write-in-turns.ts'

const write = async (value: object): Promise<string> =>
  (await writeInTurns(value, () => Promise.resolve())).toString('utf8')

const LENGTH = 700_001
const UNITS = ['x', '\n', '\\', '"', '😀', 'é', '\0', '\u2028', '\ud800']

test.each(UNITS)('a long string of %j is written as by JSON.stringify', async (unit) => {
  const value = { a: unit.repeat(LENGTH / unit.length), b: [unit.repeat(300), 1, { c: unit, d: null, e: undefined }] }
  expect(await write(value)).toBe(JSON.stringify(value))
})

test('random values are written as by JSON.stringify', async () => {
  const random = createRandom()
  const text = (): string =>
    Array.from({ length: random.below(20) }, () => random.pick(UNITS))
      .join('')
      .repeat(random.pick([1, 1, 20, 3_000]))
  const value = (depth: number): unknown => {
    switch (random.below(depth > 3 ? 2 : 4)) {
      case 0:
        return text()
      case 1:
        return random.pick<unknown>([
          1,
          -0,
          true,
          { gone: undefined, none: null },
          1e21,
          { toJSON: () => 'y'.repeat(400) },
        ])
      case 2:
        return Array.from({ length: random.below(5) }, () => value(depth + 1))
      default:
        return Object.fromEntries(Array.from({ length: random.below(5) }, () => [text(), value(depth + 1)]))
    }
  }
  for (let round = 0; round < 100; round++) {
    const made = { root: value(0) }
    expect([random.seed, await write(made)]).toEqual([random.seed, JSON.stringify(made)])
  }
})

test('other work comes between', async () => {
  let turns = 0
  const pause = () => {
    turns++
    return Promise.resolve()
  }
  await writeInTurns({ a: 'x'.repeat(10 * LENGTH) }, pause)
  expect(turns).toBeGreaterThan(20)
})
