/** How long a Responses request is: counted free, and cut at its oldest where it may be. */
import OpenAI from 'openai'
import type { ResponseInputItem } from 'openai/resources/responses/responses'
import { beforeEach, describe, expect, test } from 'vitest'
import { leaveOut } from '../packages/server/src/forms/responses/truncate-chat.ts'
import { useGateway } from '../packages/server/testing/use-gateway.ts'
import { useStubUpstream } from '../packages/server/testing/use-stub-upstream.ts'
import { chargeOf, failureOf } from './charge-of.ts'

const WINDOW = 1_000
const model = 'narrow'
const stub = useStubUpstream()
stub.onOther = (_call, response) => {
  const listed = { id: model, object: 'model', created: 1, context_length: WINDOW }
  response.writeHead(200, { 'content-type': 'application/json' })
  response.end(JSON.stringify({ object: 'list', data: [listed] }))
}
const gateway = useGateway(() => ({
  ...{ upstreamUrl: stub.url, kind: 'openai-compatible', credits: '100' },
  file: { prices: { [model]: { input: '1', output: '1' } } },
}))
const client = () => new OpenAI({ baseURL: gateway.v1, apiKey: gateway.key, maxRetries: 0 })
beforeEach(() => void (stub.chats.length = 0))

const said = (word: string): string => `${word} `.repeat(300)
const turns: ResponseInputItem[] = [
  { role: 'user', content: said('first') },
  { role: 'assistant', content: said('second') },
  { role: 'user', content: said('third') },
  { role: 'assistant', content: said('fourth') },
  { role: 'user', content: said('fifth') },
]
function sentWords(): string[] {
  const messages = (stub.chats.at(-1)?.json?.['messages'] ?? []) as { content: string }[]
  return messages.map(({ content }) => content.split(' ', 1)[0] ?? '')
}

describe('a conversation that is longer than the window', () => {
  test('goes on without its oldest where it may, and as it is where it may not', async () => {
    await client().responses.create({ model, input: turns, instructions: 'Be brief.', truncation: 'auto' })
    expect(sentWords()).toEqual(['Be', 'third', 'fourth', 'fifth'])
    await client().responses.create({ model, input: turns, truncation: 'disabled' })
    expect(sentWords()).toHaveLength(turns.length)
  })

  test('has room for the output that is asked for', async () => {
    await client().responses.create({ model, input: turns, truncation: 'auto', max_output_tokens: 500 })
    expect(sentWords()).toEqual(['fifth'])
  })

  test('that fits stays whole', async () => {
    await client().responses.create({ model, input: turns.slice(2), truncation: 'auto' })
    expect(sentWords()).toEqual(['third', 'fourth', 'fifth'])
  })

  test('keeps instructions, the last turn, and each call with its output', () => {
    const messages = ['system', 'user', 'assistant', 'tool', 'user', 'assistant', 'tool', 'assistant', 'tool'].map(
      (role, index) => ({ role, content: `${index}` }),
    )
    const left = (bytes: number) =>
      leaveOut(messages, bytes)
        .map(({ content }) => content)
        .join('')
    expect(left(0)).toBe('012345678')
    // The answer to a question that is left out goes with it.
    expect(left(1)).toBe('045678')
    expect(left(150)).toBe('0478')
    expect(left(1_000)).toBe('0478')
  })
})

describe('a count', () => {
  test('says how long a request is, and costs nothing', async () => {
    const { result, charge } = await chargeOf(gateway, () =>
      client().responses.inputTokens.count({ model, input: turns, tools: [{ type: 'web_search' }] }),
    )
    expect(result).toMatchObject({ object: 'response.input_tokens', svc: { estimated: true } })
    expect(result.input_tokens).toBeGreaterThan(1_400)
    expect(result.input_tokens).toBeLessThan(1_700)
    expect([charge, stub.chats.length]).toEqual([0n, 0])
  })

  test.each([
    [401, 'invalid_api_key', null, { key: 'sk-svc-wrong' }],
    [404, 'model_not_found', 'model', { model: 'none' }],
    [400, 'unsupported_parameter', 'conversation', { conversation: 'conv_1' }],
    [400, 'missing_required_parameter', 'input', { input: undefined }],
  ])(
    'is refused with %i %s',
    async (status, code, param, { key = gateway.key, ...more }: Record<string, string | undefined>) => {
      const asking = new OpenAI({ baseURL: gateway.v1, apiKey: key, maxRetries: 0 })
      const error = await failureOf(asking.responses.inputTokens.count({ model, input: 'Hi', ...more }))
      expect(error).toMatchObject({ status, code, param })
    },
  )
})
