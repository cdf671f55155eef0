import { nanocreditsOf } from '@svc/contract'
import { expect, test } from 'vitest'
import { insufficientCredits } from './insufficient-credits.ts'

const short = {
  kind: 'insufficient',
  limit: 'key',
  required: nanocreditsOf(960_000n),
  available: nanocreditsOf(920_000n),
} as const
const asked = {
  consoleUrl: 'http://localhost/console',
  caller: { teamId: 'team-1', keyId: 'key-1' },
  type: 'chat',
} as const

test('a chat that could have a shorter answer is answered with its limit', () => {
  const { message, details } = insufficientCredits({ ...short, affordableUnits: 12 }, asked)
  expect(message).toMatch(/Raise the budget of the key or lower max_tokens\.$/)
  expect(details).toMatchObject({ affordable_max_tokens: 12 })
})

test('a chat whose prompt alone is too dear is not told to lower a limit', () => {
  const { message, details } = insufficientCredits({ ...short, affordableUnits: 0 }, asked)
  expect(message).toMatch(/Raise the budget of the key or shorten the prompt\.$/)
  expect(details).toMatchObject({ affordable_max_tokens: 0 })
})

test.each([
  ['account', 'http://localhost/console/team/team-1/fund'],
  ['team', 'http://localhost/console/team/team-1/team'],
  ['key', 'http://localhost/console/team/team-1/keys/key-1'],
] as const)('a caller short of what the %s has is led to where that is given', (limit, address) => {
  const { details } = insufficientCredits({ ...short, limit, affordableUnits: 0 }, asked)
  expect(details).toMatchObject({ limit, topup_url: address })
})
