/** What an answer costs: the same in the answer, in the balance and in the usage record, to the last digit. */
import { beforeAll, describe, expect, test, vi } from 'vitest'
import {
  beginStream,
  chunkText,
  sendCompletion,
  sendEvent,
  sendStream,
  type StubUsage,
  usageText,
} from '../packages/server/testing/stub-upstream.ts'
import { startTestGateway } from '../packages/server/testing/test-gateway.ts'
import { useGateway } from '../packages/server/testing/use-gateway.ts'
import { useStubUpstream } from '../packages/server/testing/use-stub-upstream.ts'
import { chargeOf } from './charge-of.ts'
import { ask, chargeIn, credits, isFinish, openStream, question, recordOf } from './open-stream.ts'
import { recomputeCharge } from './recompute-charge.ts'

const stub = useStubUpstream()

describe('with an upstream of OpenRouter’s dialect', () => {
  const gateway = useGateway(() => ({ upstreamUrl: stub.url, credits: '1000000' }))

  /** Asks for a whole answer and for a stream; both must say, take and record the same charge, which is returned. */
  async function chargeBothWays(model: string, usage: StubUsage, cost?: string): Promise<bigint> {
    stub.onChat = (call, response) => {
      const options = { usage, ...(cost === undefined ? {} : { cost }) }
      if (call.json?.['stream'] === true) sendStream(response, options)
      else sendCompletion(response, options)
    }
    const whole = await chargeOf(gateway, () => ask(gateway, question(model)))
    expect(whole.result.charge).toBe(whole.charge)
    const streamed = await chargeOf(gateway, async () => {
      const stream = await openStream(gateway, question(model))
      return { requestId: stream.requestId, charge: chargeIn((await stream.rest()).text) }
    })
    expect([streamed.result.charge, streamed.charge]).toEqual([whole.charge, whole.charge])
    for (const { requestId } of [whole.result, streamed.result]) {
      const record = await recordOf(gateway, requestId)
      expect([record.charge, recomputeCharge(record)]).toEqual([whole.charge, whole.charge])
    }
    return whole.charge
  }

  // Source: spec 2.14, the rate card: credits for a million prompt tokens and a million completion tokens together.
  test.each([
    ['svc-gpt', '72'],
    ['svc-gpt-mini', '1.68'],
    ['svc-claude', '72'],
    ['svc-opus', '36'],
    ['svc-gemini', '13.5'],
    ['svc-flash', '5.4'],
    ['svc-reasoner', '0.9'],
    ['svc-r1', '2.78'],
    ['svc-grok', '9.6'],
    ['svc-llama', '1.01'],
    ['svc-qwen', '9.6'],
    ['svc-kimi', '12.24'],
    ['svc-glm', '1.94'],
    ['svc-mistral', '10.8'],
    ['svc-image', '0.36'],
    ['svc-mercury', '0.23'],
    ['svc-llama-tee', '1.01'],
  ])('%s costs %s credits for a million tokens each way when no cost is reported', async (alias, sum) => {
    expect(await chargeBothWays(alias, { prompt_tokens: 1_000_000, completion_tokens: 1_000_000 })).toBe(credits(sum))
  })

  test('the rate card has 17 rows, and each of them was asked above', async () => {
    const { data } = (await (await gateway.fetch('/v1/models')).json()) as { data: { id: string }[] }
    expect(data.filter(({ id }) => id.startsWith('svc-'))).toHaveLength(17)
  })

  // Case B021: the margin is on every path once. Rounding is up, once, to nine decimals.
  test.each([
    ['0.00095', '1.14'],
    ['0.1', '120'],
    ['1e-7', '0.00012'],
    ['2.5E-3', '3'],
    ['"0.5"', '600'],
    ['0.000000000001', '0.000000002'],
    ['0.000000000000000001', '0.000000001'],
    ['0.3333333333333333', '400'],
    ['0.123456789012345678', '148.148146815'],
    ['7.000000000000000000000000000001', '8400.000000001'],
    ['123.456789', '148148.1468'],
  ])('a model of the catalog with a reported cost of %s USD costs %s credits', async (cost, charge) => {
    const usage = { prompt_tokens: 1_000, completion_tokens: 1_000 }
    expect(await chargeBothWays('openai/gpt-4o', usage, cost)).toBe(credits(charge))
  })

  test.each(['-1', '-0.0001', '1e400', '"-0.5"', '"half"', 'null'])(
    'a reported cost of %s is not believed: the list price decides',
    async (cost) => {
      // 2.5 and 10 USD a million, so 0.0035 USD.
      const charge = await chargeBothWays('openai/gpt-4o', { prompt_tokens: 1_000, completion_tokens: 100 }, cost)
      expect(charge).toBe(credits('4.2'))
    },
  )

  test('a featured model whose reported cost with the margin is above its card costs that', async () => {
    const usage = { prompt_tokens: 1_000, completion_tokens: 1_000 }
    expect(await chargeBothWays('svc-gpt', usage, '0.06')).toBe(credits('72'))
  })

  test('a card has the margin in it: a lower reported cost changes nothing', async () => {
    const usage = { prompt_tokens: 1_000_000, completion_tokens: 1_000_000 }
    expect(await chargeBothWays('svc-gpt', usage, '0.05')).toBe(credits('72'))
    expect(await chargeBothWays('svc-gpt', usage, '0')).toBe(credits('72'))
  })

  test.each<[string, StubUsage, string]>([
    // Case B016
    [
      'cached tokens',
      { prompt_tokens: 2_000, completion_tokens: 10, prompt_tokens_details: { cached_tokens: 1_800 } },
      '0.0246',
    ],
    // Case B017
    [
      'cache writes and reads',
      {
        prompt_tokens: 2_000,
        completion_tokens: 10,
        cache_creation_input_tokens: 300,
        cache_read_input_tokens: 500,
      },
      '0.0246',
    ],
    // Case B019
    [
      'reasoning tokens',
      { prompt_tokens: 10, completion_tokens: 977, completion_tokens_details: { reasoning_tokens: 768 } },
      '0.05874',
    ],
  ])('%s are a part of the whole and are priced once', async (_name, usage, charge) => {
    expect(await chargeBothWays('svc-gpt', usage)).toBe(credits(charge))
  })

  // Case B029
  test('the upstream’s count is charged, and not our own', async () => {
    stub.onChat = (call, response) => {
      const usage = { prompt_tokens: 7, completion_tokens: 55 }
      const text = 'x'.repeat(256)
      if (call.json?.['stream'] === true) sendStream(response, { words: [text], usage })
      else sendCompletion(response, { text, usage })
    }
    const whole = await ask(gateway, question('svc-gpt'))
    const stream = await openStream(gateway, question('svc-gpt'))
    const last = await stream.rest()
    expect([whole.charge, chargeIn(last.text)]).toEqual([3_384_000n, 3_384_000n])
    expect(await recordOf(gateway, stream.requestId)).toMatchObject({ completion_tokens: 55, estimated: false })
  })

  test('a count of zeros is none: what was delivered is charged by our own', async () => {
    const usage = { prompt_tokens: 0, completion_tokens: 0 }
    stub.onChat = (_call, response) => sendCompletion(response, { text: 'x'.repeat(256), usage })
    const whole = await ask(gateway, question('svc-gpt'))
    expect(whole.charge).toBeGreaterThan(0n)
    expect(await recordOf(gateway, whole.requestId)).toMatchObject({ completion_tokens: 64, estimated: true })
  })

  // Case B026
  test('a client that does not want to see the usage pays the same', async () => {
    stub.onChat = (_call, response) => sendStream(response, { usage: { prompt_tokens: 30, completion_tokens: 40 } })
    const charges: bigint[] = []
    const seen: boolean[] = []
    for (const include_usage of [true, false]) {
      const stream = await openStream(gateway, question('svc-gpt', { stream_options: { include_usage } }))
      const last = await stream.rest()
      charges.push(chargeIn(last.text))
      seen.push(stream.frames.some(({ json }) => json.usage !== undefined && json.usage !== null))
      expect(stub.chats.at(-1)?.json?.['stream_options']).toEqual({ include_usage: true })
    }
    expect(charges).toEqual([2_760_000n, 2_760_000n])
    expect(seen).toEqual([true, false])
  })

  // Case B027
  const usage = { prompt_tokens: 16_111, completion_tokens: 2, total_tokens: 16_113 }
  test.each<[string, readonly string[]]>([
    ['beside a non-empty choices array', [chunkText({ content: 'Hi' }), chunkText({}, 'stop', { usage })]],
    [
      'on a frame after the finish whose choice is not empty',
      [chunkText({ content: 'Hi' }), chunkText({}, 'stop'), chunkText({}, null, { usage })],
    ],
    ['before the content', [usageText(usage), chunkText({ content: 'Hi' }), chunkText({}, 'stop')]],
    [
      'on every frame, growing',
      [
        chunkText({ content: 'H' }, null, { usage: { prompt_tokens: 16_111, completion_tokens: 1 } }),
        chunkText({ content: 'i' }, null, { usage }),
        chunkText({}, 'stop', { usage: null }),
      ],
    ],
    ['under a vendor’s own key', [chunkText({ content: 'Hi' }), chunkText({}, 'stop', { x_groq: { id: 'x', usage } })]],
    [
      'on a frame without choices at all',
      [chunkText({ content: 'Hi' }), chunkText({}, 'stop'), JSON.stringify({ id: 'x', usage })],
    ],
  ])('usage counts wherever it is: %s', async (_place, events) => {
    stub.onChat = (_call, response) => {
      beginStream(response)
      for (const event of [...events, '[DONE]']) sendEvent(response, event)
      response.end()
    }
    const { result, charge } = await chargeOf(gateway, async () => {
      const stream = await openStream(gateway, question('svc-gpt'))
      await stream.rest()
      expect(stream.frames.filter(isFinish)).toHaveLength(1)
      return stream
    })
    expect(charge).toBe(16_111n * 12_000n + 2n * 60_000n)
    expect(await recordOf(gateway, result.requestId)).toMatchObject({ prompt_tokens: 16_111, estimated: false })
  })

  // Case B021
  test('the margin is in every answer and leads back to the cost', async () => {
    stub.onChat = (call, response) => {
      const options = { usage: { prompt_tokens: 10, completion_tokens: 10 }, cost: '0.5' }
      if (call.json?.['stream'] === true) sendStream(response, options)
      else sendCompletion(response, options)
    }
    const whole = await ask(gateway, question('openai/gpt-4o'))
    const stream = await openStream(gateway, question('openai/gpt-4o'))
    const last = await stream.rest()
    expect(whole.json?.svc).toEqual({ credits_charged: 600, margin_bps: 2000 })
    expect(whole.headers.get('x-svc-margin-bps')).toBe('2000')
    expect(last.json.svc).toEqual({ credits_charged: 600, margin_bps: 2000 })
    const record = await recordOf(gateway, whole.requestId)
    expect(record).toMatchObject({ margin_bps: 2000, basis: 'cost', pricing: { cost_usd: '0.5' } })
    expect((record.charge * 10_000n) / BigInt(10_000 + record.margin_bps)).toBe(credits('500'))
  })
})

describe('with an upstream that reports no cost and has configured prices', () => {
  const usage = { prompt_tokens: 1_000, completion_tokens: 100 }
  beforeAll(() => {
    stub.onOther = (_call, response) => {
      const data = ['vendor/model-x', 'vendor/unpriced', 'vendor/free'].map((id) => ({ id, object: 'model' }))
      response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify({ object: 'list', data }))
    }
    stub.onChat = (_call, response) => sendCompletion(response, { usage })
  })
  const gateway = useGateway(() => {
    const model = { input: '2', output: '8', cached_input: '0.5', cache_write: '2.5', request: '0.001' }
    const tiers = [{ above_input_tokens: 10_000, input: '4', output: '16' }]
    const prices = { 'vendor/model-x': { ...model, tiers }, 'vendor/free': { input: '0', output: '0' } }
    return { upstreamUrl: stub.url, kind: 'openai-compatible', file: { prices } }
  })
  beforeAll(async () => {
    const list = async (): Promise<string> => (await gateway.fetch('/v1/models')).text()
    await vi.waitUntil(async () => (await list()).includes('vendor/model-x'))
  })

  test.each<[string, StubUsage, string]>([
    ['plain tokens and the price of a request', usage, '4.56'],
    [
      'cached tokens and cache writes, each token once',
      { ...usage, prompt_tokens_details: { cached_tokens: 600, cache_write_tokens: 100 } },
      '3.54',
    ],
    ['the tier that a long prompt reaches', { prompt_tokens: 10_001, completion_tokens: 10 }, '49.3968'],
  ])('the list price counts %s', async (_name, reported, charge) => {
    stub.onChat = (_call, response) => sendCompletion(response, { usage: reported })
    const { result, charge: taken } = await chargeOf(gateway, () => ask(gateway, question('vendor/model-x')))
    expect([result.charge, taken]).toEqual([credits(charge), credits(charge)])
    const record = await recordOf(gateway, result.requestId)
    expect(record.basis).toBe('list')
    expect(recomputeCharge(record)).toBe(taken)
  })

  test('a cost of zero from an upstream that is not known to report costs is none', async () => {
    stub.onChat = (_call, response) => sendCompletion(response, { usage, cost: '0' })
    const { charge } = await chargeOf(gateway, () => ask(gateway, question('vendor/model-x')))
    expect(charge).toBe(credits('4.56'))
    stub.onChat = (_call, response) => sendCompletion(response, { usage, cost: '0.01' })
    expect((await chargeOf(gateway, () => ask(gateway, question('vendor/model-x')))).charge).toBe(credits('12'))
  })

  // Case B022
  test('a price of zero is a price: the answer is free, and its record says by which price', async () => {
    stub.onChat = (_call, response) => sendCompletion(response, { usage })
    const { result, charge } = await chargeOf(gateway, () => ask(gateway, question('vendor/free')))
    expect([result.status, result.charge, charge]).toEqual([200, 0n, 0n])
    const record = await recordOf(gateway, result.requestId)
    expect(record).toMatchObject({ status: 'ok', basis: 'list', prompt_tokens: 1_000, completion_tokens: 100 })
    expect(record.pricing?.usd_per_token).toMatchObject({ input: '0', output: '0' })
  })

  // Cases B022 and B024: no price is not a price of zero, and a neighbour's price is no price either.
  test.each([
    'vendor/unpriced',
    'vendor/model-x-live',
    'vendor/model',
    'vendor/model-x:free',
    'VENDOR/MODEL-X',
    'model-x',
  ])('%s is refused before the upstream is asked', async (model) => {
    const before = stub.chats.length
    const { result, charge } = await chargeOf(gateway, () => ask(gateway, question(model)))
    expect([result.status, result.json?.error?.code]).toEqual([404, 'model_not_found'])
    expect([stub.chats.length, charge]).toEqual([before, 0n])
    const listed = await (await gateway.fetch('/v1/models')).text()
    expect(listed).not.toContain(`"id":"${model}"`)
  })
})

// Case B034
test('a balance of one credit pays ten charges of 0.1 and is then exactly zero', async () => {
  const gateway = await startTestGateway({ upstreamUrl: stub.url, credits: '1' })
  stub.onChat = (_call, response) =>
    sendCompletion(response, { usage: { prompt_tokens: 1_999_982, completion_tokens: 5 } })
  for (let count = 0; count < 10; count++) {
    expect(await ask(gateway, question('svc-mercury', { max_tokens: 1 }))).toMatchObject({ charge: credits('0.1') })
  }
  expect(await gateway.balance()).toEqual({ posted: 0n, held: 0n })
  expect((await ask(gateway, question('svc-mercury', { max_tokens: 1 }))).status).toBe(402)
  await gateway.stop()
})
