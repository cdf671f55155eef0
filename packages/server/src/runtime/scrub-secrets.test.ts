import { expect, test } from 'vitest'
import { growthAboveLinear } from '../../testing/cpu-growth.ts'
import { scrubKeys, scrubSecrets } from './scrub-secrets.ts'

test.each([
  ['postgres://user:canary@host/db', 'postgres://user:[secret]@host/db'],
  ['a://b:c@d and e://f:g@h', 'a://b:[secret]@d and e://f:[secret]@h'],
  ['://:canary@host', '://:[secret]@host'],
  ['https://host:8080/path@here', 'https://host:[secret]@here'],
  ['https://host/a:b@c', 'https://host/a:b@c'],
  ['https://host:@', 'https://host:@'],
  ['Unexpected token \'m\', "my diary" is not valid JSON', "Unexpected token 'm' is not valid JSON"],
  ['token, ..."my diary"... is not valid JSON', 'token is not valid JSON'],
])('%s is written as %s', (line, expected) => {
  expect(scrubSecrets(line)).toBe(expected)
})

/** What the patterns look for, in the pieces that make them try again from each place. */
const pieces = [
  '://',
  ':',
  '@',
  'a',
  '0',
  ' ',
  '\\',
  '"',
  '[',
  ']',
  '\\n',
  'sk-',
  'sk-svc-',
  'bearer ',
  'cookie:',
  '"cookie":',
  'cookie",[',
  ', ..."',
  ' is not valid JSON',
  '.',
]

test('the time to scrub a text grows with its length alone, whatever it is made of', async () => {
  const slow: string[] = []
  const heads = ['', '"cookie":"', '://']
  const bodies = pieces.flatMap((first) => pieces.map((second) => first + second))
  for (const [head, body] of heads.flatMap((each) => bodies.map((body) => [each, body] as const))) {
    const textOf = (length: number): string => head + body.repeat(length / body.length)
    const growth = await growthAboveLinear(32_768, textOf, (text) => [scrubSecrets(text), scrubKeys(text)])
    if (growth !== null) slow.push(`${head}(${body})*: ${growth}`)
  }
  expect(slow).toEqual([])
})
