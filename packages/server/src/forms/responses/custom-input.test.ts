import { describe, expect, test } from 'vitest'
import { CustomInput } from './custom-input.ts'

const PATCH = '*** Begin Patch\n*** Update File: a "b".txt\n-\told \\ line\n+новая 😀 /\u2028\n*** End Patch\n'
const escaped = JSON.stringify({ input: '😀"\\' }).replace('😀', '\\ud83d\\ude00')

/** Reads arguments in pieces; what comes must be whole characters, as clients parse each piece as UTF-8. */
function readIn(pieces: readonly string[]): { readonly deltas: readonly string[]; readonly text: string } {
  const input = new CustomInput()
  const deltas = [...pieces.map((piece) => input.push(piece)), input.end()].filter((delta) => delta !== '')
  for (const delta of deltas) expect(delta.isWellFormed()).toBe(true)
  expect(deltas.join('')).toBe(input.text)
  return { deltas, text: input.text }
}

describe('the text of a custom tool', () => {
  test.each([
    { says: 'a patch', json: JSON.stringify({ input: PATCH }), text: PATCH },
    { says: 'escaped pairs', json: escaped, text: '😀"\\' },
    { says: 'space around everything', json: ' {\n "input" : "a" }\n', text: 'a' },
  ])('is the same wherever its arguments are cut: $says', ({ json, text }) => {
    for (let at = 0; at <= json.length; at++) {
      expect(readIn([json.slice(0, at), json.slice(at)]).text).toBe(text)
    }
    expect(readIn([...json]).text).toBe(text)
    expect(readIn(json.split('')).text).toBe(text)
  })

  test('comes while it is written', () => {
    expect(readIn(['{"input":"', 'one ', 'two\\', 'n', '"}']).deltas).toEqual(['one ', 'two', '\n'])
  })

  test.each([
    { says: 'no object', json: '*** Begin Patch', text: '*** Begin Patch' },
    { says: 'a string', json: '"ls -l"', text: 'ls -l' },
    { says: 'another member', json: '{"patch":"x"}', text: 'x' },
    { says: 'the text behind another member', json: '{"why":"so","input":"x"}', text: 'x' },
    { says: 'an empty object', json: '{}', text: '' },
    { says: 'nothing', json: '', text: '' },
    { says: 'an object of other kinds', json: '{"input":{"a":1}}', text: '{"input":{"a":1}}' },
    { says: 'a text that was cut', json: '{"input":"abc\\', text: 'abc' },
    { says: 'line ends as they are', json: '{"input":"a\nb"}', text: 'a\nb' },
  ])('is what the model meant where it wrote $says', ({ json, text }) => {
    expect(readIn([json]).text).toBe(text)
    expect(readIn([...json]).text).toBe(text)
  })
})
