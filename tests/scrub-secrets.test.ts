import { expect, test } from 'vitest'
import { growthAboveLinear } from '../packages/server/testing/cpu-growth.ts'
import { scrubArguments, scrubKeys, scrubSecrets } from '@svc/contract'

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

test.each([
  [`sk-svc-${'Ab1'.repeat(17)}`, 'sk-svc-[secret]'],
  [`error: unexpected argument 'sk-svc-${'Ab1'.repeat(17)}'`, "error: unexpected argument 'sk-svc-[secret]'"],
  ['sk-ant-api03-abcdefgh', 'sk-ant-[secret]'],
  ['smtps://me:canary@mail.example', 'smtps://me:[secret]@mail.example'],
  ['https://rpc.example/v1?apikey=canary&x=1', 'https://rpc.example/v1?apikey=[secret]&x=1'],
  [`xprv${'9'.repeat(107)}`, 'xprv[secret]'],
  ['Bearer canary-token', 'Bearer [secret]'],
  [`no transaction 0x${'ab'.repeat(32)}`, `no transaction 0x${'ab'.repeat(32)}`],
])('an argument is shown without its secret: %s', (text, expected) => {
  expect(scrubArguments(text)).toBe(expected)
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
  '?key=',
  '&',
  'xprv',
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
    const growth = await growthAboveLinear(32_768, textOf, (text) => [
      scrubSecrets(text),
      scrubKeys(text),
      scrubArguments(text),
    ])
    if (growth !== null) slow.push(`${head}(${body})*: ${growth}`)
  }
  expect(slow).toEqual([])
})
