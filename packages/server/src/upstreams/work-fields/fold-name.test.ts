import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { describe, expect, test } from 'vitest'
import { dialectFields, FieldTable } from './field-table.ts'
import { foldName, NAME_LENGTH_MAX } from './fold-name.ts'
import { writtenNumber } from './written-number.ts'

test.each([
  'n_predict',
  'N_PREDICT',
  'nPredict',
  'n-predict',
  'ｎ＿ｐｒｅｄｉｃｔ',
  'n\u2010predict',
  'n\u200b_predict',
])('%s is n_predict', (name) => {
  expect(foldName(name)).toBe('npredict')
})

test.each([
  ['\u017ftop', 'stop'],
  ['to\u212aen', 'token'],
  ['ﬁle', 'file'],
  ['\u0130nput', 'input'],
  ['a\u0300', 'a'],
])('%s folds to %s', (name, folded) => {
  expect(foldName(name)).toBe(folded)
})

test.each(['n'.repeat(NAME_LENGTH_MAX + 1), '模型', 'ﷺ', 'n_predictñ'])('%s is no field of any server', (name) => {
  expect(foldName(name)).toBeNull()
})

test('every listed name is short enough to be looked at', () => {
  const names = dialectFields.flatMap(({ fields }) => Object.keys(fields))
  expect(names.filter((name) => foldName(name) === null)).toEqual([])
})

/** Characters that make one pattern or one step slow. */
const WORST: Readonly<Record<string, string>> = {
  'combining marks': '\u0300\u0327',
  'ligatures of many letters': '\ufdfa',
  'letters of full width': 'ｎ',
  'joined letters': 'b_',
  'letters of both cases': 'aA',
  'one letter': 'n',
  digits: '５',
}

describe.each(Object.entries(WORST))('%s', (_what, characters) => {
  const cpuMs = (work: () => void): number => {
    const before = process.cpuUsage()
    work()
    const { user, system } = process.cpuUsage(before)
    return (user + system) / 1_000
  }

  test('a name of megabytes costs nothing', () => {
    const name = `a${characters.repeat(3_000_000 / characters.length)}`
    const table = new FieldTable('chat')
    expect(cpuMs(() => [table.kindOf(name), table.isKnown(name), foldName(name), writtenNumber(name)])).toBeLessThan(
      100,
    )
  })

  test('so do a hundred thousand short ones, and texts that may be numbers', () => {
    const table = new FieldTable('chat')
    const names = Array.from({ length: 100_000 }, (_none, index) => `${index}${characters.repeat(32)}`.slice(0, 64))
    const texts = Array.from({ length: 20_000 }, (_none, index) => `${index}${characters.repeat(400)}`.slice(0, 400))
    expect(cpuMs(() => names.forEach((name) => table.kindOf(name)))).toBeLessThan(2_500)
    expect(cpuMs(() => texts.forEach((text) => writtenNumber(text)))).toBeLessThan(1_500)
  })
})

test('long names are not remembered, and of short ones no more than a few thousand', () => {
  setFlagsFromString('--expose-gc')
  const collect = runInNewContext('gc') as () => void
  const table = new FieldTable('chat')
  collect()
  const before = process.memoryUsage().heapUsed
  for (let index = 0; index < 60; index++) table.kindOf(Buffer.alloc(1_000_000, `${index}_`).toString('latin1'))
  for (let index = 0; index < 50_000; index++)
    table.kindOf(Buffer.from(`${index}_${'x'.repeat(50)}`).toString('latin1'))
  collect()
  expect(process.memoryUsage().heapUsed - before).toBeLessThan(5_000_000)
})
