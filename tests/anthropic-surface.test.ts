/** What clients of Anthropic's API need beside messages: threads, models, names of models, errors. With its own client. */
import Anthropic, { NotFoundError } from '@anthropic-ai/sdk'
import { betaTool } from '@anthropic-ai/sdk/helpers/beta/json-schema'
import { beforeAll, describe, expect, test } from 'vitest'
import { useGateway } from '../packages/server/testing/use-gateway.ts'
import { failureOf, lastRecord } from './charge-of.ts'

const gateway = useGateway(() => ({
  file: {
    client_names: { 'claude-next-*': 'svc-opus', 'claude-opus-4-1': null, 'my-coder': 'svc-gpt', lost: 'nothing' },
  },
}))
let client: Anthropic
beforeAll(() => {
  client = new Anthropic({ baseURL: gateway.baseUrl, apiKey: gateway.key, authToken: null, maxRetries: 0 })
})

const hello = { max_tokens: 200, messages: [{ role: 'user' as const, content: 'Say hello.' }] }

describe('threads', () => {
  test('are refused in the words that clients fall back from', async () => {
    const thread = client.beta.messages.thread({ model: 'svc-gpt', max_tokens: 200 })
    const error = await failureOf(thread.send({ role: 'user', content: 'Hello' }))
    expect(error).toBeInstanceOf(Anthropic.ThreadUnsupportedRequestError)
    expect(error).toMatchObject({ error: { error: { details: { error_code: 'thread_unsupported_request' } } } })
  })

  test('a runner of tools goes on without one', async () => {
    const seen: unknown[] = []
    const weather = betaTool({
      name: 'get_weather',
      description: 'Weather of a city.',
      inputSchema: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
      run: (input) => {
        seen.push(input)
        return 'Hail, 4 degrees.'
      },
    })
    const messages = [{ role: 'user' as const, content: 'Call get_weather.' }]
    const last = await client.beta.messages.toolRunner({
      model: 'svc-gpt',
      max_tokens: 300,
      messages,
      tools: [weather],
    })
    expect(seen).toMatchObject([{ city: expect.any(String) }])
    expect(last.content).toMatchObject([{ type: 'text', text: expect.stringContaining('Hail, 4 degrees.') }])
  })
})

describe('models', () => {
  test('are listed with what Anthropic says of them, names of clients first, page by page', async () => {
    const page = await client.models.list({ limit: 10 })
    expect(page).toMatchObject({ has_more: true, first_id: 'my-coder', last_id: page.data[9]?.id })
    expect(page.data.slice(0, 2).map(({ id }) => id)).toEqual(['my-coder', 'claude-fable-5'])
    expect(page.data[1]).toMatchObject({
      type: 'model',
      display_name: expect.stringContaining('Claude'),
      created_at: expect.stringMatching(/^\d{4}-.*Z$/),
      max_input_tokens: 1_000_000,
      max_tokens: 128_000,
      capabilities: null,
      svc: { type: 'text' },
    })
    const all: string[] = []
    for await (const { id } of client.models.list({ limit: 100 })) all.push(id)
    expect(new Set(all).size).toBe(all.length)
    expect(all).toEqual(expect.arrayContaining(['svc-gpt', 'claude-opus-5-5', 'openrouter/anthropic/claude-opus-5.5']))
    expect(all).not.toContain('openrouter/openai/whisper-1')
    expect((await client.models.list()).data.map(({ id }) => id)).toEqual(all)
    const before = await client.models.list({ before_id: all[20]!, limit: 5 })
    expect([before.data.map(({ id }) => id), before.has_more]).toEqual([all.slice(15, 20), true])
  })

  test('one is shown by any of its names', async () => {
    const shown = { type: 'model', display_name: expect.stringContaining('Opus 5.5') }
    expect(await client.models.retrieve('claude-opus-5-5')).toMatchObject({ id: 'claude-opus-5-5', ...shown })
    expect(await client.models.retrieve('anthropic/claude-opus-5.5')).toMatchObject(shown)
  })

  test('other clients see the list as before', async () => {
    const list = (await (await gateway.fetch('/v1/models')).json()) as { data: { id: string }[] }
    expect(Object.keys(list)).toEqual(['object', 'data', 'total_count', 'links'])
    expect(Object.keys(list.data[0]!)).not.toContain('display_name')
    expect(list.data.map(({ id }) => id)).not.toContain('claude-opus-5-5')
  })

  test.each(['after_id', 'before_id'])('an unknown %s is refused', async (param) => {
    const error = await failureOf(client.models.list({ [param]: 'nothing' }))
    expect(error).toMatchObject({ status: 400, error: { type: 'error', error: { code: 'invalid_value', param } } })
  })
})

describe('names that clients ask for by default', () => {
  test.each([
    ['claude-opus-5-5', 'anthropic/claude-opus-5.5'],
    ['claude-haiku-4-5-20251001', 'anthropic/claude-haiku-4.5'],
    ['gpt-5.3-codex', 'openai/gpt-5.3-codex'],
    ['my-coder', 'svc-gpt'],
    ['claude-next-7', 'svc-opus'],
  ])('%s is served by %s', async (name, served) => {
    const answer = await client.messages.create({ ...hello, model: name })
    expect(answer).toMatchObject({ model: name, stop_reason: 'end_turn' })
    expect(await lastRecord(gateway)).toMatchObject({ model: name, upstream_model: served, status: 'ok' })
  })

  test.each(['claude-opus-4-1', 'claude-opus-5-5-extra', 'lost'])('%s leads nowhere', async (model) => {
    expect(await failureOf(client.messages.create({ ...hello, model }))).toBeInstanceOf(NotFoundError)
  })
})

describe('errors have the form of the client', () => {
  const asked = { 'anthropic-version': '2023-06-01' }
  const of = (status: number, type: string, code: string) => ({ status, type, code })
  test.each([
    ['an unknown address, of a client of Anthropic', '/v1/nothing', asked, of(404, 'not_found_error', 'unknown_url')],
    ['an unknown address below messages', '/v1/messages/nothing', {}, of(404, 'not_found_error', 'unknown_url')],
    ['another method', '/v1/messages', {}, of(405, 'invalid_request_error', 'method_not_allowed')],
    ['an unknown model', '/v1/models/nothing', asked, of(404, 'not_found_error', 'model_not_found')],
  ])('%s', async (_what, path, headers, { status, ...error }) => {
    const answer = await gateway.fetch(path, { headers })
    expect(answer.status).toBe(status)
    expect(await answer.json()).toMatchObject({
      type: 'error',
      error: { ...error, message: expect.any(String) },
      request_id: answer.headers.get('x-request-id'),
    })
  })

  test('others get the usual one', async () => {
    const body = await (await gateway.fetch('/v1/nothing')).json()
    expect(body).toEqual({ error: expect.objectContaining({ code: 'unknown_url', type: 'invalid_request_error' }) })
  })
})
