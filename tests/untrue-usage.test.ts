/**
 * Upstreams that count wrongly, or in part: what was delivered is charged by what can be true of their counts and by our
 * own for the rest, and a cost that they name is never lost. Each answer is asked for whole and as a stream.
 */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startStubUpstream, type StubUpstream } from '../packages/server/testing/stub-upstream.ts'
import { describeEachEngine } from '../packages/server/testing/test-database.ts'
import { startTestGateway, type TestGateway } from '../packages/server/testing/test-gateway.ts'
import { lastBooked } from './books-of.ts'
import { lastRecord } from './charge-of.ts'
import { credits } from './open-stream.ts'

/** 10,000 bytes, which are 2,000 tokens to an upstream and 2,500 by our count. */
const LONG = 'word '.repeat(2_000)
const KINDS = ['openai-compatible', 'anthropic', 'gemini'] as const
type Kind = (typeof KINDS)[number]

/** What an upstream sends: a document where it is an object, else events. */
type Sent = object | string

const named = (event: { readonly type: string }): string => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`
const plain = (event: object): string => `data: ${JSON.stringify(event)}\n\n`

const ended = (usage: object | null | undefined, stop_reason = 'end_turn'): string =>
  named({ type: 'message_delta', delta: { stop_reason }, ...(usage === undefined ? {} : { usage }) } as never) +
  named({ type: 'message_stop' })
const started = named({
  ...{ type: 'message_start' },
  message: { role: 'assistant', model: 'm', content: [], usage: { input_tokens: 10, output_tokens: 1 } },
} as never)
const told = (text: string): string =>
  named({ type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } } as never) +
  named({ type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text } } as never)
const message = (usage: object): object => ({
  ...{ type: 'message', role: 'assistant', model: 'm', stop_reason: 'end_turn', usage },
  content: [{ type: 'text', text: LONG }],
})

const candidate = (text: string | null, finishReason: string | null, usageMetadata?: object): object => ({
  candidates: [
    {
      index: 0,
      content: { parts: text === null ? [] : [{ text }] },
      ...(finishReason === null ? {} : { finishReason }),
    },
  ],
  ...(usageMetadata === undefined ? {} : { usageMetadata }),
})
const prompt = { promptTokenCount: 10 }

const chunk = (delta: object, finish_reason: string | null = null, more: object = {}): string =>
  plain({ choices: [{ index: 0, delta, finish_reason }], ...more })
const count = (completion_tokens: unknown, more: object = {}) => ({
  usage: { prompt_tokens: 10, completion_tokens, ...more },
})
const whole = (usage: object): object => ({
  choices: [{ index: 0, message: { role: 'assistant', content: LONG }, finish_reason: 'stop' }],
  usage,
})
const DONE = 'data: [DONE]\n\n'

/** The usage of each is none for the output: what was delivered since the last true count is added to that. */
const uncounted: Readonly<Record<Kind, readonly (readonly [name: string, sent: Sent, tokens: number])[]>> = {
  anthropic: [
    ['no last usage', started + told(LONG) + ended(undefined), 2_501],
    ['a last usage of null', started + told(LONG) + ended(null), 2_501],
    ['a last count of null', started + told(LONG) + ended({ output_tokens: null }), 2_501],
    ['a negative last count', started + told(LONG) + ended({ output_tokens: -5 }), 2_501],
    ['a last count of zero', started + told(LONG) + ended({ output_tokens: 0 }), 2_500],
    ['a last count as text', started + told(LONG) + ended({ output_tokens: '2000' }), 2_501],
    ['a huge last count', started + told(LONG) + ended({ output_tokens: 1e12 }), 2_501],
    ['a document with a negative count', message({ input_tokens: 10, output_tokens: -1 }), 2_500],
    ['a document without a count', message({ input_tokens: 10 }), 2_500],
    ['a document with a count of one', message({ input_tokens: 10, output_tokens: 1 }), 2_500],
  ],
  gemini: [
    ['no count, and a total of the prompt', plain(candidate(LONG, 'STOP', { ...prompt, totalTokenCount: 10 })), 2_500],
    ['a count of null', plain(candidate(LONG, 'STOP', { ...prompt, candidatesTokenCount: null })), 2_500],
    ['a negative count', plain(candidate(LONG, 'STOP', { ...prompt, candidatesTokenCount: -1 })), 2_500],
    ['thoughts that alone are counted', plain(candidate(LONG, 'STOP', { ...prompt, thoughtsTokenCount: 500 })), 3_000],
    [
      'an early count alone',
      plain(candidate('a', null, { ...prompt, candidatesTokenCount: 1 })) + plain(candidate(LONG, 'STOP')),
      2_501,
    ],
    ['a document without a count', candidate(LONG, 'STOP', prompt), 2_500],
  ],
  'openai-compatible': [
    [
      'an early count alone',
      chunk({ content: 'a' }, null, count(1)) + chunk({ content: LONG }) + chunk({}, 'stop') + DONE,
      2_501,
    ],
    [
      'an early count under a vendor’s key',
      chunk({ content: 'a' }, null, { x_groq: count(1) }) + chunk({ content: LONG }) + chunk({}, 'stop') + DONE,
      2_501,
    ],
    ['a last count of zero', chunk({ content: LONG }) + chunk({}, 'stop', count(0)) + DONE, 2_500],
    [
      'a count that falls back to zero',
      chunk({ content: LONG }, null, count(2_000)) + chunk({}, 'stop', count(0)) + DONE,
      2_500,
    ],
    ['a count of null', chunk({ content: LONG }) + chunk({}, 'stop', count(null)) + DONE, 2_500],
    ['a count above every window', chunk({ content: LONG }) + chunk({}, 'stop', count(90_000_000)) + DONE, 2_500],
    ['a document with a count of zero', whole(count(0).usage), 2_500],
    [
      'thoughts that alone are counted',
      whole(count(500, { completion_tokens_details: { reasoning_tokens: 500 } }).usage),
      3_000,
    ],
  ],
}

/** Counted right. */
const counted: Readonly<Record<Kind, Sent>> = {
  anthropic: started + told(LONG) + ended({ output_tokens: 2_000 }),
  gemini: plain(candidate(LONG, 'STOP', { ...prompt, totalTokenCount: 2_010 })),
  'openai-compatible': chunk({ content: LONG }) + chunk({}, 'stop', count(null, { total_tokens: 2_010 })) + DONE,
}

/** Answers that fail and are counted: free, and what they cost by the list is a write-off. Of 10 and 2,000 tokens, or 10. */
const failed: Readonly<Record<Kind, readonly (readonly [name: string, sent: Sent, writeOff: string])[]>> = {
  anthropic: [['a refusal', started + ended({ output_tokens: 2_000 }, 'refusal'), '4.01']],
  gemini: [
    [
      'a call that is malformed',
      plain(candidate(null, 'MALFORMED_FUNCTION_CALL', { ...prompt, candidatesTokenCount: 2_000 })),
      '4.01',
    ],
    ['a refusal', candidate(null, 'SAFETY', { ...prompt, candidatesTokenCount: 2_000 }), '4.01'],
    ['a prompt that is blocked', plain({ promptFeedback: { blockReason: 'SAFETY' }, usageMetadata: prompt }), '0.01'],
  ],
  'openai-compatible': [
    [
      'an error with usage after content',
      chunk({ content: LONG }) + plain({ error: { message: 'x', code: 500 }, ...count(2_000) }),
      '4.01',
    ],
    ['a document that is an error', { error: { message: 'x', code: 500 }, ...count(2_000) }, '4.01'],
    [
      'a choice that failed',
      plain({ choices: [{ index: 0, delta: {}, finish_reason: 'error' }], ...count(2_000) }),
      '4.01',
    ],
    [
      'an error after a count of the prompt alone',
      chunk({ role: 'assistant' }, null, count(0)) + plain({ error: { message: 'x' } }),
      '0',
    ],
  ],
}

/** 1 and 2 USD a million. */
const charge = (promptTokens: number, tokens: number): bigint =>
  (BigInt(promptTokens) + BigInt(tokens) * 2n) * 1_200_000n

let stub: StubUpstream
let sent: Sent = ''
beforeAll(async () => {
  stub = await startStubUpstream({
    handler: (call, response) => {
      if (call.method === 'GET') return void response.writeHead(404).end('{}')
      response.writeHead(200, { 'content-type': typeof sent === 'string' ? 'text/event-stream' : 'application/json' })
      response.end(typeof sent === 'string' ? sent : JSON.stringify(sent))
    },
  })
})
afterAll(() => stub.close())

describeEachEngine('usage that cannot be true', (engine) => {
  const gateways = new Map<Kind, TestGateway>()
  beforeAll(async () => {
    for (const kind of KINDS) {
      const file = { prices: { m: { input: '1', output: '2' } } }
      gateways.set(kind, await startTestGateway({ engine, upstreamUrl: stub.url, kind, file, credits: '1000' }))
    }
  })
  afterAll(async () => {
    for (const gateway of gateways.values()) {
      await gateway.audit()
      await gateway.stop()
    }
  })

  /** Asks whole and as a stream. */
  async function askBoth(kind: Kind, what: Sent, expectation: (gateway: TestGateway) => Promise<void>): Promise<void> {
    const gateway = gateways.get(kind)!
    sent = what
    for (const stream of [false, true]) {
      const response = await gateway.chat({
        model: 'm',
        stream,
        max_tokens: 5_000,
        messages: [{ role: 'user', content: 'hi' }],
      })
      await response.text()
      await expectation(gateway)
    }
  }

  describe.each(KINDS)('of %s', (kind) => {
    test('is none of what is counted right', async () => {
      await askBoth(kind, counted[kind], async (gateway) => {
        expect(await lastBooked(gateway)).toMatchObject({ charge: charge(10, 2_000), isEstimated: false, writeOff: 0n })
      })
    })

    test.each(uncounted[kind])('%s: what was delivered is charged', async (_name, what, tokens) => {
      await askBoth(kind, what, async (gateway) => {
        expect(await lastBooked(gateway)).toMatchObject({ charge: charge(10, tokens), isEstimated: true, writeOff: 0n })
      })
    })

    test.each(failed[kind])('%s: what it was counted by is a write-off', async (_name, what, writeOff) => {
      await askBoth(kind, what, async (gateway) => {
        expect(await lastBooked(gateway)).toMatchObject({ charge: 0n, writeOff: credits(writeOff), status: 'error' })
      })
    })
  })

  test.each([
    ['a prompt', { prompt_tokens: 90_000_000, completion_tokens: 2_000 }],
    ['what a cache gave', { prompt_tokens: 10, completion_tokens: 2_000, cache_read_input_tokens: 5_000_000 }],
  ])('%s longer than every window is estimated', async (_name, usage) => {
    await askBoth('openai-compatible', whole(usage), async (gateway) => {
      const { prompt_tokens: tokens, cached_tokens: cached } = await lastRecord(gateway)
      expect([Number(tokens) < 100, cached]).toEqual([true, 0])
      expect(await lastBooked(gateway)).toMatchObject({ charge: charge(Number(tokens), 2_000), isEstimated: true })
    })
  })

  const costs = (more: object) => ({ usage: { prompt_tokens: 10, completion_tokens: 5, ...more } })
  test.each<[string, Sent, string]>([
    [
      'and then not',
      chunk({ content: 'Hi' }) + chunk({}, 'stop', costs({ cost: 0.05 })) + chunk({}, null, costs({})) + DONE,
      '60',
    ],
    [
      'and then nothing',
      chunk({ content: 'Hi' }) + chunk({}, 'stop', costs({ cost: 0.05 })) + chunk({}, null, costs({ cost: 0 })) + DONE,
      '60',
    ],
    [
      'as text',
      chunk({ content: 'Hi' }) + chunk({}, 'stop', costs({ cost: '0.050000000000000001' })) + DONE,
      '60.000000000000001',
    ],
    [
      'before the output, which costs less by the list',
      chunk({ content: 'H' }, null, costs({ cost: 0.05 })) + chunk({ content: LONG }) + chunk({}, 'stop') + DONE,
      '60',
    ],
    [
      'before the output, which costs more by the list',
      chunk({ content: 'H' }, null, costs({ cost: 0.00001 })) + chunk({ content: LONG }) + chunk({}, 'stop') + DONE,
      '6.024',
    ],
    [
      'and then higher counts without one',
      chunk({ content: LONG }, null, costs({ cost: 0.00001 })) + chunk({}, 'stop', count(2_000)) + DONE,
      '4.812',
    ],
  ])('a cost that is named %s is not lost', async (_name, what, expected) => {
    await askBoth('openai-compatible', what, async (gateway) => {
      const [least = '', more = ''] = expected.split('.')
      const rounded = credits(`${least}.${more.slice(0, 9).padEnd(9, '0')}`) + (more.length > 9 ? 1n : 0n)
      expect((await lastBooked(gateway)).charge).toBe(rounded)
    })
  })
})
