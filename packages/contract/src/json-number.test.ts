import { describe, expect, test } from 'vitest'
import type { z } from 'zod'
import { consoleEndpointList } from './console-endpoints.ts'
import { nanocreditsOf } from './credits.ts'
import { endpointList } from './endpoints.ts'
import { errorBody } from './error-body.ts'
import { creditsJson, formatUsd, moneyFields, nanocreditsFrom, parseJsonExact, usdJson } from './json-number.ts'
import { creditsNumber, usdNumber } from './money-schema.ts'

const seed = Number(process.env['TEST_SEED'] ?? Date.now() % 1_000_000)

describe('credits in JSON', () => {
  test('are printed with their exact digits, beyond what a float can hold', () => {
    const amount = nanocreditsOf(9_223_372_036_854_775_807n)
    expect(JSON.stringify({ credits: creditsJson(amount) })).toBe('{"credits":9223372036.854775807}')
    expect(JSON.stringify({ credits: creditsJson(nanocreditsOf(1n)) })).toBe('{"credits":0.000000001}')
    expect(JSON.stringify({ credits: creditsJson(nanocreditsOf(-1_500_000_000n)) })).toBe('{"credits":-1.5}')
  })

  test('are read back to the same nanocredits', () => {
    console.log(`seed ${seed}`)
    let state = BigInt(seed) + 1n
    for (let round = 0; round < 2_000; round += 1) {
      state = (state * 6_364_136_223_846_793_005n + 1_442_695_040_888_963_407n) % 2n ** 63n
      const amount = nanocreditsOf((round % 2 === 0 ? 1n : -1n) * (state >> BigInt(round % 60)))
      const parsed = parseJsonExact(JSON.stringify({ credits: creditsJson(amount) })) as { credits: string }
      expect(nanocreditsFrom(parsed.credits)).toBe(amount)
    }
  })

  test('may be beside other numbers, which stay numbers', () => {
    const text = '{"svc":{"credits_charged":0.100000001,"margin_bps":2000},"list":[{"credits":1.10}],"credits":null}'
    expect(parseJsonExact(text)).toEqual({
      svc: { credits_charged: '0.100000001', margin_bps: 2000 },
      list: [{ credits: '1.10' }],
      credits: null,
    })
  })

  test('with an exponent are refused', () => {
    expect(() => parseJsonExact('{"credits":1e3}')).toThrow(SyntaxError)
    expect(() => nanocreditsFrom('a lot')).toThrow(TypeError)
  })
})

describe('US dollars', () => {
  test.each([
    [0n, '0'],
    [1n, '0.000000000001'],
    [1_000_000_000_000n, '1'],
    [-1_234_567_891_234n, '-1.234567891234'],
  ])('%s nanocredits print as %s', (amount, text) => {
    expect(formatUsd(nanocreditsOf(amount))).toBe(text)
    expect(JSON.stringify(usdJson(nanocreditsOf(amount)))).toBe(text)
  })
})

/** Where a schema keeps the schemas that it is made of. */
interface InnerSchemas {
  readonly shape?: Readonly<Record<string, z.core.$ZodType>>
  readonly innerType?: z.core.$ZodType
  readonly element?: z.core.$ZodType
  readonly options?: readonly z.core.$ZodType[]
}

test('the list of money fields is that of the schemas', () => {
  const found = new Set<string>()
  const note = (name: string, schema: z.core.$ZodType): void => {
    const { def } = schema._zod as unknown as { def: InnerSchemas }
    if (schema === creditsNumber || schema === usdNumber || isDescribedMoney(schema)) found.add(name)
    for (const [key, value] of Object.entries(def.shape ?? {})) note(key, value)
    for (const inner of [def.innerType, def.element, ...(def.options ?? [])]) {
      if (inner !== undefined) note(name, inner)
    }
  }
  const isDescribedMoney = (schema: z.core.$ZodType): boolean =>
    [creditsNumber, usdNumber].some((money) => schema._zod.parent === money)
  for (const { reply } of [...endpointList, ...consoleEndpointList]) {
    if (reply.json !== undefined) note('', reply.json)
    if ('event' in reply && reply.event !== undefined) note('', reply.event)
  }
  note('', errorBody)
  expect([...found].sort()).toEqual([...moneyFields].sort())
})
