import { expect, test } from 'vitest'
import { hideKey, showsKey } from './hide-key.ts'

const KEY = 'sk-or-v1-4f9C0a7be21d55C3-Zk8Qm2Vx0123'
const base64 = (text: string) => Buffer.from(text).toString('base64')

test.each<[string, string]>([
  ['as it is', KEY],
  ['in capitals', KEY.toUpperCase()],
  ['without its beginning', KEY.slice(12)],
  ['without its end', KEY.slice(0, 24)],
  ['eight characters of its middle', KEY.slice(14, 22)],
  ['with blanks', KEY.split('').join(' ')],
  ['in two lines', `${KEY.slice(0, 20)}\n${KEY.slice(20)}`],
  ['with a letter of no width', `${KEY.slice(0, 15)}\u200b${KEY.slice(15)}`],
  ['with underscores', KEY.replaceAll('-', '_')],
  ['in base64', base64(KEY)],
  ['in base64 for addresses', Buffer.from(KEY).toString('base64url')],
  ['in base64 behind a word', base64(`Bearer ${KEY}`)],
  ['in base64 behind a longer word', base64(`Basic: ${KEY}:`)],
  ['in base64 behind the longest word', base64(`Bearer=${KEY}xx`)],
  ['in hexadecimal', Buffer.from(KEY).toString('hex')],
])('a key is hidden %s', (_name, form) => {
  expect(showsKey(form, KEY)).toBe(true)
  const shown = hideKey(`The key "${form}" is wrong.`, KEY)
  expect(shown).toMatch(/^The key "[^]*\[removed\][^]*" is wrong\.$/)
  expect(showsKey(shown, KEY)).toBe(false)
})

test.each(['invalid_api_key', 'context_length_exceeded', 'sk-or-v1', 'The model takes at most 128,000 tokens.', ''])(
  'what is no part of the key stays: %s',
  (text) => {
    expect(hideKey(text, KEY)).toBe(text)
    expect(hideKey(text, null)).toBe(text)
    expect(hideKey(text, '')).toBe(text)
  },
)

test('a short key is hidden as a whole', () => {
  expect(hideKey('The key abc is wrong.', 'abc')).toBe('The key [removed] is wrong.')
})
