/**
 * Servers that answer in the other form: events to a client that asked for a whole answer, a document to one that asked
 * for a stream. The client gets what it asked for, and pays for it as for any other answer.
 */
import { describe, expect, test } from 'vitest'
import { chunkText, usageText } from '../packages/server/testing/stub-upstream.ts'
import { useGateway } from '../packages/server/testing/use-gateway.ts'
import { useStubUpstream } from '../packages/server/testing/use-stub-upstream.ts'
import { lastBooked } from './books-of.ts'
import { errorOf } from './error-of.ts'
import { finishesIn, streamOf } from './events-of.ts'

const stub = useStubUpstream()
const gateway = useGateway(() => ({
  ...{ upstreamUrl: stub.url, kind: 'openai-compatible' },
  file: { prices: { local: { input: '1', output: '2' } } },
}))

const QUESTION = { model: 'local', messages: [{ role: 'user', content: 'Say hello.' }] }
const event = (data: string): string => `data: ${data}\n\n`
const says = (delta: Record<string, unknown>, finish: string | null = null, more: object = {}): string =>
  event(chunkText(delta, finish, more))
const DONE = event('[DONE]')
const USAGE = { prompt_tokens: 10, completion_tokens: 5 }
/** Of the cost of 0.002 USD, and by the price list: 10 × 1 + 5 × 2 millionths of a dollar. */
const COST = { charge: 2_400_000_000n, cost: 2_000_000_000n }
const LISTED = { charge: 24_000_000n, cost: 20_000_000n }
const WHOLE = [says({ role: 'assistant', content: 'Hel' }), says({ content: 'lo' }), says({}, 'stop')].join('')
const BILLED = event(usageText(USAGE, '0.002'))
const COUNTED = event(usageText(USAGE))

function answers(text: string, type: string | null = 'text/event-stream', isCut = false): void {
  stub.onChat = (_call, response) => {
    response.writeHead(200, type === null ? {} : { 'content-type': type })
    if (isCut) response.write(text, () => response.destroy())
    else response.end(text)
  }
}

interface Answer {
  readonly choices: readonly {
    readonly index: number
    readonly message: Record<string, unknown>
    readonly finish_reason: string
    readonly logprobs: unknown
  }[]
  readonly usage: Record<string, unknown>
}

async function whole(): Promise<Answer> {
  const response = await gateway.chat(QUESTION)
  expect([response.status, response.headers.get('content-type')]).toEqual([200, 'application/json; charset=utf-8'])
  return (await response.json()) as Answer
}

describe('events that came for a whole answer', () => {
  test.each([
    ['of events', 'text/event-stream; charset=utf-8'],
    ['of JSON', 'application/json'],
    ['of text', 'text/plain'],
    ['of bytes', 'application/octet-stream'],
    ['of none', null],
  ])('are one answer under the content type %s, charged once by its cost', async (_name, type) => {
    answers(`${WHOLE}${BILLED}${DONE}`, type)
    expect(await whole()).toMatchObject({
      object: 'chat.completion',
      choices: [{ index: 0, message: { role: 'assistant', content: 'Hello' }, finish_reason: 'stop' }],
      usage: { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 },
    })
    expect(await lastBooked(gateway)).toMatchObject({ ...COST, writeOff: 0n, status: 'ok', isEstimated: false })
  })

  test.each([
    ['comments before everything', `: hello\n\n${WHOLE}${COUNTED}${DONE}`],
    ['a byte order mark and blank lines before everything', `\uFEFF\n\n${WHOLE}${COUNTED}${DONE}`],
    ['lines that end with CR LF', `${WHOLE}${COUNTED}${DONE}`.replaceAll('\n', '\r\n')],
    ['no [DONE]', `${WHOLE}${COUNTED}`],
    ['nor a blank line at its end', `${WHOLE}${COUNTED}`.trimEnd()],
    ['several counts, of which the last is the whole', `${COUNTED}${WHOLE}${COUNTED}${COUNTED}${DONE}`],
  ])('may have %s', async (_name, text) => {
    answers(text)
    expect(await whole()).toMatchObject({ choices: [{ message: { content: 'Hello' } }] })
    expect(await lastBooked(gateway)).toMatchObject({ ...LISTED, writeOff: 0n })
  })

  test('that come byte by byte are known all the same', async () => {
    stub.onChat = async (_call, response) => {
      response.writeHead(200, { 'content-type': 'application/json' })
      for (const byte of `${says({ content: 'Hello' }, 'stop')}${COUNTED}`) {
        await new Promise<void>((resolve) => void response.write(byte, () => resolve()))
      }
      response.end()
    }
    expect(await whole()).toMatchObject({ choices: [{ message: { content: 'Hello' } }] })
  })

  test('keep everything that a choice can say', async () => {
    const logprob = (token: string) => ({ logprobs: { content: [{ token, logprob: -1, bytes: null }] } })
    const choice = (delta: object, more: object = {}) =>
      event(JSON.stringify({ choices: [{ index: 0, delta, ...more }] }))
    const citation = { type: 'url_citation', url_citation: { url: 'https://example.org', title: 'x' } }
    const image = { type: 'image_url', image_url: { url: 'data:image/png;base64,AAAA' } }
    answers(
      [
        choice({ role: 'assistant', reasoning: 'Let me ' }),
        choice({ reasoning: 'see.', reasoning_details: [{ type: 'reasoning.text', text: 'Let ', index: 0 }] }),
        choice({ reasoning_details: [{ type: 'reasoning.text', text: 'me', index: 0 }] }),
        choice({ reasoning_details: [{ type: 'reasoning.text', signature: 'c2ln', index: 0 }] }),
        choice({ content: 'A' }, logprob('A')),
        choice({ content: 'B', annotations: [citation] }, logprob('B')),
        choice({ images: [image] }),
        choice({ audio: { id: 'audio_1', data: 'QQ==', transcript: 'a' } }),
        choice({ audio: { data: 'Qg==', transcript: 'b', expires_at: 5 } }),
        choice({}, { finish_reason: 'stop' }),
        COUNTED,
        DONE,
      ].join(''),
    )
    const [{ message, logprobs } = { message: {}, logprobs: null }] = (await whole()).choices
    expect(message).toMatchObject({
      role: 'assistant',
      reasoning_content: 'Let me see.',
      reasoning_details: [{ type: 'reasoning.text', text: 'Let me', signature: 'c2ln', index: 0 }],
      content: 'AB',
      annotations: [citation],
      images: [image],
      audio: { id: 'audio_1', data: 'QUI=', transcript: 'ab', expires_at: 5 },
    })
    expect(logprobs).toMatchObject({ content: [{ token: 'A' }, { token: 'B' }] })
  })

  test.each([
    ['numbered', 0, 1],
    ['not numbered', undefined, undefined],
    ['all with one number', 0, 0],
  ])('call tools, %s', async (_name, first, second) => {
    const named = (index: number | undefined, id: string, name: string, text: string) =>
      says({ tool_calls: [{ index, id, type: 'function', function: { name, arguments: text } }] })
    const more = (index: number | undefined, text: string) =>
      says({ tool_calls: [{ index, function: { arguments: text } }] })
    answers(
      [
        says({ role: 'assistant', content: '' }),
        ...[named(first, 'call_a', 'add', '{"a"'), more(first, ':1}')],
        ...[named(second, 'call_b', 'sub', ''), more(second, '{}')],
        says({}, 'tool_calls'),
        COUNTED,
        DONE,
      ].join(''),
    )
    const [choice] = (await whole()).choices
    expect(choice).toMatchObject({
      finish_reason: 'tool_calls',
      message: {
        content: null,
        tool_calls: [
          { id: 'call_a', type: 'function', function: { name: 'add', arguments: '{"a":1}' } },
          { id: 'call_b', type: 'function', function: { name: 'sub', arguments: '{}' } },
        ],
      },
    })
  })

  test('refuse', async () => {
    answers([says({ refusal: 'I will ' }), says({ refusal: 'not.' }, 'stop'), COUNTED, DONE].join(''))
    expect((await whole()).choices[0]?.message).toMatchObject({ refusal: 'I will not.', content: null })
  })

  test('hold several choices, in their order, each with its own end', async () => {
    const choice = (index: number, content: string, finish_reason: string | null) =>
      event(JSON.stringify({ choices: [{ index, delta: { content }, finish_reason }] }))
    answers([choice(1, 'b', null), choice(0, 'a', 'stop'), choice(1, 'b', 'length'), COUNTED, DONE].join(''))
    const response = await gateway.chat({ ...QUESTION, n: 2 })
    const { choices } = (await response.json()) as Answer
    expect(choices.map(({ index, message, finish_reason: end }) => [index, message['content'], end])).toEqual([
      [0, 'a', 'stop'],
      [1, 'bb', 'length'],
    ])
  })

  test.each([
    ['that is billed', BILLED, COST.cost],
    ['that is counted, at its price', COUNTED, LISTED.cost],
    ['that says nothing of its cost', '', 0n],
  ])('that are cut are free, and an answer %s is written off', async (_name, usage, writeOff) => {
    answers(`${says({ content: 'Hel' })}${usage}${says({ content: 'lo' })}`, 'text/event-stream', true)
    const response = await gateway.chat(QUESTION)
    expect([response.status, (await errorOf(response)).code]).toEqual([502, 'upstream_error'])
    expect(await lastBooked(gateway)).toMatchObject({ charge: 0n, writeOff, cost: writeOff, status: 'error' })
  })

  test('that say an error are that error', async () => {
    answers(`${says({ content: 'Hel' })}${event('{"error":{"message":"slow down","code":429}}')}`)
    const response = await gateway.chat(QUESTION)
    expect([response.status, (await errorOf(response)).code]).toEqual([503, 'server_is_overloaded'])
    expect(await lastBooked(gateway)).toMatchObject({ charge: 0n, writeOff: 0n, status: 'error' })
  })

  test('that say nothing are an empty answer, whose cost is written off', async () => {
    answers(`${says({ role: 'assistant', content: '' }, 'stop')}${BILLED}${DONE}`)
    const response = await gateway.chat(QUESTION)
    expect([response.status, (await errorOf(response)).code]).toEqual([502, 'upstream_empty'])
    expect(await lastBooked(gateway)).toMatchObject({ charge: 0n, writeOff: COST.cost, status: 'error' })
  })

  test('are shown by the status of an error page, too', async () => {
    stub.onChat = (_call, response) =>
      void response
        .writeHead(400, { 'content-type': 'text/event-stream' })
        .end(event('{"error":{"message":"too long","code":"context_length_exceeded"}}'))
    for (const stream of [false, true]) {
      const response = await gateway.chat({ ...QUESTION, stream })
      expect([response.status, (await errorOf(response)).code]).toEqual([400, 'context_length_exceeded'])
    }
  })
})

describe('a document that came for a stream', () => {
  const CALL = { id: 'call_1', type: 'function', function: { name: 'add', arguments: '{}' } }
  const choice = (index: number, message: object, finish_reason: string | null) => ({ index, message, finish_reason })
  const completion = (choices: readonly object[]) =>
    JSON.stringify({ object: 'chat.completion', choices, usage: USAGE }, null, 2)
  const HELLO = completion([choice(0, { role: 'assistant', content: 'Hello' }, 'stop')])
  const streamed = (body: object = {}) => streamOf(gateway, { ...QUESTION, ...body })

  test.each([
    ['of events', 'text/event-stream'],
    ['of JSON', 'application/json'],
    ['of text', 'text/plain'],
    ['of none', null],
  ])('is a stream under the content type %s', async (_name, type) => {
    for (const before of ['', '\n \r\n', '\uFEFF']) {
      answers(`${before}${HELLO}`, type)
      const { content, frames, events } = await streamed({ stream_options: { include_usage: true } })
      expect([content, finishesIn(frames), events.at(-1)]).toEqual(['Hello', ['stop'], '[DONE]'])
      expect(frames.at(-1)).toMatchObject({ choices: [], usage: { prompt_tokens: 10, completion_tokens: 5 } })
      expect(frames[0]?.choices?.[0]).toMatchObject({ delta: { role: 'assistant' }, finish_reason: null })
      expect(await lastBooked(gateway)).toMatchObject({ ...LISTED, status: 'ok', isEstimated: false })
    }
  })

  test('has each of its choices', async () => {
    answers(completion([choice(0, { content: 'a' }, 'length'), choice(1, { content: null, tool_calls: [CALL] }, null)]))
    const { frames } = await streamed({ n: 2 })
    expect(finishesIn(frames)).toEqual(['length', 'tool_calls'])
    const deltas = frames.flatMap(({ choices = [] }) => choices).filter(({ index }) => index === 1)
    expect(deltas[0]?.delta['tool_calls']).toEqual([{ index: 0, ...CALL }])
  })

  test.each([
    ['an error', '{"error":{"message":"no","code":503},"usage":{"cost":0.002}}', 503, 'server_is_overloaded'],
    [
      'an empty answer',
      completion([choice(0, { content: '' }, 'stop')]).replace(/10,/, '10,"cost":0.002,'),
      502,
      'upstream_empty',
    ],
    ['no answer', '{"choices":[],"usage":{"cost":0.002}}', 502, 'upstream_error'],
    ['a choice that failed', '{"choices":[{"finish_reason":"error"}],"usage":{"cost":0.002}}', 502, 'upstream_error'],
  ])('that is %s is free, and its cost is written off', async (_name, text, status, code) => {
    for (const type of ['text/event-stream', 'application/json']) {
      answers(text, type)
      const response = await gateway.chat({ ...QUESTION, stream: true })
      expect([response.status, (await errorOf(response)).code]).toEqual([status, code])
      expect(await lastBooked(gateway)).toMatchObject({ charge: 0n, writeOff: COST.cost, status: 'error' })
    }
  })

  test.each([
    ['/v1/completions', { max_tokens: 50, prompt: 'Hi' }, '[DONE]', '"text":"Hello"'],
    ['/v1/responses', { input: 'Hi', store: false }, '"type":"response.completed"', 'Hello'],
    ['/v1/messages', { max_tokens: 50, messages: QUESTION.messages }, '"type":"message_stop"', 'Hello'],
  ])('is a stream of %s', async (path, body, end, text) => {
    answers(HELLO, 'application/json')
    const response = await gateway.fetch(path, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ model: 'local', stream: true, ...body }),
    })
    const sent = await response.text()
    expect([response.status, sent.includes(end), sent.includes(text)]).toEqual([200, true, true])
    expect(await lastBooked(gateway)).toMatchObject({ ...LISTED, status: 'ok' })
  })
})
