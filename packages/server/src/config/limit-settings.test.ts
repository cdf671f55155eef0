import { expect, test } from 'vitest'
import { limitFacts } from './limit-settings.ts'

const UNITS: ReadonlyMap<string, string> = new Map([
  ['bytes', 'bytes'],
  ['ms', 'milliseconds'],
  ['hours', 'hours'],
])

test('a limit of bytes or of time is shown as one, and all others as a number of things', () => {
  const named = limitFacts.map(({ name }) => {
    const word = name.split('_').find((part) => UNITS.has(part))
    return [name, UNITS.get(word ?? '') ?? 'count']
  })
  expect(limitFacts.map(({ name, unit }) => [name, unit])).toEqual(named)
})
