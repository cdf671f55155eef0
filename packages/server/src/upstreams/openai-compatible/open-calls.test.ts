import { expect, test } from 'vitest'
import { OpenCalls } from './open-calls.ts'

interface Piece {
  readonly index?: number
  readonly id?: string
  readonly says: string
}

function gather(pieces: readonly Piece[]): string[] {
  const calls = new OpenCalls<number>()
  const made: string[] = []
  for (const { says, ...piece } of pieces) {
    const place = calls.take(piece, () => made.push('') - 1)
    made[place] += says
  }
  return made
}

// B069
test.each<[string, readonly Piece[], string[]]>([
  [
    'each with its number',
    [
      { index: 0, id: 'a', says: '1' },
      { index: 1, id: 'b', says: '2' },
      { index: 0, says: '3' },
    ],
    ['13', '2'],
  ],
  [
    'all with one number',
    [
      { index: 0, id: 'a', says: '1' },
      { index: 0, id: 'b', says: '2' },
      { index: 0, says: '3' },
    ],
    ['1', '23'],
  ],
  [
    'one number, ids again and again',
    [
      { index: 0, id: 'a', says: '1' },
      { index: 0, id: 'b', says: '2' },
      { index: 0, id: 'a', says: '3' },
    ],
    ['13', '2'],
  ],
  ['no number', [{ id: 'a', says: '1' }, { says: '2' }, { id: 'b', says: '3' }, { says: '4' }], ['12', '34']],
  [
    'no number, ids again and again',
    [
      { id: 'a', says: '1' },
      { id: 'b', says: '2' },
      { id: 'a', says: '3' },
    ],
    ['13', '2'],
  ],
  ['neither', [{ says: '1' }, { says: '2' }], ['12']],
  [
    'an id that comes late',
    [
      { index: 0, says: '1' },
      { index: 0, id: 'a', says: '2' },
      { index: 0, id: 'b', says: '3' },
    ],
    ['12', '3'],
  ],
])('calls are told apart: %s', (_name, pieces, expected) => {
  expect(gather(pieces)).toEqual(expected)
})
