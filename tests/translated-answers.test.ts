/** Answers of a chat in its other forms, through their own clients: what a chat has comes through, whole and streamed. */
import { responseReply } from '@svc/contract'
import Anthropic from '@anthropic-ai/sdk'
import OpenAI from 'openai'
import { beforeAll, describe, expect, test } from 'vitest'
import {
  beginStream,
  chunkText,
  sendCompletion,
  sendEvent,
  usageText,
} from '../packages/server/testing/stub-upstream.ts'
import { IMAGE } from '../packages/server/testing/stub-images.ts'
import { useGateway } from '../packages/server/testing/use-gateway.ts'
import { useStubUpstream } from '../packages/server/testing/use-stub-upstream.ts'
import { sendJson } from './audio-upstream.ts'

const stub = useStubUpstream()
const gateway = useGateway(() => ({ upstreamUrl: stub.url, credits: '1000' }))
const usage = { prompt_tokens: 10, completion_tokens: 5 }
const model = 'svc-gpt'
let anthropic: Anthropic
let openai: OpenAI
beforeAll(() => {
  anthropic = new Anthropic({ baseURL: gateway.baseUrl, apiKey: gateway.key, authToken: null, maxRetries: 0 })
  openai = new OpenAI({ baseURL: gateway.v1, apiKey: gateway.key, maxRetries: 0 })
})

/** The upstream's answer, whole and in the chunks of a stream. */
function answerWith(message: Record<string, unknown>, chunks: readonly string[], more: object = {}): void {
  stub.onChat = ({ wantsStream }, response) => {
    if (!wantsStream) return sendCompletion(response, { usage, message, more })
    beginStream(response)
    for (const data of [...chunks, chunkText({}, 'stop'), usageText(usage), '[DONE]']) sendEvent(response, data)
    response.end()
  }
}

const asked: Anthropic.MessageCreateParamsNonStreaming = {
  ...{ model, max_tokens: 500 },
  messages: [{ role: 'user', content: 'Say hello.' }],
}
const messages = [
  { name: 'whole', ask: () => anthropic.messages.create(asked) },
  { name: 'streamed', ask: () => anthropic.messages.stream(asked).finalMessage() },
]

describe('thoughts with a signature each', () => {
  const format = 'anthropic-claude-v1'
  const thoughts = [
    { type: 'reasoning.text', text: 'One.', signature: 'first', format, index: 0 },
    { type: 'reasoning.encrypted', data: 'sealed', format, index: 1 },
    { type: 'reasoning.text', text: 'Two.', signature: 'second', format, index: 2 },
  ] as const
  const blocks = [
    { type: 'thinking', thinking: 'One.', signature: 'first' },
    { type: 'redacted_thinking', data: 'sealed' },
    { type: 'thinking', thinking: 'Two.', signature: 'second' },
    { type: 'text', text: 'Hello' },
  ]
  const chunksOf = (details: readonly Record<string, unknown>[]): string[] => [
    ...details.flatMap(({ text, signature, ...detail }) => [
      chunkText({ ...(text === undefined ? {} : { reasoning: text }), reasoning_details: [{ ...detail, text }] }),
      ...(signature === undefined ? [] : [chunkText({ reasoning_details: [{ ...detail, signature }] })]),
    ]),
    chunkText({ content: 'Hello' }),
  ]

  test.each(messages)('stay apart in the Messages form, $name, and go back as they came', async ({ ask }) => {
    answerWith({ reasoning: 'One.Two.', reasoning_details: thoughts }, chunksOf(thoughts))
    const { content } = await ask()
    expect(content).toEqual(blocks)
    const later = { role: 'user' as const, content: 'And?' }
    await anthropic.messages.create({ ...asked, messages: [...asked.messages, { role: 'assistant', content }, later] })
    const sent = stub.chats.at(-1)?.json?.['messages'] as readonly Record<string, unknown>[] | undefined
    expect(sent?.[1]?.['reasoning_details']).toEqual(thoughts.map(({ index: _index, ...thought }) => thought))
  })

  test.each(messages)('that follow each other are two, $name', async ({ ask }) => {
    const two = [thoughts[0], { ...thoughts[2], index: 1 }]
    answerWith({ reasoning: 'One.Two.', reasoning_details: two }, chunksOf(two))
    expect((await ask()).content).toEqual([blocks[0], blocks[2], blocks[3]])
  })
})

describe('images that a chat makes', () => {
  const images = [{ type: 'image_url', image_url: { url: `data:image/png;base64,${IMAGE}` }, index: 0 }]
  const make = () => answerWith({ images }, [chunkText({ content: 'Hello' }), chunkText({ images })])

  test.each(messages)('stand beside the content of a message, $name', async ({ ask }) => {
    make()
    expect(await ask()).toMatchObject({ content: [{ type: 'text', text: 'Hello' }] })
    const response = await anthropic.messages.create({ ...asked }).asResponse()
    expect(await response.json()).toMatchObject({ images })
    const events = await anthropic.messages.create({ ...asked, stream: true }).asResponse()
    expect(await events.text()).toContain(`"images":${JSON.stringify(images)}`)
  })

  test.each([
    { name: 'whole', ask: () => openai.responses.create({ model, input: 'Hi' }) },
    { name: 'streamed', ask: () => openai.responses.stream({ model, input: 'Hi' }).finalResponse() },
  ])('are calls of the image tool in a response, $name', async ({ ask }) => {
    make()
    const { output } = await ask()
    expect(output).toMatchObject([
      { type: 'message', content: [{ text: 'Hello' }] },
      { type: 'image_generation_call', id: expect.stringMatching(/^ig_/), status: 'completed', result: IMAGE },
    ])
    expect(output.map((item) => responseReply.shape.output.element.safeParse(item).error)).toEqual([
      undefined,
      undefined,
    ])
    // The whole answer may be sent again, or be named.
    await openai.responses.create({ model, input: [...output, { role: 'user', content: 'And?' }] as never })
    const id = (output[1] as { id: string }).id
    await openai.responses.create({
      ...{
        model,
        input: [
          { type: 'item_reference', id },
          { role: 'user', content: 'And?' },
        ],
      },
    })
  })
})

test('a text completion has the images, and the sequence that ended it', async () => {
  const images = [{ type: 'image_url', image_url: { url: `data:image/png;base64,${IMAGE}` }, index: 0 }]
  const end = { index: 0, finish_reason: 'stop', stop_reason: 'END' }
  stub.onChat = ({ wantsStream }, response) => {
    if (!wantsStream) return sendJson(response, { choices: [{ ...end, message: { content: 'Hi', images } }], usage })
    beginStream(response)
    const last = JSON.stringify({ choices: [{ ...end, delta: {} }] })
    for (const data of [chunkText({ content: 'Hi', images }), last, usageText(usage), '[DONE]'])
      sendEvent(response, data)
    response.end()
  }
  const prompt = { model, prompt: 'Say hello.', max_tokens: 9, stop: ['END'] }
  const whole = await openai.completions.create(prompt)
  expect(whole.choices).toMatchObject([{ text: 'Hi', images, stop_reason: 'END' }])
  const choices: object[] = []
  for await (const chunk of await openai.completions.create({ ...prompt, stream: true })) choices.push(...chunk.choices)
  expect(choices).toMatchObject([
    { text: 'Hi', images },
    { finish_reason: 'stop', stop_reason: 'END' },
  ])
})

test('sources of two kinds that come with different chunks are both in the last event of each form', async () => {
  const [citations, search_results] = [['https://one.example'], [{ url: 'https://two.example', title: 'Two' }]]
  answerWith({}, [chunkText({ content: 'Hello' }, null, { citations }), chunkText({}, null, { search_results })])
  const last = { citations, search_results }
  const response = await openai.responses.stream({ model, input: 'Hi' }).finalResponse()
  expect(response).toMatchObject(last)
  const events = await (await anthropic.messages.create({ ...asked, stream: true }).asResponse()).text()
  const end = /event: message_delta\ndata: (.*)\n/.exec(events)?.[1] ?? '{}'
  expect(JSON.parse(end)).toMatchObject(last)
})

test('sources that come beside the usage are sent, where a chunk has brought others', async () => {
  const [citations, search_results] = [['https://one.example'], [{ url: 'https://two.example', title: 'Two' }]]
  stub.onChat = (_call, response) => {
    beginStream(response)
    sendEvent(response, chunkText({ content: 'Hello' }, null, { citations }))
    sendEvent(response, chunkText({}, 'stop'))
    for (const data of [usageText(usage, undefined, { citations, search_results }), '[DONE]']) sendEvent(response, data)
    response.end()
  }
  const seen: object[] = []
  for await (const chunk of await openai.chat.completions.create({
    ...{ model, messages: [{ role: 'user', content: 'Hi' }], stream: true },
  })) {
    const { citations: cited, search_results: found } = chunk as { citations?: object; search_results?: object }
    if (cited !== undefined) seen.push({ citations: cited })
    if (found !== undefined) seen.push({ search_results: found })
  }
  expect(seen).toEqual([{ citations }, { search_results }])
})
