import type { Exact, UsageRecordBody } from '@svc/contract'
import { describe, expect, test } from 'vitest'
import { billOf, otherRule } from './bill.ts'

type Pricing = Exact<UsageRecordBody>['pricing']

function recordOf(charged: string, pricing: Pricing): Exact<UsageRecordBody> {
  return { credits_charged: charged, pricing } as Exact<UsageRecordBody>
}

const amounts = (record: Exact<UsageRecordBody>) =>
  billOf(record).map(({ what, amount, unit }) => `${what}: ${amount} ${unit}`)

describe('the sum behind a charge', () => {
  test('by the rate card is tokens × price, and says what the cost would have given', () => {
    const record = recordOf('0.021', {
      basis: 'card',
      prompt_tokens: 1_000,
      completion_tokens: 500,
      card: { credits_per_1m_input: '6', credits_per_1m_output: '30' },
      cost_usd: '0.0000125',
      margin_bps: 2_000,
    })
    expect(amounts(record)).toEqual([
      'Input tokens: 0.006 credits',
      'Output tokens: 0.015 credits',
      'Charge: 0.021 credits',
    ])
    expect(otherRule(record)).toContain('The cost with the margin is 0.015 credits.')
  })

  test('by list prices shows each kind of token apart, the margin, and the rounding', () => {
    const record = recordOf('0.000418801', {
      basis: 'list',
      tokens: { prompt: 100, input_cache_read: 900, completion: 10 },
      usd_per_token: { prompt: '0.000000002', input_cache_read: '0.0000000001', completion: '0.0000000059000001' },
      cost_usd: '0.000000349000001',
      margin_bps: 2_000,
    })
    expect(amounts(record)).toEqual([
      'Input tokens: 0.0000002 USD',
      'Cached input tokens: 0.00000009 USD',
      'Output tokens: 0.000000059000001 USD',
      'Cost: 0.000000349000001 USD',
      'Margin: 0.0000000698000002 USD',
      'In credits: 0.0004188000012 credits',
      'Rounding: 0.0000000009988 credits',
      'Charge: 0.000418801 credits',
    ])
  })

  test('of media counts units, in fractions too', () => {
    const record = recordOf('48.6', {
      basis: 'list',
      units: { seconds: 4.5 },
      usd_per_unit: { seconds: '0.009' },
      cost_usd: '0.0405',
      margin_bps: 2_000,
    })
    expect(amounts(record)).toEqual([
      'Seconds: 0.0405 USD',
      'Cost: 0.0405 USD',
      'Margin: 0.0081 USD',
      'In credits: 48.6 credits',
      'Charge: 48.6 credits',
    ])
    expect(otherRule(record)).toBeNull()
  })

  test('of a cost that the upstream reported names it as such', () => {
    const [cost] = billOf(recordOf('1.2', { basis: 'cost', cost_usd: '0.001', margin_bps: 2_000 }))
    expect(cost).toMatchObject({ what: 'Cost', how: 'as the upstream reported it', amount: '0.001' })
  })

  test('of quantities that were estimated says nothing of a report', () => {
    const estimated = recordOf('1.2', { basis: 'list', estimated: true, cost_usd: '0.001', margin_bps: 2_000 })
    expect(billOf(estimated).map(({ how }) => how)).not.toContain('as the upstream reported it')
  })

  test('of a free request is empty', () => {
    expect(billOf(recordOf('0', null))).toEqual([])
  })
})
