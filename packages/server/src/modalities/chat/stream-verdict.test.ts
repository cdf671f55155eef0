import { describe, expect, test } from 'vitest'
import { ServiceError } from '../../platform/errors/service-error.ts'
import { attoUsdOf } from '../../pricing/usd.ts'
import type { ChatStreamOutcome } from '../../upstreams/chat-upstream.ts'
import { judgeStream, type StreamFacts } from './stream-verdict.ts'

const clean = { error: null, cut: false, cost: null } as ChatStreamOutcome
const failure = new ServiceError('upstream_error', 'It failed.')
const revoked = new ServiceError('invalid_api_key', 'Revoked.')
const [failed, broken] = [
  { ...clean, error: failure },
  { ...clean, error: failure, cut: true },
]
const ended = { interruption: 'ended', interruptionError: revoked } as const

const FREE = { kind: 'free' }
const charged = (status: string, errorCode: string | null = null) => ({ kind: 'charge', status, errorCode })

const rows: readonly (readonly [how: string, facts: Partial<StreamFacts>, delivered: object, empty: object])[] = [
  ['that ends cleanly', {}, charged('ok'), FREE],
  ['whose emptiness is explained', { emptinessExplained: true }, charged('ok'), charged('ok')],
  ['whose client leaves', { interruption: 'client_gone' }, charged('cancelled'), charged('cancelled')],
  ['whose credits end', { interruption: 'out_of_credits' }, charged('ok'), charged('ok')],
  ['that the gateway ends', ended, charged('incomplete', 'invalid_api_key'), FREE],
  ['whose connection breaks', { outcome: broken }, charged('incomplete', 'upstream_error'), FREE],
  ['whose upstream says that it failed', { outcome: failed }, FREE, FREE],
  ['that failed at no cost', { outcome: { ...failed, cost: attoUsdOf(0n) } }, FREE, FREE],
  [
    'that failed at a cost',
    { outcome: { ...failed, cost: attoUsdOf(1n) } },
    charged('incomplete', 'upstream_error'),
    FREE,
  ],
  [
    'that broke and was left',
    { outcome: broken, interruption: 'client_gone' },
    charged('cancelled'),
    charged('cancelled'),
  ],
]

describe.each(rows)('a stream %s', (_how, facts, delivered, empty) => {
  const none: StreamFacts = {
    ...{ outcome: clean, interruption: null, interruptionError: null },
    ...{ hasContent: false, hasReasoning: false, emptinessExplained: false, ...facts },
  }

  test('after content', () => {
    expect(judgeStream({ ...none, hasContent: true })).toEqual(delivered)
    expect(judgeStream({ ...none, hasReasoning: true })).toEqual(delivered)
  })

  test('before content', () => {
    expect(judgeStream(none)).toEqual(empty)
  })
})
