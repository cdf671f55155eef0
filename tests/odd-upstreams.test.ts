/** Servers that speak OpenAI's protocol in a way of their own: what they mean is understood, and rightly charged. */
import { describe, expect, test } from 'vitest'
import { chunkText, sendCompletion, usageText } from '../packages/server/testing/stub-upstream.ts'
import { useGateway } from '../packages/server/testing/use-gateway.ts'
import { useStubUpstream } from '../packages/server/testing/use-stub-upstream.ts'
import { cardOf, chargeOf, lastRecord } from './charge-of.ts'
import { errorOf } from './error-of.ts'
import { finishesIn, QUESTION, streamOf } from './events-of.ts'

const stub = useStubUpstream()
const gateway = useGateway(() => ({ upstreamUrl: stub.url }))

const event = (data: string): string => `data: ${data}\n\n`
const says = (content: string): string => event(chunkText({ content }))
const FINISH = event(chunkText({}, 'stop'))
const USAGE = event(usageText({ prompt_tokens: 10, completion_tokens: 5 }))
const DONE = event('[DONE]')
const CHARGE = cardOf(10, 5)

function answers(text: string, type = 'text/event-stream', headers: Record<string, string | string[]> = {}): void {
  stub.onChat = (_call, response) => void response.writeHead(200, { 'content-type': type, ...headers }).end(text)
}

const streamed = (body: object = {}) => chargeOf(gateway, () => streamOf(gateway, body))
const asked = (body: object = {}) => chargeOf(gateway, () => gateway.chat({ ...QUESTION, ...body }))

describe('a stream with oddities is the same answer', () => {
  test.each([
    ['a byte order mark before everything', ['\uFEFF', says('one'), says(' two'), FINISH, USAGE, DONE]],
    [
      'events without data as signs of life',
      ['data:\n\n', says('one'), 'data: \n\ndata\n\n', says(' two'), FINISH, 'data:\n\n', USAGE, DONE],
    ],
    ['blanks around [DONE]', [says('one'), says(' two'), FINISH, USAGE, 'data:  [DONE] \n\n']],
    [
      'an empty word as finish reason until there is one',
      [event(chunkText({ content: 'one' }, '')), event(chunkText({ content: ' two' }, '')), FINISH, USAGE, DONE],
    ],
    ['events that are no objects', [event('null'), says('one'), event('[]'), event('7'), says(' two'), FINISH, USAGE]],
  ])('%s', async (_name, parts) => {
    answers(parts.join(''))
    const { result, charge } = await streamed()
    expect([result.content, finishesIn(result.frames), result.events.at(-1)]).toEqual(['one two', ['stop'], '[DONE]'])
    expect(charge).toBe(CHARGE)
  })

  test('under the content type of JSON', async () => {
    answers([says('one'), FINISH, USAGE, DONE].join(''), 'application/json')
    const { result, charge } = await streamed()
    expect([result.content, finishesIn(result.frames), charge]).toEqual(['one', ['stop'], CHARGE])
  })

  test('with an encoding that is none, named twice', async () => {
    answers([says('one'), FINISH, USAGE, DONE].join(''), 'text/event-stream', {
      'content-encoding': ['identity', 'identity'],
    })
    const { result, charge } = await streamed()
    expect([result.content, charge]).toEqual(['one', CHARGE])
  })

  test('of two choices one of which never ended', async () => {
    const choices = (finish_reason: string | null) =>
      event(
        JSON.stringify({
          choices: [0, 1].map((index) => ({
            index,
            delta: { content: 'x' },
            finish_reason: index === 0 ? finish_reason : null,
          })),
        }),
      )
    answers([choices(null), choices('stop')].join(''))
    const { result } = await streamed()
    expect(result.frames.at(-1)?.error?.['code']).toBe('upstream_error')
  })

  // An empty reason must not make an answer whole whose end never came.
  test('an empty finish reason ends no answer', async () => {
    answers(event(chunkText({ content: 'one' }, '')))
    const { result } = await streamed()
    expect([result.content, result.frames.at(-1)?.error?.['code']]).toEqual(['one', 'upstream_error'])
  })
})

const MESSAGE = { role: 'assistant', content: 'Hello' }
const CALL = { id: 'call_1', type: 'function', function: { name: 'add', arguments: '{}' } }

function wholeAnswer(message: object, finishReason: string | null): string {
  const usage = { prompt_tokens: 10, completion_tokens: 5 }
  return JSON.stringify({ choices: [{ index: 0, finish_reason: finishReason, message }], usage }, null, 2)
}

describe('a whole answer in the place of a stream is a stream to its client', () => {
  test('text, with the usage that was asked for', async () => {
    answers(`\uFEFF${wholeAnswer(MESSAGE, 'stop')}`, 'application/json; charset=utf-8')
    const { result, charge } = await streamed({ stream_options: { include_usage: true } })
    expect([result.content, finishesIn(result.frames), charge]).toEqual(['Hello', ['stop'], CHARGE])
    expect(result.frames.at(-1)).toMatchObject({ choices: [], usage: { prompt_tokens: 10, completion_tokens: 5 } })
  })

  test('under the content type of a stream', async () => {
    answers(wholeAnswer(MESSAGE, 'stop'))
    const { result, charge } = await streamed()
    expect([result.content, finishesIn(result.frames), charge]).toEqual(['Hello', ['stop'], CHARGE])
    answers('{"error":{"message":"slow down","code":429}}')
    const failed = await asked({ stream: true })
    expect([failed.result.status, (await errorOf(failed.result)).code, failed.charge]).toEqual([
      503,
      'server_is_overloaded',
      0n,
    ])
  })

  test('calls of tools, numbered', async () => {
    answers(
      wholeAnswer({ role: 'assistant', content: null, tool_calls: [CALL, CALL] }, 'tool_calls'),
      'application/json',
    )
    const { result, charge } = await streamed()
    const delta = result.frames[0]?.choices?.[0]?.delta
    expect(delta?.['tool_calls']).toEqual([
      { index: 0, ...CALL },
      { index: 1, ...CALL },
    ])
    expect([finishesIn(result.frames), charge]).toEqual([['tool_calls'], CHARGE])
  })

  test('an empty one is a failure, and free', async () => {
    answers(wholeAnswer({ role: 'assistant', content: '' }, 'stop'), 'application/json')
    const { result, charge } = await asked({ stream: true })
    expect([result.status, (await errorOf(result)).code, charge]).toEqual([502, 'upstream_empty', 0n])
  })
})

test('a byte order mark before an answer is skipped', async () => {
  answers(`\uFEFF${wholeAnswer(MESSAGE, 'stop')}`, 'application/json')
  const { result, charge } = await asked()
  expect([result.status, charge]).toEqual([200, CHARGE])
  expect(await result.json()).toMatchObject({ choices: [{ message: MESSAGE }] })
})

test('interim answers before the answer are passed over', async () => {
  stub.onChat = (_call, response) => {
    response.writeEarlyHints({ link: '</style.css>; rel=preload' })
    response.writeProcessing()
    sendCompletion(response)
  }
  const { result, charge } = await asked()
  expect([result.status, charge]).toEqual([200, CHARGE])
})

describe('an answer that calls tools without saying so at its end', () => {
  test('whole', async () => {
    answers(wholeAnswer({ role: 'assistant', content: null, tool_calls: [CALL] }, null), 'application/json')
    const { result } = await asked()
    expect(await result.json()).toMatchObject({ choices: [{ finish_reason: 'tool_calls' }] })
  })

  test('streamed', async () => {
    answers([event(chunkText({ tool_calls: [{ index: 0, ...CALL }] })), USAGE, DONE].join(''))
    const { result } = await streamed()
    expect(finishesIn(result.frames)).toEqual(['tool_calls'])
  })
})

// B054: an error that is not seen becomes a success that was none.
describe('an error inside a 200 stream ends it, and is free', () => {
  test.each([
    ['an event of that name', 'event: error\ndata: {"message":"no capacity","code":503}\n\n', 'server_is_overloaded'],
    ['an event of that name with a text', 'event: error\ndata: overloaded\n\n', 'upstream_error'],
    ['a sentence beside no choices', event('{"code":"Throttling","message":"bad","request_id":"r"}'), 'upstream_error'],
    ['a detail beside no choices', event('{"detail":"boom"}'), 'upstream_error'],
  ])('%s', async (_name, error, code) => {
    answers([says('one'), error, DONE].join(''))
    const { result, charge } = await streamed()
    expect([result.frames.at(-1)?.error?.['code'], finishesIn(result.frames), charge]).toEqual([code, [], 0n])
    answers([error, DONE].join(''))
    const early = await asked({ stream: true })
    expect([(await errorOf(early.result)).code, early.charge]).toEqual([code, 0n])
  })
})

// B159
describe('the upstream’s own sentence is shown, wherever it is', () => {
  test.each([
    ['{"detail":"too long by far"}'],
    ['{"detail":[{"loc":["body"],"msg":"too long by far","type":"value_error"}]}'],
    ['{"message":"too long by far","code":400}'],
    ['[{"error":{"message":"too long by far","code":400}}]'],
    ['{"error":{"message":{"detail":"too long by far"}}}'],
    ['{"error":"{\\"error\\":{\\"message\\":\\"too long by far\\"}}"}'],
    ['{"error":{"message":"[{\\"error\\":{\\"message\\":\\"too long by far\\"}}]"}}'],
  ])('%s', async (body) => {
    stub.onChat = (_call, response) => void response.writeHead(400, { 'content-type': 'application/json' }).end(body)
    const { result, charge } = await asked()
    expect([result.status, (await errorOf(result)).message, charge]).toEqual([400, 'too long by far', 0n])
  })

  test('a list that is nested without end is no sentence', async () => {
    const deep = `{"error":${'['.repeat(5_000)}${']'.repeat(5_000)}}`
    stub.onChat = (_call, response) => void response.writeHead(400, { 'content-type': 'application/json' }).end(deep)
    const { result } = await asked()
    expect((await errorOf(result)).message).toBe('The model refused this request.')
  })
})

// B154
test.each([
  ['1.5', '2'],
  [' 7 ', '7'],
  ['abc', '2'],
])('a wait of %j is sent as %s seconds', async (sent, told) => {
  stub.onChat = (_call, response) => void response.writeHead(429, { 'retry-after': sent }).end('{"error":"slow"}')
  const { result } = await asked()
  expect([result.status, result.headers.get('retry-after')]).toEqual([503, told])
})

describe('counts that cannot be', () => {
  const TEXT = 'one two three four five six'

  /** Counted here: four bytes of output are a token. */
  const ESTIMATED_TOKENS = Math.ceil(TEXT.length / 4)

  // −1 in 32 and 64 bits, and more than any context: such a count took the whole balance.
  test.each([4_294_967_295, 2_147_483_647, 1e15, 18_446_744_073_709_552_000])(
    '%d tokens are not believed: what was delivered is charged',
    async (tokens) => {
      const usage = { prompt_tokens: 10, completion_tokens: tokens }
      answers([says(TEXT), FINISH, event(usageText(usage)), DONE].join(''))
      const { charge } = await streamed()
      const record = await lastRecord(gateway)
      expect(record).toMatchObject({ completion_tokens: ESTIMATED_TOKENS, estimated: true })
      expect(charge).toBe(cardOf(record.prompt_tokens, ESTIMATED_TOKENS))

      stub.onChat = (_call, response) => sendCompletion(response, { text: TEXT, usage })
      const whole = await asked()
      expect(whole.charge).toBe(cardOf((await lastRecord(gateway)).prompt_tokens, ESTIMATED_TOKENS))
    },
  )

  test('a prompt of as many tokens is none either', async () => {
    stub.onChat = (_call, response) =>
      sendCompletion(response, { text: TEXT, usage: { prompt_tokens: 4_294_967_295, completion_tokens: 7 } })
    expect((await asked()).charge).toBeLessThan(cardOf(100, 7))
  })

  // An estimate by bytes must not charge tokens that the caller has forbidden, unless far more came than was allowed.
  test('an estimate stays within the limit that was asked for', async () => {
    for (const [limit, charged] of [
      [1_000, 250],
      [200, 200],
      [10, 10],
    ] as const) {
      answers([says('x'.repeat(limit === 10 ? 400 : 1_000)), FINISH, DONE].join(''))
      const { charge } = await streamed({ max_tokens: limit })
      const record = await lastRecord(gateway)
      expect(record).toMatchObject({ completion_tokens: charged, estimated: true })
      expect(charge).toBe(cardOf(record.prompt_tokens, charged))
    }
    answers([says('x'.repeat(4_000)), FINISH, DONE].join(''))
    await streamed({ max_tokens: 10 })
    expect((await lastRecord(gateway)).completion_tokens).toBe(1_000)
  })

  // The first event of such a stream knows the prompt only. Its zero is not the count of what follows.
  test('usage that is reported at the start alone does not make the answer free', async () => {
    const first = chunkText({ role: 'assistant', content: '' }, null, {
      usage: { prompt_tokens: 10, completion_tokens: 0, total_tokens: 10 },
    })
    answers([event(first), says(TEXT), FINISH, DONE].join(''))
    expect((await streamed()).charge).toBe(cardOf(10, ESTIMATED_TOKENS))
    expect(await lastRecord(gateway)).toMatchObject({ prompt_tokens: 10, estimated: true })
  })
})

// B069: where the gateway itself puts an answer together, calls with one number are still two.
describe('calls that share a number', () => {
  const piece = (id: string, text: string): string =>
    event(chunkText({ tool_calls: [{ index: 0, id, type: 'function', function: { name: 'add', arguments: text } }] }))

  test.each([
    ['/v1/responses', { input: 'Hi', store: false }],
    ['/v1/messages', { max_tokens: 50, messages: [{ role: 'user', content: 'Hi' }] }],
  ])('stay apart at %s', async (path, body) => {
    answers(
      [piece('call_a', '{"p":1}'), piece('call_b', '{"p":2}'), event(chunkText({}, 'tool_calls')), USAGE, DONE].join(
        '',
      ),
    )
    const response = await gateway.fetch(path, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ model: 'svc-gpt', stream: true, ...body }),
    })
    const text = await response.text()
    for (const id of ['call_a', 'call_b']) expect(text).toContain(id)
    expect(text).not.toContain('{\\"p\\":1}{\\"p\\":2}')
    expect(text.match(/event: (?:response\.output_item\.added|content_block_start)\n/g)).toHaveLength(2)
  })
})
