/** Moderations: against the sandbox through OpenAI's client, and from upstreams that write and fail as servers do. */
import OpenAI from 'openai'
import { beforeEach, describe, expect, test } from 'vitest'
import type { StubCall } from '../packages/server/testing/stub-upstream.ts'
import { describeEachEngine } from '../packages/server/testing/test-database.ts'
import { createTestAccount } from '../packages/server/testing/test-gateway.ts'
import { useGateway } from '../packages/server/testing/use-gateway.ts'
import { useStubUpstream } from '../packages/server/testing/use-stub-upstream.ts'
import { sendJson } from './audio-upstream.ts'
import { chargeOf, lastRecord, nanocreditsIn } from './charge-of.ts'
import { errorOf } from './error-of.ts'

const JSON_HEADERS = { 'content-type': 'application/json' }
const HARMLESS = 'A green pear.'
const VIOLENT = 'How to kill a process.'

describeEachEngine('the sandbox', (engine) => {
  const gateway = useGateway(() => ({ engine }))
  const client = (apiKey = gateway.key) => new OpenAI({ baseURL: gateway.v1, apiKey, maxRetries: 0 })

  test('each text has its result, for nothing, also without a credit', async () => {
    const { accountId, teamId } = await createTestAccount(gateway.gateway, '0')
    const { rawKey } = await gateway.createKey({ accountId, teamId })
    const answer = await client(rawKey).moderations.create({ input: [HARMLESS, VIOLENT] })
    expect(answer).toMatchObject({ model: 'omni-moderation-latest', id: expect.stringMatching(/^modr-/) })
    expect(answer.results.map(({ flagged, categories }) => [flagged, categories.violence])).toEqual([
      [false, false],
      [true, true],
    ])
    expect(nanocreditsIn(answer)).toBe(0n)
  })

  test('a record says what was free', async () => {
    await client().moderations.create({ model: 'omni-moderation-latest', input: VIOLENT })
    await gateway.settled()
    expect(await lastRecord(gateway)).toMatchObject({ type: 'moderation', status: 'ok', credits_charged: 0 })
  })

  test('parts are one text, and tokens are charged where they have a price', async () => {
    const input = [
      { type: 'text' as const, text: HARMLESS },
      { type: 'image_url' as const, image_url: { url: 'https://example.com/a.png' } },
    ]
    const { result, charge } = await chargeOf(gateway, () =>
      client().moderations.create({ model: 'svc-sandbox/moderation', input }),
    )
    expect(result.results).toHaveLength(1)
    const { prompt_tokens: tokens } = Reflect.get(result, 'usage') as { readonly prompt_tokens: number }
    expect([charge, nanocreditsIn(result)]).toEqual([BigInt(tokens) * 1_200_000n, BigInt(tokens) * 1_200_000n])
  })

  test.each([
    ['-cut', 502, 'upstream_error'],
    ['-empty', 502, 'upstream_empty'],
    ['-429', 503, 'server_is_overloaded'],
    ['-error-200', 502, 'upstream_error'],
  ])('a model that fails with %s is free', async (end, status, code) => {
    const { result, charge } = await chargeOf(gateway, async () => {
      const body = JSON.stringify({ model: `svc-sandbox/moderation${end}`, input: HARMLESS })
      const response = await gateway.fetch('/v1/moderations', { method: 'POST', headers: JSON_HEADERS, body })
      return [response.status, (await errorOf(response)).code]
    })
    expect([result, charge]).toEqual([[status, code], 0n])
  })
})

const stub = useStubUpstream()
let calls: StubCall[] = []
const answers = (body: object): void => {
  stub.onOther = (call, response) => {
    calls.push(call)
    sendJson(response, body)
  }
}
const result = { flagged: false, categories: { violence: false }, category_scores: { violence: 0.01 } }

describe('upstreams', () => {
  const gateway = useGateway(() => ({
    ...{ upstreamUrl: stub.url, kind: 'openai-compatible' },
    file: {
      prices: {
        'omni-moderation-latest': { input: '0', output: '0' },
        'mistral-moderation': { input: '0.1', output: '0' },
      },
      media_prices: { paints: { type: 'image', per_image: '0.01' } },
    },
  }))
  beforeEach(() => {
    calls = []
    answers({ results: [result] })
  })
  const post = (body: object = {}): Promise<Response> =>
    gateway.fetch('/v1/moderations', {
      ...{ method: 'POST', headers: JSON_HEADERS },
      body: JSON.stringify({ input: HARMLESS, ...body }),
    })

  test('the request goes on as it came, with the usual model where it names none', async () => {
    const { result: response, charge } = await chargeOf(gateway, post)
    expect(calls[0]?.json).toEqual({ model: 'omni-moderation-latest', input: HARMLESS })
    expect([response.status, charge, (await lastRecord(gateway)).estimated ?? false]).toEqual([200, 0n, false])
  })

  test('a result that does not say so is flagged where a category applies', async () => {
    const written = { categories: { pii: true, law: false }, category_scores: { pii: 0.9, law: 0.1 } }
    answers({ results: [written], usage: { prompt_tokens: 30, total_tokens: 30 } })
    const { result: response, charge } = await chargeOf(gateway, () => post({ model: 'mistral-moderation' }))
    const { results } = (await response.json()) as { results: unknown[] }
    expect([results, charge]).toEqual([[{ flagged: true, ...written }], 3_600_000n])
  })

  test('tokens that have a price and are not counted are estimated', async () => {
    const { charge } = await chargeOf(gateway, () => post({ model: 'mistral-moderation' }))
    expect(charge).toBeGreaterThan(0n)
    expect((await lastRecord(gateway)).estimated).toBe(true)
  })

  test.each([
    ['a result too many', [result, result], 'upstream_error'],
    ['no result', [], 'upstream_empty'],
    ['a result without categories', [{ flagged: true }], 'upstream_error'],
    ['a score that is no number', [{ ...result, category_scores: { violence: 'high' } }], 'upstream_error'],
    ['no list', null, 'upstream_error'],
  ])('an answer with %s is free', async (_what, results, code) => {
    answers({ results, usage: { total_tokens: 30 } })
    const { result: response, charge } = await chargeOf(gateway, () => post({ model: 'mistral-moderation' }))
    expect([response.status, (await errorOf(response)).code, charge]).toEqual([502, code, 0n])
  })

  test.each([
    ['no input', { input: undefined }, 'missing_required_parameter', 'input'],
    ['an empty input', { input: '' }, 'empty_content', 'input'],
    ['blank texts', { input: ['', ' '] }, 'empty_content', 'input'],
    ['a list of nothing', { input: [] }, 'invalid_value', 'input'],
    ['a part of another kind', { input: [{ type: 'audio' }] }, 'invalid_value', 'input.0'],
    ['a part of text without one', { input: [{ type: 'text' }] }, 'invalid_value', 'input.0.text'],
    ['too many texts', { input: Array.from({ length: 2_049 }, () => 'x') }, 'invalid_value', 'input'],
    ['another text beside the input', { text: 'x' }, 'unsupported_parameter', 'text'],
    ['a model of images', { model: 'paints' }, 'invalid_value', 'model'],
  ])('%s is refused by name', async (_what, body, code, param) => {
    const response = await post(body)
    expect([response.status, await errorOf(response)]).toEqual([400, expect.objectContaining({ code, param })])
    expect(calls).toEqual([])
  })
})
