/** Embeddings from upstreams that are odd, that fail, and that replace each other. */
import type { ServerResponse } from 'node:http'
import OpenAI from 'openai'
import { beforeEach, describe, expect, test } from 'vitest'
import type { StubCall } from '../packages/server/testing/stub-upstream.ts'
import { useGateway } from '../packages/server/testing/use-gateway.ts'
import { useStubUpstream } from '../packages/server/testing/use-stub-upstream.ts'
import { chargeOf, failureOf, lastRecord, nanocreditsIn, svcOf } from './charge-of.ts'

/** USD for a million tokens; nanocredits for one, with the margin. */
const PRICE = { input: '0.1', output: '0' }
const PER_TOKEN = 120_000n

const first = useStubUpstream()
const second = useStubUpstream()
let calls: StubCall[]

const vector = [0.25, -0.5, 1]
const base64 = Buffer.from(Float32Array.from(vector).buffer).toString('base64')

function sendVectors(response: ServerResponse, data: unknown, usage: object | null, status = 200): void {
  const body = { object: 'list', data, model: 'stub', ...(usage === null ? {} : { usage }) }
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
}

const entry = (index: number, embedding: unknown = vector) => ({ object: 'embedding', index, embedding })
const usage = { prompt_tokens: 7, total_tokens: 7 }

const gateway = useGateway(() => {
  const upstream = (name: string, url: string) => ({ name, kind: 'openai-compatible', url }) as const
  return {
    file: {
      upstreams: [upstream('first', first.url), upstream('second', second.url)],
      prices: { 'text-embedding-3-small': PRICE, 'bge-m3': PRICE },
      routes: {
        'embed-twice': {
          targets: [
            { upstream: 'first', model: 'one', price: PRICE },
            { upstream: 'second', model: 'two', price: { input: '1', output: '0' } },
          ],
        },
      },
    },
  }
})
beforeEach(() => {
  calls = []
  for (const stub of [first, second]) {
    stub.onOther = (call, response) => {
      calls.push(call)
      sendVectors(response, [entry(0)], usage)
    }
  }
})

const client = (): OpenAI => new OpenAI({ baseURL: gateway.v1, apiKey: gateway.key, maxRetries: 0 })
const JSON_HEADERS = { 'content-type': 'application/json' }
const ask = (more: object = {}, model = 'text-embedding-3-small') =>
  client().embeddings.create({ model, input: 'Hello', encoding_format: 'float', ...more })

describe('an answer', () => {
  test('comes from the very bytes of the request, with the name that the upstream knows', async () => {
    const text = '{"model":"text-embedding-3-small",  "input":["a\\u00e9"],"truncate":1e400}'
    const answer = await gateway.fetch('/v1/embeddings', { method: 'POST', headers: JSON_HEADERS, body: text })
    expect(answer.status).toBe(200)
    expect(calls.map((call) => [call.path, call.text])).toEqual([['/v1/embeddings', text]])
  })

  test.each([
    ['float', 'float', vector],
    ['float', 'base64', base64],
    ['base64', 'float', vector],
    ['base64', 'base64', base64],
  ])('in %s becomes %s where that was asked for', async (sent, asked, expected) => {
    first.onOther = (_call, response) => sendVectors(response, [entry(0, sent === 'float' ? vector : base64)], usage)
    const answer = await gateway.fetch('/v1/embeddings', {
      method: 'POST',
      headers: JSON_HEADERS,
      body: JSON.stringify({ model: 'text-embedding-3-small', input: 'Hello', encoding_format: asked }),
    })
    expect(await answer.json()).toMatchObject({ data: [{ index: 0, embedding: expected }] })
  })

  test('is put into the order of the texts', async () => {
    first.onOther = (_call, response) => sendVectors(response, [entry(1, [2]), entry(0, [1])], usage)
    const { data } = await ask({ input: ['a', 'b'] })
    expect(data).toEqual([entry(0, [1]), entry(1, [2])])
  })

  test('without usage is charged by an estimate', async () => {
    first.onOther = (_call, response) => sendVectors(response, [entry(0)], null)
    const { result, charge } = await chargeOf(gateway, () => ask({ input: 'x'.repeat(41) }))
    expect(result.usage).toMatchObject({ prompt_tokens: 11, total_tokens: 11 })
    expect(charge).toBe(11n * PER_TOKEN)
    expect(svcOf(result).estimated).toBe(true)
  })

  test('with a total alone is charged by it', async () => {
    first.onOther = (_call, response) => sendVectors(response, [entry(0)], { prompt_tokens: 0, total_tokens: 9 })
    const { charge, result } = await chargeOf(gateway, () => ask())
    expect([charge, nanocreditsIn(result)]).toEqual([9n * PER_TOKEN, 9n * PER_TOKEN])
  })

  test('of a model without a stated kind is the upstream’s affair', async () => {
    expect((await ask({}, 'bge-m3')).data).toEqual([entry(0)])
  })
})

describe('what is no answer is a 502 and free', () => {
  test.each([
    ['too few vectors', [entry(0)]],
    ['one vector twice', [entry(0), entry(0)]],
    ['a vector of another text', [entry(0), entry(2)]],
    ['a vector without numbers', [entry(0), entry(1, [])]],
    ['a number that is none', [entry(0), entry(1, [null])]],
    ['text that is no vector', [entry(0), entry(1, 'abc')]],
    ['no list', { data: 1 }],
    [
      'a number in bytes that is none',
      [entry(0), entry(1, Buffer.from(Float32Array.of(Number.NaN).buffer).toString('base64'))],
    ],
  ])('%s', async (_name, data) => {
    first.onOther = (_call, response) => sendVectors(response, data, usage)
    const { result, charge } = await chargeOf(gateway, () => failureOf(ask({ input: ['a', 'b'] })))
    expect(result).toMatchObject({ status: 502, code: 'upstream_error' })
    expect(charge).toBe(0n)
  })

  test('and what it costs is a write-off', async () => {
    first.onOther = (_call, response) => sendVectors(response, [], { ...usage, cost: 0.5 })
    const { result, charge } = await chargeOf(gateway, () => failureOf(ask()))
    expect(result).toMatchObject({ status: 502, code: 'upstream_empty' })
    expect(charge).toBe(0n)
    expect(await lastRecord(gateway)).toMatchObject({ status: 'error', error_code: 'upstream_empty' })
  })
})

describe('a route with two upstreams', () => {
  const refuse =
    (status: number) =>
    (_call: StubCall, response: ServerResponse): void =>
      void response.writeHead(status, { 'content-type': 'application/json' }).end('{"error":{"message":"no"}}')

  test('asks the second where the first has billed nothing, and charges by its price', async () => {
    first.onOther = refuse(429)
    const { charge } = await chargeOf(gateway, () => ask({}, 'embed-twice'))
    expect(calls.map((call) => call.json?.['model'])).toEqual(['two'])
    expect(charge).toBe(7n * PER_TOKEN * 10n)
    expect(await lastRecord(gateway)).toMatchObject({ upstream_model: 'two' })
  })

  test('asks no other upstream where it may have been billed', async () => {
    first.onOther = refuse(500)
    const { charge } = await chargeOf(gateway, () => failureOf(ask({}, 'embed-twice')))
    expect([calls.length, charge]).toEqual([0, 0n])
  })
})
