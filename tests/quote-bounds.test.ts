/** No request costs more than its quote, whatever it asks for and whatever its upstreams do. */
import { describe, expect, test } from 'vitest'
import { createRandom } from '../packages/server/testing/random.ts'
import { useGateway } from '../packages/server/testing/use-gateway.ts'
import { paidRoutes, usePaidStub } from './paid-kinds.ts'
import { askQuoted, oddWork, type QuotedAnswer } from './quoted-load.ts'

/** Requests; `SVC_TEST_ROUNDS` asks for more. */
const REQUESTS = Number(process.env['SVC_TEST_ROUNDS'] ?? 250)
/** Requests at a time. */
const AT_ONCE = 8
/** Codes of a request that its quote does not cover: none of these has been changed after its quote. */
const BROKEN_QUOTES = /quote_(?:mismatch|not_found|expired)/

describe('of requests at random, of every kind, at upstreams that do anything', () => {
  const random = createRandom()
  const first = usePaidStub()
  const second = usePaidStub()
  const gateway = useGateway(() => {
    const upstream = (name: string, url: string) =>
      ({ name, kind: 'openai-compatible', url, reports_cost: true, failures_are_free: true }) as const
    return {
      credits: '1000000',
      file: {
        upstreams: [upstream('first', first.url), upstream('second', second.url)],
        routes: paidRoutes(),
        limits: { free_answers: 1_000_000 },
      },
    }
  })

  test('none is charged more than was quoted', { timeout: 180_000 + REQUESTS * 300 }, async () => {
    console.log(`quotes: seed ${random.seed}`)
    first.onWork = oddWork(random, first.onWork)
    second.onWork = oddWork(random, second.onWork)
    const answers: QuotedAnswer[] = []
    const work = async (): Promise<void> => {
      while (answers.length < REQUESTS) answers.push(await askQuoted(gateway, random))
    }
    await Promise.all(Array.from({ length: AT_ONCE }, work))
    await gateway.settled()
    const records = await gateway.gateway.database.read
      .selectFrom('usage_record')
      .select(['usage_id', 'charge', 'write_off'])
      .execute()
    const charges = new Map(records.map(({ usage_id, charge }) => [usage_id, charge]))
    const above = answers.filter(({ requestId, most }) => (charges.get(requestId) ?? 0n) > most)
    const broken = answers.filter(({ text }) => BROKEN_QUOTES.test(text))
    const failed = answers.filter(({ status }) => status === 500)
    expect([above, broken, failed]).toEqual([[], [], []])
    // It is a test of something: many are charged, some at their maximum, and some are refused.
    const atMost = answers.filter(({ requestId, most }) => charges.get(requestId) === most)
    const charged = records.filter(({ charge }) => charge > 0n)
    expect([charged.length > REQUESTS / 5, atMost.length > 0]).toEqual([true, true])
  })
})
