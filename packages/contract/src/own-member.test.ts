import { expect, test } from 'vitest'
import { ownMember } from './own-member.ts'

test.each(['constructor', '__proto__', 'toString', 'hasOwnProperty', 'b', '', null, 1, { toString: 1 }, ['a']])(
  'a table has no row for %j',
  (word) => {
    expect(ownMember({ a: 1 }, word)).toBeUndefined()
  },
)

test('a table has its rows', () => {
  expect(ownMember({ a: 1 }, 'a')).toBe(1)
})
