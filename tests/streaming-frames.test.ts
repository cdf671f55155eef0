/** What a stream looks like to its client, whatever the upstream's looks like. */
import type { ServerResponse } from 'node:http'
import { setImmediate as nextTurn } from 'node:timers/promises'
import fc from 'fast-check'
import OpenAI from 'openai'
import { beforeEach, describe, expect, test } from 'vitest'
import { beginStream, chunkText, sendEvent, sendStream, usageText } from '../packages/server/testing/stub-upstream.ts'
import { createRandom } from '../packages/server/testing/random.ts'
import { startTestGateway } from '../packages/server/testing/test-gateway.ts'
import { useGateway } from '../packages/server/testing/use-gateway.ts'
import { useStubUpstream } from '../packages/server/testing/use-stub-upstream.ts'
import { cardOf, chargeOf, nanocreditsIn } from './charge-of.ts'
import { finishesIn, type Frame, QUESTION, readStream, streamOf } from './events-of.ts'

const USAGE = { prompt_tokens: 10, completion_tokens: 5 }
const CHARGE = cardOf(10, 5)

const stub = useStubUpstream()
const gateway = useGateway(() => ({
  upstreamUrl: stub.url,
  credits: '1000000',
  file: { limits: { keep_alive_ms: 1 } },
}))

beforeEach(() => {
  stub.onChat = (_call, response) => sendStream(response)
})

/** Sends pieces so that each is read by itself: every piece is a chunk of its own, in a turn of its own. */
async function sendPieces(response: ServerResponse, pieces: readonly Buffer[]): Promise<void> {
  beginStream(response)
  for (const piece of pieces) {
    response.write(piece)
    await nextTurn()
  }
  response.end()
}

/** Has the upstream send exactly these bytes. */
function upstreamSends(...pieces: readonly (string | Buffer)[]): void {
  const bytes = pieces.map((piece) => Buffer.from(piece))
  stub.onChat = (_call, response) => sendPieces(response, bytes)
}

function piecesAt(bytes: Buffer, cuts: readonly number[]): Buffer[] {
  const ends = [...cuts, bytes.length].toSorted((left, right) => left - right)
  return ends.map((end, position) => bytes.subarray(ends[position - 1] ?? 0, end)).filter((piece) => piece.length > 0)
}

function events(...data: readonly string[]): string {
  return data.map((text) => `data: ${text}\n\n`).join('')
}

/** The ends of every well-formed stream: one `svc`, on the last JSON frame, then `[DONE]`, then nothing. */
function expectOrderlyEnd(text: string, frames: readonly Frame[]): void {
  expect(text.endsWith('data: [DONE]\n\n')).toBe(true)
  expect(text.match(/\[DONE\]/g)).toHaveLength(1)
  expect(frames.map((frame) => frame.svc !== undefined)).toEqual(frames.map((_, index) => index === frames.length - 1))
  expect(
    new Set(frames.map(({ id, created, model, object }) => JSON.stringify({ id, created, model, object }))).size,
  ).toBe(1)
}

describe('bytes', () => {
  // B042
  test('a character that is cut at any byte reaches the client whole, and costs the same', async () => {
    const frame = events('{"choices":[{"index":0,"delta":{"content":"\u597d\u{1f642}"}}]}')
    const head = Buffer.from(events(chunkText({ role: 'assistant', content: '' })))
    const tail = Buffer.from(events(chunkText({}, 'stop'), usageText(USAGE), '[DONE]'))
    const bytes = Buffer.concat([head, Buffer.from(frame), tail])
    const last = head.length + Buffer.byteLength(frame)
    for (let cut = head.length; cut <= last; cut++) {
      upstreamSends(...piecesAt(bytes, [cut]))
      const { content, frames, text } = await streamOf(gateway)
      expect([cut, content, nanocreditsIn(frames.at(-1))]).toEqual([cut, '\u597d\u{1f642}', CHARGE])
      expect(text).not.toContain('\ufffd')
    }
  })

  test('a stream that comes byte by byte is the same stream', async () => {
    const bytes = Buffer.from(
      events(chunkText({ content: 'Gr\u00fc\u00dfe \u{1f469}\u200d\u{1f680}' }), chunkText({}, 'stop'), '[DONE]'),
    )
    upstreamSends(...piecesAt(bytes, [...bytes.keys()]))
    expect((await streamOf(gateway)).content).toBe('Gr\u00fc\u00dfe \u{1f469}\u200d\u{1f680}')
  })

  test('any cuts, line ends, comments and spellings give the client the same text', { timeout: 180_000 }, async () => {
    const spelling = fc.record({
      words: fc.array(fc.string({ unit: 'grapheme', maxLength: 12 }), { minLength: 1, maxLength: 6 }),
      lineEnd: fc.constantFrom('\n', '\r\n', '\r'),
      space: fc.constantFrom('', ' '),
      comment: fc.constantFrom('', ': OPENROUTER PROCESSING', ':', 'retry: 10', 'event: message', 'id: 1'),
      cuts: fc.array(fc.nat({ max: 4_000 }), { maxLength: 30 }),
    })
    const keepsText = fc.asyncProperty(spelling, async ({ words, lineEnd, space, comment, cuts }) => {
      const data = [
        ...words.map((content) => chunkText({ content })),
        chunkText({}, 'stop'),
        usageText(USAGE),
        '[DONE]',
      ]
      const lines = data.map(
        (json) => `${comment === '' ? '' : comment + lineEnd}data:${space}${json}${lineEnd}${lineEnd}`,
      )
      upstreamSends(
        ...piecesAt(
          Buffer.from(lines.join('')),
          cuts.map((cut) => cut % lines.join('').length),
        ),
      )
      const { content, frames, text } = await streamOf(gateway, { stop: ['x'] })
      expect(content).toBe(words.join(''))
      expectOrderlyEnd(text, frames)
    })
    const { seed } = createRandom()
    console.log(`stream spellings: seed ${seed}`)
    await fc.assert(keepsText, { seed, numRuns: 60 })
  })

  // B044
  test('a CR and a LF in two reads are one line end', async () => {
    const [head = '', rest = ''] = chunkText({ content: 'one event' }).split(',"choices"')
    upstreamSends(
      `data: ${head},\r`,
      `\ndata: "choices"${rest}\r`,
      '\n\r',
      `\n${events(chunkText({}, 'stop'), '[DONE]')}`,
    )
    expect((await streamOf(gateway)).content).toBe('one event')
  })

  test('data over several lines is one event', async () => {
    const spread = JSON.stringify(JSON.parse(chunkText({ content: 'spread' })), null, 2).replaceAll('\n', '\ndata: ')
    upstreamSends(`data: ${spread}\n\n${events(chunkText({}, 'stop'), '[DONE]')}`)
    const { content, events: sent } = await streamOf(gateway)
    expect(content).toBe('spread')
    expect(sent.every((data) => !data.includes('\n'))).toBe(true)
  })

  // B046
  test('a colon needs no space after it', async () => {
    const sent = [chunkText({ content: 'tight' }), chunkText({}, 'stop'), usageText(USAGE), '[DONE]']
    upstreamSends(sent.map((data) => `data:${data}\n\n`).join(''))
    const { content, frames, text } = await streamOf(gateway)
    expect([content, nanocreditsIn(frames.at(-1))]).toEqual(['tight', CHARGE])
    expectOrderlyEnd(text, frames)
  })

  // B047
  test("an upstream's comments never become data", async () => {
    const comments = ': OPENROUTER PROCESSING\n\n'.repeat(5)
    upstreamSends(comments, events(chunkText({ content: 'Hi' })), comments, events(chunkText({}, 'stop'), '[DONE]'))
    const client = new OpenAI({ baseURL: gateway.v1, apiKey: gateway.key })
    const stream = await client.chat.completions.create({ ...QUESTION, messages: [...QUESTION.messages], stream: true })
    let content = ''
    for await (const chunk of stream) content += chunk.choices[0]?.delta.content ?? ''
    expect(content).toBe('Hi')
    expect((await streamOf(gateway)).text).not.toContain('PROCESSING')
  })
})

describe('chunks', () => {
  // B049
  test('the charge travels inside a valid chunk, on exactly one, and it is the last before [DONE]', async () => {
    const { frames, text, events: sent } = await streamOf(gateway)
    expectOrderlyEnd(text, frames)
    expect(sent.at(-1)).toBe('[DONE]')
    expect(frames.at(-1)).toEqual({
      id: expect.stringMatching(/^chatcmpl-/),
      object: 'chat.completion.chunk',
      created: expect.any(Number),
      model: 'svc-gpt',
      choices: [{ index: 0, delta: {}, logprobs: null, finish_reason: 'stop' }],
      svc: { credits_charged: 0.00042, margin_bps: 2000 },
    })
    for (const frame of frames) expect(frame.choices).not.toHaveLength(0)
  })

  // B051
  test('the usage chunk that a client asked for has empty choices and every other field', async () => {
    const { frames, text } = await streamOf(gateway, { stream_options: { include_usage: true } })
    expectOrderlyEnd(text, frames)
    expect(frames.at(-1)).toEqual({
      id: frames[0]?.id,
      object: 'chat.completion.chunk',
      created: expect.any(Number),
      model: 'svc-gpt',
      choices: [],
      usage: { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15, cost: 0.00000042 },
      svc: { credits_charged: 0.00042, margin_bps: 2000 },
    })
    expect(frames.slice(0, -1).map((frame) => frame.usage)).toEqual(frames.slice(0, -1).map(() => null))
    expect(finishesIn(frames)).toEqual(['stop'])
  })

  test.each([
    [{}],
    [{ stream_options: null }],
    [{ stream_options: { include_usage: false } }],
    [{ stream_options: {} }],
  ])('a client that asked for no usage gets none: %j', async (options) => {
    const { frames, text } = await streamOf(gateway, options)
    expectOrderlyEnd(text, frames)
    expect(frames.every((frame) => !('usage' in frame))).toBe(true)
    expect(stub.chats.at(-1)?.json?.['stream_options']).toEqual({ include_usage: true })
  })

  // B052
  test('chunks without choices are taken in the upstream’s stride, and their usage is billed', async () => {
    const sent = ['{"id":"x","choices":null}', '{"id":"x"}', '{"choices":[]}', 'null', '[]', '7', '"x"']
    const usage = '{"choices":[],"usage":{"prompt_tokens":10,"completion_tokens":5}}'
    upstreamSends(events(...sent, chunkText({ content: 'Hi' }), chunkText({}, 'stop'), usage, '[DONE]'))
    const { result, charge } = await chargeOf(gateway, () => streamOf(gateway))
    expect([result.content, charge]).toEqual(['Hi', CHARGE])
    expectOrderlyEnd(result.text, result.frames)
  })

  test.each([
    ['before the content', [usageText(USAGE), chunkText({ content: 'Hi' }), chunkText({}, 'stop')]],
    ['on the chunk that finishes', [chunkText({ content: 'Hi' }), chunkText({}, 'stop', { usage: USAGE })]],
    [
      'growing on each chunk',
      [
        chunkText({ content: 'H' }, null, { usage: { prompt_tokens: 10, completion_tokens: 1 } }),
        chunkText({ content: 'i' }, null, { usage: { prompt_tokens: 10, completion_tokens: 3 } }),
        chunkText({}, 'stop', { usage: USAGE }),
      ],
    ],
    [
      'null on all chunks but the last',
      [chunkText({ content: 'Hi' }, null, { usage: null }), chunkText({}, 'stop', { usage: null }), usageText(USAGE)],
    ],
    [
      'beside an empty choice',
      [
        chunkText({ content: 'Hi' }),
        chunkText({}, 'stop'),
        chunkText({ role: 'assistant', content: '' }, null, { usage: USAGE }),
      ],
    ],
    [
      'beside the finish reason, said again',
      [chunkText({ content: 'Hi' }), chunkText({}, 'stop'), chunkText({ content: '' }, 'stop', { usage: USAGE })],
    ],
    ['in the vendor’s own object', [chunkText({ content: 'Hi' }), chunkText({}, 'stop', { x_groq: { usage: USAGE } })]],
  ])('usage is billed once wherever it is: %s', async (_where, sent) => {
    upstreamSends(events(...sent, '[DONE]'))
    const { result, charge } = await chargeOf(gateway, () => streamOf(gateway))
    expect([result.content, charge]).toEqual(['Hi', CHARGE])
    expectOrderlyEnd(result.text, result.frames)
    expect(finishesIn(result.frames)).toEqual(['stop'])
  })

  test('an answer that was cut by length never ends with a made-up stop', async () => {
    const empty = chunkText({ role: 'assistant', content: '' }, null, { usage: USAGE })
    upstreamSends(events(chunkText({ content: 'Hi' }), chunkText({}, 'length'), empty, '[DONE]'))
    expect(finishesIn((await streamOf(gateway)).frames)).toEqual(['length'])
    upstreamSends(events(chunkText({}, 'length'), chunkText({ content: 'late' }), usageText(USAGE), '[DONE]'))
    const { content, frames, text } = await streamOf(gateway)
    expect([content, finishesIn(frames)]).toEqual(['late', ['length']])
    expectOrderlyEnd(text, frames)
  })

  test('the role comes first, the ids are ours, and what the upstream says about itself stays behind', async () => {
    const own = { provider: 'Stub', native_finish_reason: 'end', timings: { ms: 1 }, x_groq: { id: 'r' } }
    const data = [chunkText({ role: 'assistant', content: '' }, null, own), chunkText({ content: 'Hi' }, null, own)]
    upstreamSends(events(...data, chunkText({}, 'stop', own), usageText(USAGE, '0.5'), '[DONE]'))
    const { frames, text, response } = await streamOf(gateway)
    expect(frames[0]?.choices).toEqual([
      { index: 0, delta: { role: 'assistant', content: '' }, logprobs: null, finish_reason: null },
    ])
    expect(frames[0]?.id).toBe(`chatcmpl-${response.headers.get('x-request-id')}`)
    expect(text).not.toMatch(/chatcmpl-stub|stub-model|Stub|native|timings|x_groq|cost/)
  })

  // B069
  test('tool calls that share an index are told apart by their ids, and what lacks one belongs to the last', async () => {
    const call = (id: string, text: string) => ({
      tool_calls: [{ index: 0, id, type: 'function', function: { name: 'f', arguments: text } }],
    })
    const without = { tool_calls: [{ index: 0, function: { arguments: '{"p":3}' } }] }
    const deltas = [call('a', '{"p":1}'), call('b', '{"p":2}'), without]
    upstreamSends(events(...deltas.map((delta) => chunkText(delta)), chunkText({}, 'tool_calls'), '[DONE]'))
    const { frames } = await streamOf(gateway)
    const numbered = deltas.map(({ tool_calls: calls }, place) => ({
      tool_calls: calls.map((piece) => ({ ...piece, index: Math.min(place, 1) })),
    }))
    const told = numbered.map((delta, place) => (place === 0 ? { role: 'assistant', ...delta } : delta))
    expect(frames.slice(0, -1).map((frame) => frame.choices?.[0]?.delta)).toEqual(told)
    expect(finishesIn(frames)).toEqual(['tool_calls'])
  })

  test('choices that end at different times keep their own text and their own ends', async () => {
    const of = (index: number, content: string, reason: string | null = null): string =>
      JSON.stringify({ choices: [{ index, delta: { content }, finish_reason: reason }] })
    upstreamSends(
      events(of(1, 'b'), of(0, 'a'), of(1, '', 'length'), of(0, 'A'), of(0, '', 'stop'), usageText(USAGE), '[DONE]'),
    )
    const many = await startTestGateway({
      upstreamUrl: stub.url,
      kind: 'openai-compatible',
      file: { default_price: { input: '1', output: '1' } },
    })
    const { frames, text, content } = await streamOf(many, { n: 2, model: 'any-model', max_tokens: 10 })
    await many.stop()
    expectOrderlyEnd(text, frames)
    expect([content, finishesIn(frames)]).toEqual(['aA', ['length', 'stop']])
  })
})

describe('the end', () => {
  test.each([
    ['with a finish reason', [chunkText({ content: 'Hi' }), chunkText({}, 'stop'), usageText(USAGE)]],
    ['with a finish reason on the content', [chunkText({ content: 'Hi' }, 'stop'), usageText(USAGE)]],
  ])('a stream %s needs no [DONE]', async (_how, sent) => {
    upstreamSends(events(...sent))
    const { result, charge } = await chargeOf(gateway, () => streamOf(gateway))
    expect([result.content, charge]).toEqual(['Hi', CHARGE])
    expectOrderlyEnd(result.text, result.frames)
  })

  test('a last event without its blank line still counts', async () => {
    upstreamSends(`${events(chunkText({ content: 'Hi' }), chunkText({}, 'stop'))}data: ${usageText(USAGE)}`)
    const { charge } = await chargeOf(gateway, () => streamOf(gateway))
    expect(charge).toBe(CHARGE)
  })

  test('what an upstream sends after [DONE] reaches no client and costs nothing', async () => {
    const late = events(chunkText({ content: 'late' }), usageText({ prompt_tokens: 900, completion_tokens: 900 }))
    upstreamSends(events(chunkText({ content: 'Hi' }), chunkText({}, 'stop'), usageText(USAGE), '[DONE]'), late)
    const { result, charge } = await chargeOf(gateway, () => streamOf(gateway))
    expect([result.content, charge]).toEqual(['Hi', CHARGE])
    expectOrderlyEnd(result.text, result.frames)
  })

  // B059
  test(
    '1,000 short streams with a comment every millisecond end with [DONE] and not a byte more',
    { timeout: 180_000 },
    async () => {
      const warnings: Error[] = []
      const note = (warning: Error): void => void warnings.push(warning)
      process.on('warning', note)
      stub.onChat = async (_call, response) => {
        beginStream(response)
        for (const data of [
          chunkText({ content: 'a' }),
          chunkText({ content: 'b' }),
          chunkText({}, 'stop'),
          usageText(USAGE),
        ]) {
          sendEvent(response, data)
          await nextTurn()
        }
        sendEvent(response, '[DONE]')
        response.end()
      }
      const ends: string[] = []
      const one = async (): Promise<void> => {
        const { content, text, frames } = await readStream(await gateway.chat({ ...QUESTION, stream: true }))
        expectOrderlyEnd(text, frames)
        ends.push(content)
      }
      const worker = async (): Promise<void> => {
        for (let turn = 0; turn < 20; turn++) await one()
      }
      await Promise.all(Array.from({ length: 50 }, worker))
      process.off('warning', note)
      expect(ends).toEqual(Array.from({ length: 1000 }, () => 'ab'))
      expect(warnings).toEqual([])
      expect(gateway.logged.filter((line) => line.includes('"level":"error"'))).toEqual([])
    },
  )
})
