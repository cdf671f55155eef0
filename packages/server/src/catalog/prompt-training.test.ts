import type { PromptTraining } from '@svc/contract'
import { expect, test } from 'vitest'
import { promptTrainingOf } from './prompt-training.ts'

const config = {
  upstreams: [
    { name: 'main', kind: 'openrouter', reportsCost: true },
    { name: 'local', kind: 'openai-compatible', reportsCost: false, promptTraining: 'never' },
  ],
  promptTraining: new Map<string, PromptTraining>([
    ['*', 'may'],
    ['anthropic/*', 'never'],
    ['anthropic/claude-free', 'may'],
  ]),
} as const
const silent = { upstreams: config.upstreams }

const main = (upstreamModel: string) => ({ upstream: 'main', upstreamModel })
const local = (upstreamModel: string) => ({ upstream: 'local', upstreamModel })

test.each([
  ['an id counts before the start of one, and a longer start before a shorter', config, [main('x/y')], 'may'],
  ['a start holds for all ids that begin so', config, [main('anthropic/claude')], 'never'],
  ['an id holds for itself alone', config, [main('anthropic/claude-free')], 'may'],
  ['what is said of an upstream holds for all that it serves', config, [local('x/y')], 'never'],
  ['one place that may train decides', config, [local('x/y'), main('x/y')], 'may'],
  ['all places must be said not to train', config, [local('a'), main('anthropic/claude')], 'never'],
  ['a place of which nothing is said leaves it open', silent, [local('x/y'), main('x/y')], null],
  ['nothing is made up where nothing is said', silent, [main('x/y')], null],
  ['a model without a provider has no mark', config, [], null],
] as const)('%s', (_promise, stated, places, expected) => {
  expect(promptTrainingOf(stated, places)).toBe(expected)
})
