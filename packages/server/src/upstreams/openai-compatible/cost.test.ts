import { describe, expect, test } from 'vitest'
import { attoUsdOf, parseUsd } from '../../pricing/usd.ts'
import { addOwnKeyCost } from './cost.ts'
import { readUsage } from './usage.ts'

/** The cost that is read from a usage object's members, written as JSON text. */
function costOf(members: string, reportsCost: boolean): bigint | null {
  const text = `{"usage":{"prompt_tokens":10,"completion_tokens":5,${members}}}`
  return readUsage(JSON.parse(text), () => Buffer.from(text), { reportsCost })?.cost ?? null
}

describe('readCost', () => {
  test('a cost is believed to the last digit, whatever the upstream is', () => {
    const cost = parseUsd('0.000950000000000001')
    expect(costOf('"cost":0.000950000000000001', false)).toBe(cost)
    expect(costOf('"cost":0.000950000000000001', true)).toBe(cost)
    expect(costOf('"cost_in_usd_ticks":3', false)).toBe(300_000_000n)
    expect(costOf('"cost":"0.000950000000000001"', false)).toBe(cost)
    for (const text of ['""', '"-1"', '"a"', '"0x5"', '"1 USD"']) expect(costOf(`"cost":${text}`, true)).toBeNull()
  })

  test('nothing is believed to be free but what an upstream says that is known to report its costs', () => {
    for (const zero of ['"cost":0', '"cost":0.0', '"cost":0e9', '"cost_in_usd_ticks":0']) {
      expect(costOf(zero, true)).toBe(0n)
      expect(costOf(zero, false)).toBeNull()
    }
    expect(costOf('"cost":null', true)).toBeNull()
  })

  test('an answer on a key of the operator’s own costs the fee and what the provider bills', () => {
    const own = '"is_byok":true,"cost_details":{"upstream_inference_cost":0.019000000000000001}'
    expect(costOf(`"cost":0.00095,${own}`, true)).toBe(parseUsd('0.019950000000000001'))
    expect(costOf(`"cost":0,${own}`, true)).toBe(parseUsd('0.019000000000000001'))
    expect(costOf(`"cost":null,${own}`, true)).toBe(parseUsd('0.019000000000000001'))
    const text = '"is_byok":true,"cost_details":{"upstream_inference_cost":"0.019"}'
    expect(costOf(`"cost":"0.001",${text}`, true)).toBe(parseUsd('0.02'))
  })

  test('the fee alone is no cost, and what is beside an ordinary cost is not added', () => {
    expect(costOf('"cost":0.00095,"is_byok":true,"cost_details":{"upstream_inference_cost":null}', true)).toBeNull()
    expect(costOf('"cost":0.00095,"is_byok":true', true)).toBeNull()
    const ordinary = '"is_byok":false,"cost_details":{"upstream_inference_cost":0.5}'
    expect(costOf(`"cost":0.00095,${ordinary}`, true)).toBe(parseUsd('0.00095'))
  })
})

test('a provider’s part that is not known makes the whole unknown', () => {
  expect(addOwnKeyCost(attoUsdOf(5n), null)).toBeNull()
  expect(addOwnKeyCost(null, attoUsdOf(7n))).toBe(7n)
})
