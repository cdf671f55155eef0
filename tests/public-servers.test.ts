/**
 * Answers of public servers, read to their ends by the official clients in the three forms of a chat: whole and
 * streamed, each also in the place of the other. What is charged is what the server counted.
 */
import Anthropic from '@anthropic-ai/sdk'
import { createOpenAICompatible } from '@ai-sdk/openai-compatible'
import { generateText, streamText } from 'ai'
import OpenAI from 'openai'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { publicServers } from '../packages/server/src/upstreams/__fixtures__/public-servers.ts'
import type {
  BadAnswer,
  GoodAnswer,
  PublicServer,
} from '../packages/server/src/upstreams/__fixtures__/public-server.ts'
import type { StubHandler } from '../packages/server/testing/stub-upstream.ts'
import { startTestGateway, type TestGateway } from '../packages/server/testing/test-gateway.ts'
import { useStubUpstream } from '../packages/server/testing/use-stub-upstream.ts'
import { chargeOf, lastRecord } from './charge-of.ts'
import { askSurface, surfaces } from './surfaces.ts'

const stub = useStubUpstream()
const KINDS = ['openai-compatible', 'anthropic', 'gemini'] as const
const gateways = new Map<string, TestGateway>()

beforeAll(async () => {
  const file = { prices: { local: { input: '1', output: '2', cached_input: '0.5' } } }
  for (const kind of KINDS) gateways.set(kind, await startTestGateway({ upstreamUrl: stub.url, kind, file }))
})
afterAll(() => Promise.all([...gateways.values()].map((gateway) => gateway.stop())))

const gatewayOf = ({ kind = 'openai-compatible' }: PublicServer): TestGateway => gateways.get(kind) as TestGateway

/** Plays an answer in the way that was asked for; where the server has it in the other alone, in that. */
function play({ whole, events, status = 200 }: Pick<BadAnswer, 'whole' | 'events' | 'status'>): void {
  const handler: StubHandler = (call, response) => {
    const isEvents = events !== undefined && (call.wantsStream || whole === undefined)
    response.writeHead(status, { 'content-type': isEvents ? 'text/event-stream' : 'application/json' })
    response.end(isEvents ? events : whole)
  }
  stub.onChat = handler
  stub.onOther = handler
}

/** What a client reads; `reasoning` is undefined where the client shows none. */
interface ClientRead {
  readonly text: string
  readonly reasoning?: string
  readonly calls: readonly (readonly [string, unknown])[]
  readonly finish: string | null | undefined
}

const parsed = (input: string): unknown => JSON.parse(input)
const messages = [{ role: 'user' as const, content: 'Hi' }]
const usage = { stream_options: { include_usage: true } }

function readChat({ choices }: OpenAI.ChatCompletion): ClientRead {
  const { message, finish_reason: finish } = choices[0] as OpenAI.ChatCompletion.Choice
  const calls = (message.tool_calls ?? []).flatMap((call) => (call.type === 'function' ? [call.function] : []))
  return {
    ...{ text: message.content ?? '', finish },
    reasoning: String(Reflect.get(message, 'reasoning_content') ?? ''),
    calls: calls.map((call) => [call.name, parsed(call.arguments)]),
  }
}

const STOPS: Readonly<Record<string, string>> = { end_turn: 'stop', tool_use: 'tool_calls', max_tokens: 'length' }

function readMessage({ content, stop_reason: stop }: Anthropic.Message): ClientRead {
  return {
    text: content.map((block) => (block.type === 'text' ? block.text : '')).join(''),
    reasoning: content.map((block) => (block.type === 'thinking' ? block.thinking : '')).join(''),
    calls: content.flatMap((block) => (block.type === 'tool_use' ? [[block.name, block.input] as const] : [])),
    finish: STOPS[stop ?? ''],
  }
}

function readResponse({ output, output_text: text, incomplete_details: cut }: OpenAI.Responses.Response): ClientRead {
  const calls = output.flatMap((item) =>
    item.type === 'function_call' ? [[item.name, parsed(item.arguments)] as const] : [],
  )
  const thoughts = output.flatMap((item) => (item.type === 'reasoning' ? item.summary : []))
  const ended = calls.length > 0 ? 'tool_calls' : 'stop'
  return {
    ...{ text, calls, reasoning: thoughts.map((part) => part.text).join('') },
    finish: cut === null ? ended : 'length',
  }
}

interface SdkRead {
  readonly text: string
  readonly toolCalls: readonly { readonly toolName: string; readonly input: unknown }[]
  readonly finishReason: string
}

function readSdk({ text, toolCalls, finishReason }: SdkRead): ClientRead {
  const calls = toolCalls.map(({ toolName, input }) => [toolName, input] as const)
  return { text, calls, finish: finishReason.replace('tool-calls', 'tool_calls') }
}

const openai = (gateway: TestGateway) => new OpenAI({ baseURL: gateway.v1, apiKey: gateway.key, maxRetries: 0 })
const anthropic = (gateway: TestGateway) =>
  new Anthropic({ baseURL: gateway.baseUrl, apiKey: gateway.key, authToken: null, maxRetries: 0 })
const sdk = (gateway: TestGateway) =>
  createOpenAICompatible({ name: 'svc', baseURL: gateway.v1, apiKey: gateway.key, includeUsage: true })('local')

/** Each client, whole and streamed. */
const CLIENTS: readonly (readonly [string, (gateway: TestGateway) => Promise<ClientRead>])[] = [
  ['openai, chat', async (to) => readChat(await openai(to).chat.completions.create({ model: 'local', messages }))],
  [
    'openai, chat streamed',
    async (to) => {
      const stream = openai(to).chat.completions.stream({ model: 'local', messages, ...usage })
      const pieces: unknown[] = []
      // The client puts together what it knows; of other members it keeps the last piece.
      stream.on('chunk', ({ choices: [choice] }) => {
        pieces.push(Reflect.get(choice?.delta ?? {}, 'reasoning_content') ?? '')
      })
      return { ...readChat(await stream.finalChatCompletion()), reasoning: pieces.join('') }
    },
  ],
  [
    'openai, responses',
    async (to) => readResponse(await openai(to).responses.create({ model: 'local', input: 'Hi', store: false })),
  ],
  [
    'openai, responses streamed',
    async (to) =>
      readResponse(await openai(to).responses.stream({ model: 'local', input: 'Hi', store: false }).finalResponse()),
  ],
  [
    'anthropic, messages',
    async (to) => readMessage(await anthropic(to).messages.create({ model: 'local', max_tokens: 500, messages })),
  ],
  [
    'anthropic, messages streamed',
    async (to) =>
      readMessage(await anthropic(to).messages.stream({ model: 'local', max_tokens: 500, messages }).finalMessage()),
  ],
  ['ai, chat', async (to) => readSdk(await generateText({ model: sdk(to), messages, maxRetries: 0 }))],
  [
    'ai, chat streamed',
    async (to) => {
      const errors: unknown[] = []
      const onError = ({ error }: { readonly error: unknown }): void => void errors.push(error)
      const { text, toolCalls, finishReason } = streamText({ model: sdk(to), messages, maxRetries: 0, onError })
      const read = readSdk({ text: await text, toolCalls: await toolCalls, finishReason: await finishReason })
      expect(errors).toEqual([])
      return read
    },
  ],
]

/** Nanocredits of an answer: 1 USD for a million tokens is 1,000,000 for each, and a fifth comes on top. */
function dueOf({ tokens, cost }: GoodAnswer): bigint | null {
  if (cost !== undefined) return BigInt(Math.round(Number(cost) * 1e9)) * 1_200n
  if (tokens === null) return null
  const [prompt, cached, completion] = tokens
  return BigInt(prompt - cached) * 1_200_000n + BigInt(cached) * 600_000n + BigInt(completion) * 2_400_000n
}

describe.each(publicServers)('$server', (server) => {
  test.each(server.answers)('$name', async (answer) => {
    const { text, reasoning = '', calls = [], finish = 'stop' } = answer.reads
    const wanted = { text, reasoning, calls: calls.map(([name, input]) => [name, parsed(input)]), finish }
    const gateway = gatewayOf(server)
    play(answer)
    for (const [client, ask] of CLIENTS) {
      const { result, charge } = await chargeOf(gateway, () => ask(gateway))
      expect({ ...wanted, ...result, client }).toEqual({ ...wanted, client })
      const { prompt_tokens: prompt, completion_tokens: completion, estimated } = await lastRecord(gateway)
      const due = dueOf(answer) ?? BigInt(prompt ?? 0) * 1_200_000n + BigInt(completion ?? 0) * 2_400_000n
      expect({ client, charge, estimated }).toEqual({ client, charge: due, estimated: answer.tokens === null })
    }
  })

  test.each(server.failures)('$name is an error, and free', async (failure) => {
    const gateway = gatewayOf(server)
    play(failure)
    for (const surface of surfaces) {
      const { result, charge } = await chargeOf(gateway, () => askSurface(gateway, surface))
      const { name } = surface
      expect({ name, error: result.error, charge }).toEqual({ name, error: failure.code, charge: 0n })
    }
  })
})
