/** What clients were told, the balance and the records agree. */
import { expect, test } from 'vitest'
import { nanocreditsOf } from '@svc/contract'
import { createRandom } from '../packages/server/testing/random.ts'
import { sendCompletion, sendStream } from '../packages/server/testing/stub-upstream.ts'
import { describeEachEngine } from '../packages/server/testing/test-database.ts'
import { startTestGateway } from '../packages/server/testing/test-gateway.ts'
import { useStubUpstream } from '../packages/server/testing/use-stub-upstream.ts'
import { ask, chargeIn, question, recordOf, usageOf } from './open-stream.ts'

const stub = useStubUpstream()

const body = question('svc-gpt', { max_tokens: 500 })

describeEachEngine('settlement', (engine) => {
  test(
    'what clients were told, the balance and the records agree for random requests',
    { timeout: 180_000 },
    async () => {
      const gateway = await startTestGateway({ engine, upstreamUrl: stub.url, credits: '1000000' })
      const random = createRandom()
      console.info(`seed ${random.seed}`)
      stub.onChat = (call, response) => {
        const usage = { prompt_tokens: random.below(5_000), completion_tokens: 1 + random.below(2_000) }
        const cost = random.below(3) === 0 ? {} : { cost: `0.${String(random.below(10 ** 9)).padStart(12, '0')}` }
        if (random.below(10) === 0) return void response.writeHead(500).end()
        if (call.json?.['stream'] === true) sendStream(response, { usage, ...cost })
        else sendCompletion(response, { usage, ...cost })
      }
      const before = await gateway.balance()
      const request = async (): Promise<bigint> => {
        const model = random.pick(['svc-gpt', 'svc-opus', 'openai/gpt-4o', 'svc-mercury'])
        const sent = question(model, { max_tokens: 1 + random.below(3_000), stream: random.below(2) === 0 })
        const { status, text } = await ask(gateway, sent)
        // A stream that was opened while an upstream took its time says in a frame that it failed, and is free.
        return status === 200 && !text.includes('"error":') ? chargeIn(text) : 0n
      }
      const charges = await Promise.all(Array.from({ length: 100 }, request))
      await gateway.settled()
      const { posted } = await gateway.balance()
      const told = charges.reduce((sum, charge) => sum + charge, 0n)
      const { data, sum } = await usageOf(gateway)
      const recorded = data.map(({ credits_charged }) => BigInt(Math.round(credits_charged * 1e9)))
      expect([before.posted - posted, sum, recorded.reduce((left, right) => left + right, 0n)]).toEqual([
        told,
        told,
        told,
      ])
      expect(data).toHaveLength(100)
      await gateway.stop()
    },
  )

  // Case B037
  test('a settlement that is sent many times at once is one charge and one record', async () => {
    const gateway = await startTestGateway({ engine, upstreamUrl: stub.url })
    const { ledger } = gateway.gateway
    stub.onChat = (_call, response) => sendCompletion(response)
    const { requestId, charge } = await ask(gateway, body)
    const record = await recordOf(gateway, requestId)
    const before = await gateway.balance()
    const settle = {
      kind: 'settle',
      holdId: requestId,
      end: 'captured',
      charge: nanocreditsOf(charge),
      cost: nanocreditsOf(0n),
      lost: nanocreditsOf(0n),
      placed: null,
      now: Date.now(),
      facts: {
        upstream: 'default',
        upstreamModel: 'x',
        status: 'ok',
        errorCode: null,
        promptTokens: 1,
        completionTokens: 1,
        cachedTokens: 0,
        reasoningTokens: 0,
        basis: 'card',
        estimated: false,
        pricing: null,
        generationId: null,
        latencyMs: 1,
      },
    } as const
    const again = await Promise.all(Array.from({ length: 20 }, () => ledger.submit(settle)))
    expect(new Set(again.map((result) => `${result.kind} ${result.charge}`))).toEqual(
      new Set([`already_settled ${charge}`]),
    )
    expect(await gateway.balance()).toEqual(before)
    expect(await recordOf(gateway, requestId)).toEqual(record)
    await gateway.stop()
  })
})
