/** Embeddings through the clients that make them, unmodified, against a whole gateway with its sandbox. */
import { createOpenAI } from '@ai-sdk/openai'
import { OpenAIEmbeddings } from '@langchain/openai'
import { cosineSimilarity, embed, embedMany } from 'ai'
import OpenAI, { APIError } from 'openai'
import { beforeAll, describe, expect, test } from 'vitest'
import { describeEachEngine } from '../packages/server/testing/test-database.ts'
import type { TestGateway } from '../packages/server/testing/test-gateway.ts'
import { useGateway } from '../packages/server/testing/use-gateway.ts'
import { chargeOf, failureOf, lastRecord, nanocreditsIn, recordOf, svcOf } from './charge-of.ts'
import { setBalance } from './funded-caller.ts'

const model = 'text-embedding-3-small'
/** Nanocredits for a token: 0.02 USD a million, and the margin. */
const PER_TOKEN = 24_000n
const pie = 'A recipe for an apple pie.'
const tart = 'An apple tart recipe.'
const ledger = 'Double entry bookkeeping'

const clientOf = (gateway: TestGateway, apiKey = gateway.key): OpenAI =>
  new OpenAI({ baseURL: gateway.v1, apiKey, maxRetries: 0 })

describeEachEngine('embeddings', (engine) => {
  const gateway = useGateway(() => ({ engine }))
  let client: OpenAI
  beforeAll(() => {
    client = clientOf(gateway)
  })

  test('the library asks for base64, decodes it, and the charge is that of the prompt', async () => {
    const { result, charge } = await chargeOf(gateway, () => client.embeddings.create({ model, input: [pie, ledger] }))
    expect(result).toMatchObject({ object: 'list', model })
    expect(result.data.map(({ index, embedding }) => [index, embedding.length])).toEqual([
      [0, 1_536],
      [1, 1_536],
    ])
    expect(result.usage.total_tokens).toBe(result.usage.prompt_tokens)
    expect(charge).toBe(BigInt(result.usage.prompt_tokens) * PER_TOKEN)
    expect(nanocreditsIn(result)).toBe(charge)
    expect(await lastRecord(gateway)).toMatchObject({
      ...{ type: 'embedding', model, status: 'ok', basis: 'cost', stream: false },
      ...{ prompt_tokens: result.usage.prompt_tokens, completion_tokens: 0 },
    })
  })

  test('numbers on demand are the same vector, of the length that was asked for', async () => {
    const decoded = await client.embeddings.create({ model, input: pie, dimensions: 256 })
    const numbers = await client.embeddings.create({ model, input: pie, dimensions: 256, encoding_format: 'float' })
    expect(numbers.data[0]!.embedding).toHaveLength(256)
    expect(numbers.data[0]!.embedding).toEqual([...decoded.data[0]!.embedding])
    const length = Math.hypot(...numbers.data[0]!.embedding)
    expect(length).toBeCloseTo(1, 5)
  })

  test('ai embeds one and many, and equal words are near each other', async () => {
    const openai = createOpenAI({ baseURL: gateway.v1, apiKey: gateway.key })
    const { embedding } = await embed({ model: openai.embedding(model), value: pie })
    const { embeddings, usage } = await embedMany({ model: openai.embedding(model), values: [tart, ledger] })
    expect(usage.tokens).toBeGreaterThan(0)
    const [near, far] = embeddings.map((other) => cosineSimilarity(embedding, other))
    expect(near).toBeGreaterThan(0.3)
    expect(Math.abs(far!)).toBeLessThan(0.1)
  })

  test('LangChain embeds documents and a query', async () => {
    const embeddings = new OpenAIEmbeddings({ model, apiKey: gateway.key, configuration: { baseURL: gateway.v1 } })
    const [documents, query] = [await embeddings.embedDocuments([tart, ledger]), await embeddings.embedQuery(tart)]
    expect(documents).toHaveLength(2)
    expect(query).toEqual(documents[0])
  })

  // B006: the balance is looked at and set aside in one step.
  test('of fifty requests at once the balance pays one', async () => {
    const before = (await gateway.balance()).posted
    // One byte and the frame of a text: nine tokens are held, fewer are charged.
    const hold = 9n * PER_TOKEN
    await setBalance(gateway, gateway.gateway.ledger, hold)
    const { result: statuses, charge } = await chargeOf(gateway, () =>
      Promise.all(
        Array.from({ length: 50 }, () =>
          client.embeddings.create({ model, input: 'a' }).then(
            () => 200,
            (error: unknown) => (error instanceof APIError ? error.status : null),
          ),
        ),
      ),
    )
    expect(statuses.toSorted()).toEqual([200, ...Array.from({ length: 49 }, () => 402)])
    expect(charge).toBeGreaterThan(0n)
    expect(charge).toBeLessThanOrEqual(hold)
    await setBalance(gateway, gateway.gateway.ledger, before)
  })

  test('under an Idempotency-Key it is made and charged once', async () => {
    const options = { headers: { 'idempotency-key': `embed-${engine}` } }
    const send = () => client.embeddings.create({ model, input: pie, encoding_format: 'float' }, options).withResponse()
    const { result, charge } = await chargeOf(gateway, async () => [await send(), await send()] as const)
    const [first, again] = result
    expect(again.data).toEqual(first.data)
    expect(again.response.headers.get('idempotent-replayed')).toBe('true')
    expect(charge).toBe(nanocreditsIn(first.data))
  })
})

describe('one gateway', () => {
  const gateway = useGateway()
  let client: OpenAI
  beforeAll(() => {
    client = clientOf(gateway)
  })
  const post = (body: object): Promise<Response> =>
    gateway.fetch('/v1/embeddings', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    })

  test.each([
    ['input', 'missing_required_parameter', {}],
    ['input', 'empty_content', { input: ' ' }],
    ['input', 'empty_content', { input: [] }],
    ['input.1', 'empty_content', { input: ['a', ''] }],
    ['input.0', 'empty_content', { input: [[], [1]] }],
    ['input', 'invalid_value', { input: { text: 'a' } }],
    ['input', 'invalid_value', { input: Array.from({ length: 2_049 }, () => 'a') }],
    ['input', 'invalid_value', { input: Array.from({ length: 300_001 }, () => 1) }],
    ['dimensions', 'invalid_value', { input: 'a', dimensions: 0 }],
    ['encoding_format', 'invalid_value', { input: 'a', encoding_format: 'int8' }],
    ['Input', 'unsupported_parameter', { input: 'a', Input: 'b' }],
    ['provider', 'unsupported_parameter', { input: 'a', provider: { order: ['x'] } }],
    ['model', 'invalid_value', { input: 'a', model: 'svc-gpt' }],
    ['model', 'model_not_found', { input: 'a', model: 'text-embedding-9' }],
  ])('%s is refused as %s', async (param, code, body) => {
    const { charge, result } = await chargeOf(gateway, () => post({ model, ...body }))
    expect([400, 404]).toContain(result.status)
    expect(await result.json()).toMatchObject({ error: { param, code } })
    expect(charge).toBe(0n)
  })

  test('a model for vectors does not chat', async () => {
    const error = await failureOf(
      client.chat.completions.create({ model, messages: [{ role: 'user', content: 'Hi' }] }),
    )
    expect(error).toMatchObject({ status: 400, param: 'model', code: 'invalid_value' })
  })

  test('ids of tokens are one text, or several', async () => {
    const one = await client.embeddings.create({ model, input: [1, 2, 3] })
    const two = await client.embeddings.create({ model, input: [[1, 2, 3], [4]] })
    expect([one.data.length, one.usage.prompt_tokens]).toEqual([1, 3])
    expect([two.data.length, two.usage.prompt_tokens]).toEqual([2, 4])
    expect(two.data[0]!.embedding).toEqual(one.data[0]!.embedding)
  })

  test.each([
    ['400', 400, 'upstream_rejected_request'],
    ['402', 402, 'insufficient_credits'],
    ['429', 503, 'server_is_overloaded'],
    ['500', 502, 'upstream_error'],
    ['moderated', 400, 'content_policy_violation'],
    ['too-long', 400, 'context_length_exceeded'],
    ['html-error', 502, 'upstream_error'],
    ['html-200', 502, 'upstream_error'],
    ['error-200', 502, 'upstream_error'],
    ['cut', 502, 'upstream_error'],
    ['empty', 502, 'upstream_empty'],
  ])('an upstream that plays %s is a %i and free', async (fault, status, code) => {
    const { result, charge } = await chargeOf(gateway, () =>
      failureOf(client.embeddings.create({ model: `svc-sandbox/embedding-${fault}`, input: pie })),
    )
    expect(result).toBeInstanceOf(APIError)
    expect(result).toMatchObject({ status, code })
    expect(charge).toBe(0n)
  })

  test.each([
    ['no-usage', 'estimate', true],
    // Its counts come with its cost.
    ['late-usage', 'cost', false],
    ['no-cost', 'list', false],
  ])('an upstream that plays %s is charged by %s', async (fault, basis, estimated) => {
    const { result, charge } = await chargeOf(gateway, () =>
      client.embeddings.create({ model: `svc-sandbox/embedding-${fault}`, input: pie }).withResponse(),
    )
    expect(nanocreditsIn(result.data)).toBe(charge)
    expect(charge).toBeGreaterThan(0n)
    expect(svcOf(result.data).estimated ?? false).toBe(estimated)
    expect(await recordOf(gateway, result.response.headers.get('x-request-id'))).toMatchObject({ basis, estimated })
  })

  test('a key that is limited to other models may not', async () => {
    const { rawKey } = await gateway.createKey({ models: ['svc-gpt'] })
    const error = await failureOf(clientOf(gateway, rawKey).embeddings.create({ model, input: pie }))
    expect(error).toMatchObject({ status: 403, code: 'model_not_allowed', param: 'model' })
  })
})
