import { nanocreditsOf } from '@svc/contract'
import { expect, test } from 'vitest'
import { insufficientCredits } from './insufficient-credits.ts'

const short = {
  kind: 'insufficient',
  limit: 'key',
  required: nanocreditsOf(960_000n),
  available: nanocreditsOf(920_000n),
} as const
const asked = { topupUrl: 'http://localhost/console/fund', type: 'chat' } as const

test('a chat that could have a shorter answer is told of its limit', () => {
  const { message, details } = insufficientCredits({ ...short, affordableUnits: 12 }, asked)
  expect(message).toMatch(/Raise the budget of the key or lower max_tokens\.$/)
  expect(details).toMatchObject({ affordable_max_tokens: 12 })
})

test('a chat whose prompt alone is too dear is not told to lower a limit', () => {
  const { message, details } = insufficientCredits({ ...short, affordableUnits: 0 }, asked)
  expect(message).toMatch(/Raise the budget of the key or shorten the prompt\.$/)
  expect(details).toMatchObject({ affordable_max_tokens: 0 })
})
