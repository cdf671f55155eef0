/** Conversations of several turns in the form of Responses: clients name earlier items in place of sending them. */
import { createOpenAI } from '@ai-sdk/openai'
import { generateText, isStepCount, type ModelMessage, streamText, tool } from 'ai'
import OpenAI from 'openai'
import { beforeEach, expect, test } from 'vitest'
import { z } from 'zod'
import {
  beginStream,
  chunkText,
  sendCompletion,
  sendEvent,
  sendStream,
  usageText,
} from '../packages/server/testing/stub-upstream.ts'
import { describeEachEngine } from '../packages/server/testing/test-database.ts'
import { startTestGateway } from '../packages/server/testing/test-gateway.ts'
import { useGateway } from '../packages/server/testing/use-gateway.ts'
import { useStubUpstream } from '../packages/server/testing/use-stub-upstream.ts'
import { failureOf } from './charge-of.ts'

const model = 'svc-gpt'
const DAY_MS = 86_400_000
const SAID = 'Let me look at the sky.'
const call = { id: 'call_1', type: 'function', function: { name: 'weather', arguments: '{"city":"Oslo"}' } }
const usage = { prompt_tokens: 10, completion_tokens: 5 }

describeEachEngine('a conversation', (engine) => {
  const stub = useStubUpstream()
  const gateway = useGateway(() => ({ engine, upstreamUrl: stub.url, clock: { now: () => now } }))
  let now = Date.now()
  /** Says something and calls a tool first, answers then. */
  beforeEach(() => {
    stub.chats.length = 0
    stub.onChat = ({ json }, response) => {
      const isAnswer = JSON.stringify(json?.['messages']).includes('"role":"tool"')
      if (json?.['stream'] !== true) {
        const asks = { text: SAID, usage, message: { tool_calls: [call] }, finishReason: 'tool_calls' }
        return sendCompletion(response, isAnswer ? { text: 'It hails.', usage } : asks)
      }
      if (isAnswer) return sendStream(response, { words: ['It ', 'hails.'], usage })
      beginStream(response)
      for (const word of SAID.split(/(?<= )/)) sendEvent(response, chunkText({ content: word }))
      sendEvent(response, chunkText({ tool_calls: [{ index: 0, ...call }] }, 'tool_calls'))
      sendEvent(response, usageText(usage))
      sendEvent(response, '[DONE]')
      response.end()
    }
  })

  const client = (apiKey = gateway.key): OpenAI => new OpenAI({ baseURL: gateway.v1, apiKey, maxRetries: 0 })
  const openai = () => createOpenAI({ baseURL: gateway.v1, apiKey: gateway.key })(model)
  const tools = {
    weather: tool({ inputSchema: z.object({ city: z.string() }), execute: ({ city }) => `hail in ${city}` }),
  }
  const lastMessages = () => stub.chats.at(-1)?.json?.['messages'] as { role: string; content: unknown }[]
  const turns = [
    { role: 'user', content: 'Weather?' },
    { role: 'assistant', content: SAID, tool_calls: [call] },
    { role: 'tool', tool_call_id: 'call_1', content: 'hail in Oslo' },
    { role: 'assistant', content: 'It hails.' },
    { role: 'user', content: 'And now?' },
  ]
  const plain = (messages: readonly { readonly content: unknown }[]) =>
    messages.map(({ content, ...message }) => {
      const [part] = Array.isArray(content) ? (content as { text: string }[]) : []
      return { ...message, content: part === undefined ? content : part.text }
    })

  test('of ai with its default settings goes on over tools and turns', async () => {
    const messages: ModelMessage[] = [{ role: 'user', content: 'Weather?' }]
    const first = await generateText({ model: openai(), tools, stopWhen: isStepCount(3), messages })
    expect(first.text).toBe('It hails.')
    messages.push(...first.responseMessages, { role: 'user', content: 'And now?' })
    await generateText({ model: openai(), tools, messages })
    expect(plain(lastMessages())).toEqual(turns)
  })

  test('that is streamed does, too', async () => {
    const messages: ModelMessage[] = [{ role: 'user', content: 'Weather?' }]
    const first = streamText({ model: openai(), tools, stopWhen: isStepCount(3), messages })
    expect(await first.text).toBe('It hails.')
    messages.push(...(await first.responseMessages), { role: 'user', content: 'And now?' })
    expect(await streamText({ model: openai(), tools, messages }).text).toBe('It hails.')
    expect(plain(lastMessages())).toEqual(turns)
  })

  test('names items of its own key alone, for a day, and none where nothing was to be kept', async () => {
    const said = async (more: object): Promise<OpenAI.Responses.ResponseInput> => {
      const { output } = await client().responses.create({ model, input: 'Weather?', ...more })
      const id = output.find(({ type }) => type === 'message')?.id ?? ''
      return [
        { type: 'item_reference', id },
        { role: 'user', content: 'And now?' },
      ]
    }
    const input = await said({})
    const { rawKey } = await gateway.createKey()
    const refusal = { status: 400, code: 'unsupported_parameter', param: 'input.0' }
    expect(await failureOf(client(rawKey).responses.create({ model, input }))).toMatchObject(refusal)
    expect(await failureOf(client().responses.create({ model, input: await said({ store: false }) }))).toMatchObject(
      refusal,
    )
    await client().responses.create({ model, input })
    expect(plain(lastMessages())[0]).toEqual({ role: 'assistant', content: SAID })
    now += DAY_MS
    expect(await failureOf(client().responses.create({ model, input }))).toMatchObject(refusal)
  })

  test('is in no table and in no log', async () => {
    await client().responses.create({ model, input: 'Weather?' })
    const rows = await gateway.gateway.database.read.selectFrom('idempotent_request').selectAll().execute()
    expect(rows.length).toBeGreaterThan(0)
    expect(JSON.stringify(rows)).not.toContain('look at the sky')
    expect(gateway.logged.join('')).not.toContain('look at the sky')
  })
})

test('a request that refers to too much is refused', async () => {
  const gateway = await startTestGateway()
  const client = new OpenAI({ baseURL: gateway.v1, apiKey: gateway.key, maxRetries: 0 })
  const seedOf = (index: number): string => index.toString(16).padStart(32, '0')
  const input = Array.from({ length: 513 }, (_none, index) => ({
    type: 'item_reference' as const,
    id: `msg_${seedOf(index)}_0`,
  }))
  const error = await failureOf(client.responses.create({ model, input }))
  expect(error).toMatchObject({ status: 413, code: 'request_too_large', param: 'input' })
  await gateway.stop()
})
