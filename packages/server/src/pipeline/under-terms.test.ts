/** What is left of a bound where its caller has agreed to a maximum. */
import { nanocreditsOf } from '@svc/contract'
import { describe, expect, test } from 'vitest'
import { SMALL_LIMIT_UNITS } from '../money/billing/small-limit.ts'
import { ServiceError } from '../platform/errors/service-error.ts'
import type { Bound, FoundModel, PaidWork } from './paid-work.ts'
import type { Quote } from './quote.ts'
import type { Target } from './routing/target.ts'
import { underTerms } from './under-terms.ts'

const chat = (fixed: bigint, units: number): Bound => ({
  ...{ fixed: nanocreditsOf(fixed), perUnit: nanocreditsOf(10n), units, isDivisible: true },
  ...{ policy: 'exact', firstUnits: 1 },
})
const images = (units: number): Bound => {
  const { isDivisible: _, ...bound } = chat(0n, units)
  return bound
}

type Work = PaidWork<Target, never, never, never>

async function bounded(
  most: bigint,
  bound: Bound,
  sharper: Bound | null = null,
  quote: Quote | null = null,
): Promise<Bound | ServiceError> {
  const work = { bound: () => bound, sharperBound: () => Promise.resolve(sharper) } as unknown as Work
  try {
    return await underTerms(work, { most: nanocreditsOf(most), quote }).bound({} as FoundModel<Target>)
  } catch (error) {
    if (error instanceof ServiceError) return error
    throw error
  }
}

describe('a maximum', () => {
  test('that pays for all changes nothing', async () => {
    expect(await bounded(10_100n, chat(100n, 1_000))).toEqual(chat(100n, 1_000))
    expect(await bounded(40n, images(4))).toEqual(images(4))
  })

  test('that pays for less limits an answer that can be cut, and refuses one that cannot', async () => {
    expect(await bounded(10_099n, chat(100n, 1_000))).toEqual(chat(100n, 999))
    expect(await bounded(39n, images(4))).toMatchObject({
      ...{ code: 'max_credits_exceeded', status: 400, param: 'x-svc-max-credits', shouldRetry: false },
    })
  })

  test('that an answer which cannot be cut exceeds has to be raised to all that it can cost', async () => {
    const refused = (await bounded(39n, images(4))) as ServiceError
    expect(JSON.stringify(refused.details)).toBe(
      '{"credits_required":0.00000004,"credits_as_asked":0.00000004,"credits_at_most":0.000000039}',
    )
    expect(refused.message).toContain('needs at least 0.00000004: raise the header, or ask for less')
    expect(await bounded(40n, images(4))).toEqual(images(4))
  })

  test('that does not pay for one unit refuses, and says what would', async () => {
    const refused = (await bounded(109n, chat(100n, 1_000))) as ServiceError
    expect(refused.code).toBe('max_credits_exceeded')
    expect(JSON.stringify(refused.details)).toBe(
      '{"credits_required":0.00000011,"credits_as_asked":0.0000101,"credits_at_most":0.000000109}',
    )
    expect(refused.message).toBe(
      "This request can cost 0.0000101 credits, and 'x-svc-max-credits' allows 0.000000109. " +
        'It needs at least 0.00000011, for a shorter answer. You were not charged.',
    )
    expect(await bounded(110n, chat(100n, 1_000))).toEqual(chat(100n, 1))
  })

  test('has the prompt counted before it refuses, or before it cuts an answer very short', async () => {
    expect(await bounded(109n, chat(100n, 1_000), chat(50n, 1_000))).toEqual(chat(50n, 5))
    const short = 100n + 10n * BigInt(SMALL_LIMIT_UNITS - 1)
    expect(await bounded(short, chat(100n, 1_000), chat(0n, 1_000))).toEqual(chat(0n, SMALL_LIMIT_UNITS + 9))
    expect(await bounded(short + 10n, chat(100n, 1_000), chat(0n, 1_000))).toEqual(chat(100n, SMALL_LIMIT_UNITS))
  })

  test('of nothing allows what costs nothing', async () => {
    const free = { ...images(1), perUnit: nanocreditsOf(0n) }
    expect(await bounded(0n, free)).toEqual(free)
    expect(await bounded(0n, images(1))).toMatchObject({ code: 'max_credits_exceeded' })
  })
})

describe('a quote', () => {
  const quote = { most: nanocreditsOf(10_100n), fixed: nanocreditsOf(100n) } as Quote
  const quoted = (bound: Bound) => bounded(10_100n, bound, null, quote)
  const unlimited = (fixed: bigint, units: number): Bound => ({ ...chat(fixed, units), policy: 'affordable' })

  test('covers its request, and any that can cost no more', async () => {
    for (const bound of [chat(100n, 1_000), chat(50n, 1_000), chat(300n, 900)]) {
      expect(await quoted(bound)).toEqual(bound)
    }
  })

  test('does not cover what can cost more, and says how much that is', async () => {
    const refused = (await quoted(chat(110n, 1_000))) as ServiceError
    expect(refused).toMatchObject({ code: 'quote_mismatch', param: 'x-svc-quote', shouldRetry: false })
    expect(JSON.stringify(refused.details)).toBe('{"credits_required":0.00001011,"credits_at_most":0.0000101}')
  })

  test('does not cover a longer input that leaves less room for an answer without a limit', async () => {
    expect(await quoted(unlimited(100n, 1_000))).toEqual(unlimited(100n, 1_000))
    expect(await quoted(unlimited(50n, 1_005))).toEqual(unlimited(50n, 1_005))
    expect(await quoted(unlimited(150n, 900))).toMatchObject({ code: 'quote_mismatch' })
  })
})
