/** Rankings: against the sandbox, and from upstreams that count, write and fail as servers do. */
import OpenAI from 'openai'
import { beforeEach, describe, expect, test } from 'vitest'
import type { StubCall } from '../packages/server/testing/stub-upstream.ts'
import { describeEachEngine } from '../packages/server/testing/test-database.ts'
import { useGateway } from '../packages/server/testing/use-gateway.ts'
import { useStubUpstream } from '../packages/server/testing/use-stub-upstream.ts'
import { sendJson } from './audio-upstream.ts'
import { chargeOf, lastRecord, nanocreditsIn } from './charge-of.ts'
import { errorOf } from './error-of.ts'
import { setBalance } from './funded-caller.ts'
import { recomputeCharge } from './recompute-charge.ts'

interface Ranking {
  readonly results: readonly { readonly index: number; readonly relevance_score: number; readonly document?: object }[]
  readonly usage: { readonly prompt_tokens: number; readonly search_units: number; readonly cost: number }
}

const query = 'a recipe for apple pie'
const documents = ['Double entry bookkeeping', 'How to bake an apple pie', 'Apples are fruit']
const JSON_HEADERS = { 'content-type': 'application/json' }

describeEachEngine('the sandbox', (engine) => {
  const gateway = useGateway(() => ({ engine }))
  const client = () => new OpenAI({ baseURL: gateway.v1, apiKey: gateway.key, maxRetries: 0 })
  const rank = (body: object) => client().post<Ranking>('/rerank', { body })

  test('ranks by what query and documents share, and charges its search', async () => {
    const body = { model: 'cohere/rerank-v3.5', query, documents, top_n: 2, return_documents: true }
    const { result, charge } = await chargeOf(gateway, () => rank(body))
    expect(result.results.map(({ index, document }) => [index, document])).toEqual([
      [1, { text: documents[1] }],
      [2, { text: documents[2] }],
    ])
    // 0.002 USD a search, and the margin.
    expect([charge, nanocreditsIn(result), result.usage.search_units]).toEqual([2_400_000_000n, 2_400_000_000n, 1])
    expect(await lastRecord(gateway)).toMatchObject({ type: 'rerank', status: 'ok', basis: 'cost' })
  })

  test('charges the tokens of a model that is sold by them', async () => {
    const body = { model: 'jina-reranker-v2-base-multilingual', query, documents }
    const { result, charge } = await chargeOf(gateway, () => rank(body))
    expect(result.results).toHaveLength(3)
    expect(charge).toBe(BigInt(result.usage.prompt_tokens) * 24_000n)
  })

  test.each([
    ['-cut', 502, 'upstream_error'],
    ['-empty', 502, 'upstream_empty'],
    ['-500', 502, 'upstream_error'],
    ['-too-long', 400, 'context_length_exceeded'],
    ['-html-200', 502, 'upstream_error'],
  ])('a model that fails with %s is free', async (end, status, code) => {
    const { result, charge } = await chargeOf(gateway, async () => {
      const body = JSON.stringify({ model: `svc-sandbox/rerank${end}`, query, documents })
      const response = await gateway.fetch('/v1/rerank', { method: 'POST', headers: JSON_HEADERS, body })
      return [response.status, (await errorOf(response)).code]
    })
    expect([result, charge]).toEqual([[status, code], 0n])
  })

  test('a balance that pays for the text, and not for its bytes, is enough', async () => {
    await setBalance(
      { accountId: gateway.accountId, balance: () => gateway.balance() },
      gateway.gateway.ledger,
      2_000_000_000n,
    )
    const text = 'internationalisation '.repeat(20)
    const body = { model: 'svc-sandbox/rerank', query: text, documents: [text, text] }
    expect((await rank(body)).results).toHaveLength(2)
    const more = JSON.stringify({ ...body, documents: Array.from({ length: 100 }, () => text) })
    const refused = await gateway.fetch('/v1/rerank', { method: 'POST', headers: JSON_HEADERS, body: more })
    expect([refused.status, (await errorOf(refused)).code]).toEqual([402, 'insufficient_credits'])
  })
})

const stub = useStubUpstream()
let calls: StubCall[] = []
const answers = (body: unknown, status = 200): void => {
  stub.onOther = (call, response) => {
    calls.push(call)
    sendJson(response, body as object, status)
  }
}
const results = [
  { index: 0, relevance_score: 0.25 },
  { index: 2, relevance_score: 0.75 },
  { index: 1, relevance_score: -0.5 },
]

describe('upstreams', () => {
  const gateway = useGateway(() => ({
    ...{ upstreamUrl: stub.url, kind: 'openai-compatible' },
    file: {
      prices: {
        // USD a million tokens, and USD a search.
        'by-tokens-rerank': { input: '0.1', output: '0' },
        'by-searches-rerank': { input: '0', output: '0', request: '0.002' },
        'by-both-rerank': { input: '0.1', output: '0', request: '0.002' },
        'unnamed-model': { input: '0.1', output: '0' },
      },
      media_prices: { paints: { type: 'image', per_image: '0.01' } },
    },
  }))
  beforeEach(() => {
    calls = []
    answers({ results, usage: { total_tokens: 30 } })
  })
  const post = (body: object = {}): Promise<Response> =>
    gateway.fetch('/v1/rerank', {
      ...{ method: 'POST', headers: JSON_HEADERS },
      body: JSON.stringify({ model: 'by-tokens-rerank', query, documents, ...body }),
    })

  test('the request goes on as it came, but for the documents that need not come back', async () => {
    const sent = { top_n: 2, return_documents: true, max_tokens_per_doc: 512, instruct: 'a' }
    const answer = (await (await post(sent)).json()) as Ranking
    expect(calls[0]).toMatchObject({ path: expect.stringMatching(/\/v1\/rerank$/) })
    expect(calls[0]?.json).toEqual({
      model: 'by-tokens-rerank',
      query,
      documents,
      ...sent,
      return_documents: undefined,
    })
    expect(answer.results).toEqual([
      { index: 2, relevance_score: 0.75, document: { text: documents[2] } },
      { index: 0, relevance_score: 0.25, document: { text: documents[0] } },
    ])
    const bare = (await (await post({ return_documents: false, top_n: 1 })).json()) as Ranking
    expect(bare.results).toEqual([{ index: 2, relevance_score: 0.75 }])
  })

  test('the address of newer clients is the same', async () => {
    const body = JSON.stringify({ model: 'by-tokens-rerank', query, documents })
    const response = await gateway.fetch('/v2/rerank', { method: 'POST', headers: JSON_HEADERS, body })
    expect(((await response.json()) as Ranking).results).toHaveLength(3)
  })

  test('objects are documents, too, and come back as they were', async () => {
    const objects = documents.map((text) => ({ text, source: 'a' }))
    const answer = (await (await post({ documents: objects, return_documents: true, top_n: 1 })).json()) as Ranking
    expect(answer.results[0]?.document).toEqual(objects[2])
  })

  /** Nanocredits of thirty tokens, and of a search, with the margin. */
  const TOKENS = 3_600_000n
  const SEARCH = 2_400_000_000n
  test.each([
    ['Jina', 'by-tokens', { model: 'm', usage: { total_tokens: 30 }, results }, TOKENS, false],
    ['vLLM', 'by-tokens', { id: 'r', usage: { prompt_tokens: 30, total_tokens: 30 }, results }, TOKENS, false],
    ['Voyage', 'by-tokens', { object: 'list', data: results, usage: { total_tokens: 30 } }, TOKENS, false],
    ['Cohere', 'by-searches', { id: 'r', results, meta: { billed_units: { search_units: 2 } } }, 2n * SEARCH, false],
    ['OpenRouter', 'by-searches', { results, usage: { search_units: 1, total_tokens: 9 } }, SEARCH, false],
    [
      'a server of both',
      'by-both',
      { results, meta: { billed_units: { search_units: 1 }, tokens: { input_tokens: 30 } } },
      SEARCH + TOKENS,
      false,
    ],
    ['a server that counts nothing', 'by-searches', { results }, SEARCH, true],
    ['text-embeddings-inference', 'by-searches', results.map(({ index }) => ({ index, score: index })), SEARCH, true],
  ])('is charged by what %s counts', async (_vendor, model, body, ...[due, estimated]) => {
    answers(body)
    const { result, charge } = await chargeOf(gateway, async () => (await post({ model: `${model}-rerank` })).json())
    expect([charge, nanocreditsIn(result)]).toEqual([due, due])
    const record = await lastRecord(gateway)
    expect([record.estimated ?? false, recomputeCharge(record)]).toEqual([estimated, due])
  })

  test('where tokens decide and are not counted, they are estimated', async () => {
    answers({ results })
    const { charge } = await chargeOf(gateway, () => post())
    expect(charge).toBeGreaterThan(0n)
    expect((await lastRecord(gateway)).estimated).toBe(true)
  })

  test.each([
    ['a document that was not sent', [{ index: 3, relevance_score: 1 }], 'upstream_error'],
    ['one document twice', [results[0], results[0]], 'upstream_error'],
    ['no number', [{ index: 0, relevance_score: 'high' }], 'upstream_error'],
    ['nothing', [], 'upstream_empty'],
    ['no list', null, 'upstream_error'],
  ])('a ranking of %s is free', async (_what, list, code) => {
    answers({ results: list, usage: { total_tokens: 30 } })
    const { result, charge } = await chargeOf(gateway, post)
    expect([result.status, (await errorOf(result)).code, charge]).toEqual([502, code, 0n])
  })

  test.each([
    ['no query', { query: undefined }, 'missing_required_parameter', 'query'],
    ['a blank query', { query: ' ' }, 'empty_content', 'query'],
    ['no documents', { documents: [] }, 'invalid_value', 'documents'],
    ['blank documents', { documents: ['', ' '] }, 'empty_content', 'documents'],
    ['a number as document', { documents: [1] }, 'invalid_value', 'documents.0'],
    ['too many documents', { documents: Array.from({ length: 2_049 }, () => 'x') }, 'invalid_value', 'documents'],
    ['none of the results', { top_n: 0 }, 'invalid_value', 'top_n'],
    ['other texts', { texts: ['x'] }, 'unsupported_parameter', 'texts'],
    ['another spelling', { Query: 'x' }, 'unsupported_parameter', 'Query'],
    ['a model of images', { model: 'paints' }, 'invalid_value', 'model'],
  ])('%s is refused by name', async (_what, body, code, param) => {
    const response = await post(body)
    expect([response.status, await errorOf(response)]).toEqual([400, expect.objectContaining({ code, param })])
    expect(calls).toEqual([])
  })

  test('a model whose name says nothing may be asked, and one of rankings does not chat', async () => {
    expect((await post({ model: 'unnamed-model' })).status).toBe(200)
    const chat = await gateway.chat({ model: 'by-tokens-rerank', messages: [{ role: 'user', content: 'Hi' }] })
    expect([chat.status, (await errorOf(chat)).code]).toEqual([400, 'invalid_value'])
    const { data } = (await (await gateway.fetch('/v1/models?type=rerank')).json()) as { data: { id: string }[] }
    expect(data.map(({ id }) => id)).toContain('by-searches-rerank')
  })
})
