/** What upstreams of OpenAI's shape do differently: each row once whole and once streamed, through the real readers. */
import { describe, expect, test } from 'vitest'
import type { ChatStreamOutcome, ChunkFacts, ReportedUsage } from '../chat-upstream.ts'
import { ChatStreamReader } from './chat-stream.ts'
import { readCompletion } from './completion.ts'

type Json = Record<string, unknown>

const DIALECT = { reportsCost: false, generationId: null, failuresAreFree: false } as const

/** Streams events to the reader and says what came out. */
function streamed(events: readonly (Json | string)[]) {
  const chunks: Json[] = []
  const facts: ChunkFacts[] = []
  let outcome: ChatStreamOutcome | null = null
  const sink = {
    chunk: (members: string, fact: ChunkFacts) => {
      chunks.push(JSON.parse(`{${members}}`) as Json)
      facts.push(fact)
      return true
    },
    end: (ended: ChatStreamOutcome) => {
      expect(outcome).toBeNull()
      outcome = ended
    },
  }
  const onOver = (): void => undefined
  const options = {
    upstream: 'u',
    apiKey: null,
    generationId: null,
    dialect: DIALECT,
    readFrames: null,
    choices: 1,
    onOver,
  }
  const reader = new ChatStreamReader(sink, options)
  for (const event of events) {
    reader.data(Buffer.from(`data: ${typeof event === 'string' ? event : JSON.stringify(event)}\n\n`))
  }
  reader.close()
  return { chunks, facts, outcome: outcome as unknown as ChatStreamOutcome }
}

const chunk = (delta: Json, finish: string | null = null, more: Json = {}): Json => ({
  choices: [{ index: 0, delta, finish_reason: finish }],
  ...more,
})
const TEXT = chunk({ role: 'assistant', content: 'Hi' })
const STOP = chunk({}, 'stop')

function whole(message: Json, more: Json = {}, choice: Json = {}) {
  const value = { choices: [{ index: 0, message, finish_reason: 'stop', ...choice }], ...more }
  return readCompletion(Buffer.from(JSON.stringify(value)), value, null, DIALECT)
}

/** What was counted: prompt, of them cached, written to a cache; completion, of them reasoning. */
function counts({ usage }: ReportedUsage): readonly number[] | null {
  if (usage === null) return null
  const { promptTokens, cachedTokens, cacheWriteTokens, completionTokens, reasoningTokens } = usage
  return [promptTokens, cachedTokens, cacheWriteTokens, completionTokens, reasoningTokens]
}

const BASE = { prompt_tokens: 100, completion_tokens: 20 }

describe('a usage object', () => {
  test.each<[string, Json, readonly number[] | null]>([
    ['with counts alone', BASE, [100, 0, 0, 20, 0]],
    ['without a completion count', { prompt_tokens: 100 }, [100, 0, 0, 0, 0]],
    ['with a total in its place', { prompt_tokens: 100, total_tokens: 120 }, [100, 0, 0, 20, 0]],
    ['of zeros', { prompt_tokens: 0, completion_tokens: 0, total_tokens: 0 }, null],
    ['of fractions', { prompt_tokens: 1.5, completion_tokens: 20 }, [0, 0, 0, 20, 0]],
    ['of negative counts', { prompt_tokens: -1, completion_tokens: 20 }, [0, 0, 0, 20, 0]],
    ['of text', { prompt_tokens: '100', completion_tokens: '20' }, null],
    ['with cached tokens', { ...BASE, prompt_tokens_details: { cached_tokens: 60 } }, [100, 60, 0, 20, 0]],
    [
      'with more cached tokens than the prompt has',
      { ...BASE, prompt_tokens_details: { cached_tokens: 600 } },
      [100, 100, 0, 20, 0],
    ],
    ['with cached tokens of null', { ...BASE, prompt_tokens_details: { cached_tokens: null } }, [100, 0, 0, 20, 0]],
    [
      'with details of null',
      { ...BASE, prompt_tokens_details: null, completion_tokens_details: null },
      [100, 0, 0, 20, 0],
    ],
    [
      'with hits and misses',
      { ...BASE, prompt_cache_hit_tokens: 64, prompt_cache_miss_tokens: 36 },
      [100, 64, 0, 20, 0],
    ],
    ['with cached tokens beside its counts', { ...BASE, cached_tokens: 30 }, [100, 30, 0, 20, 0]],
    [
      'with cache writes',
      { ...BASE, prompt_tokens_details: { cached_tokens: 10, cache_write_tokens: 50 } },
      [100, 10, 50, 20, 0],
    ],
    ['with cache creation', { ...BASE, prompt_tokens_details: { cache_creation_tokens: 50 } }, [100, 0, 50, 20, 0]],
    [
      "with Anthropic's parts inside of the prompt",
      { ...BASE, cache_read_input_tokens: 30, cache_creation_input_tokens: 20 },
      [100, 30, 20, 20, 0],
    ],
    [
      "with Anthropic's parts beside the prompt",
      { ...BASE, cache_read_input_tokens: 900, cache_creation_input_tokens: 50 },
      [1_050, 900, 50, 20, 0],
    ],
    [
      'with reasoning inside',
      { ...BASE, total_tokens: 120, completion_tokens_details: { reasoning_tokens: 15 } },
      [100, 0, 0, 20, 15],
    ],
    [
      'with reasoning outside, told by the total',
      { ...BASE, total_tokens: 135, completion_tokens_details: { reasoning_tokens: 15 } },
      [100, 0, 0, 35, 15],
    ],
    [
      'with reasoning outside, told by its size',
      { ...BASE, total_tokens: 120, completion_tokens_details: { reasoning_tokens: 300 } },
      [100, 0, 0, 320, 300],
    ],
    [
      'with reasoning outside and no total',
      { ...BASE, completion_tokens_details: { reasoning_tokens: 300 } },
      [100, 0, 0, 320, 300],
    ],
    ['with reasoning beside its counts', { ...BASE, reasoning_tokens: 15 }, [100, 0, 0, 20, 15]],
  ])('%s is read the same whole and streamed', (_name, usage, expected) => {
    expect(counts(whole({ content: 'Hi' }, { usage })!)).toEqual(expected)
    expect(counts(streamed([TEXT, STOP, { choices: [], usage }, '[DONE]']).outcome)).toEqual(expected)
  })

  test('is shown to the client in the names that it knows, whatever the upstream calls its parts', () => {
    const usage = {
      ...BASE,
      total_tokens: 135,
      prompt_cache_hit_tokens: 64,
      reasoning_tokens: 15,
      cost: 0.1,
      queue_time: 3,
    }
    expect(whole({ content: 'Hi' }, { usage })?.wire).toEqual({
      ...{ prompt_tokens: 100, completion_tokens: 35, total_tokens: 135 },
      prompt_tokens_details: { cached_tokens: 64 },
      completion_tokens_details: { reasoning_tokens: 15 },
    })
    expect(whole({ content: 'Hi' }, { usage: BASE })?.wire).toEqual({ ...BASE, total_tokens: 120 })
  })

  const LATER = { prompt_tokens: 100, completion_tokens: 40 }
  test.each<[string, readonly (Json | string)[], readonly number[] | null, bigint | null]>([
    ['missing', [TEXT, STOP, '[DONE]'], null, null],
    ['null', [TEXT, STOP, { choices: [], usage: null }, '[DONE]'], null, null],
    [
      'on the chunk that ends the choice',
      [TEXT, chunk({}, 'stop', { usage: BASE }), '[DONE]'],
      [100, 0, 0, 20, 0],
      null,
    ],
    ['on a chunk with text', [chunk({ content: 'Hi' }, 'stop', { usage: BASE })], [100, 0, 0, 20, 0], null],
    [
      'repeated',
      [TEXT, STOP, { choices: [], usage: BASE }, { choices: [], usage: BASE }, '[DONE]'],
      [100, 0, 0, 20, 0],
      null,
    ],
    [
      'on every chunk, growing',
      [chunk({ content: 'H' }, null, { usage: BASE }), chunk({ content: 'i' }, 'stop', { usage: LATER })],
      [100, 0, 0, 40, 0],
      null,
    ],
    [
      'growing, and null or zero at the end',
      [
        chunk({ content: 'Hi' }, 'stop', { usage: LATER }),
        { choices: [], usage: null },
        { choices: [], usage: { prompt_tokens: 0, completion_tokens: 0 } },
      ],
      [100, 0, 0, 40, 0],
      null,
    ],
    [
      "under a vendor's key",
      [TEXT, chunk({}, 'stop', { x_groq: { id: 'r', usage: BASE } }), '[DONE]'],
      [100, 0, 0, 20, 0],
      null,
    ],
    [
      "under a vendor's key and beside",
      [TEXT, chunk({}, 'stop', { x_groq: { usage: BASE } }), { choices: [], usage: LATER }],
      [100, 0, 0, 40, 0],
      null,
    ],
    [
      'after the finish, with a choice that says nothing',
      [TEXT, STOP, chunk({}, null, { usage: BASE }), '[DONE]'],
      [100, 0, 0, 20, 0],
      null,
    ],
    ['without choices at all', [TEXT, STOP, { usage: BASE }, '[DONE]'], [100, 0, 0, 20, 0], null],
    ['before the text', [{ choices: [], usage: BASE }, TEXT, STOP, '[DONE]'], [100, 0, 0, 20, 0], null],
    ['after [DONE]', [TEXT, STOP, '[DONE]', { choices: [], usage: BASE }], null, null],
    [
      'with its cost',
      [TEXT, STOP, { choices: [], usage: { ...BASE, cost: 0.25 } }],
      [100, 0, 0, 20, 0],
      250_000_000_000_000_000n,
    ],
    [
      'with its cost in ticks',
      [TEXT, STOP, { choices: [], usage: { ...BASE, cost_in_usd_ticks: 5 } }],
      [100, 0, 0, 20, 0],
      500_000_000n,
    ],
    [
      'followed by its cost',
      [TEXT, STOP, { choices: [], usage: BASE }, { choices: [], usage: { cost: 0.25 } }],
      [100, 0, 0, 20, 0],
      250_000_000_000_000_000n,
    ],
    [
      'after its cost',
      [TEXT, STOP, { choices: [], usage: { cost: 0.25 } }, { choices: [], usage: BASE }],
      [100, 0, 0, 20, 0],
      250_000_000_000_000_000n,
    ],
    [
      'with the cost that an earlier part had',
      [chunk({ content: 'H' }, null, { usage: { ...BASE, cost: 0.25 } }), chunk({}, 'stop', { usage: LATER })],
      [100, 0, 0, 40, 0],
      250_000_000_000_000_000n,
    ],
    [
      'with a cost of zero from who reports none',
      [TEXT, STOP, { choices: [], usage: { ...BASE, cost: 0 } }],
      [100, 0, 0, 20, 0],
      null,
    ],
  ])('of a stream counts once: %s', (_place, events, expected, cost) => {
    const { outcome, chunks } = streamed(events)
    expect([counts(outcome), outcome.cost, outcome.error]).toEqual([expected, cost, null])
    expect(JSON.stringify(chunks)).not.toMatch(/usage|x_groq/)
    expect(chunks.filter((sent) => JSON.stringify(sent).includes('"finish_reason":"stop"'))).toHaveLength(1)
  })
})

describe('what an upstream says about itself', () => {
  const EXTRAS = {
    provider: 'P',
    timings: { n: 1 },
    kv_transfer_params: {},
    prompt_logprobs: [],
    x_groq: { id: 'r' },
    id: 'their-id',
    model: 'their/model',
    openrouter_metadata: {},
    citations: 'none',
  }
  const CHOICE = {
    stop_reason: 5,
    token_ids: [1],
    native_finish_reason: 'STOP',
    matched_stop: 1,
    content_filter_results: {},
  }
  test('is removed from answers and chunks, and what clients know stays', () => {
    const known = { system_fingerprint: 'fp', service_tier: 'default' }
    const completion = whole(
      { content: 'Hi', prefix: true, token_ids: [1] },
      { ...EXTRAS, ...known },
      CHOICE,
    )?.completion
    expect(completion).toEqual({
      ...{ object: 'chat.completion', created: null, ...known },
      choices: [
        {
          index: 0,
          message: { role: 'assistant', content: 'Hi', refusal: null },
          logprobs: null,
          finish_reason: 'stop',
        },
      ],
    })
    const event = {
      choices: [{ index: 0, delta: { content: 'Hi', token_ids: [1] }, finish_reason: null, ...CHOICE }],
      ...EXTRAS,
      ...known,
    }
    expect(streamed([event, STOP]).chunks[0]).toEqual({
      ...known,
      choices: [{ index: 0, delta: { content: 'Hi', role: 'assistant' }, logprobs: null, finish_reason: null }],
    })
  })
})

describe('reasoning', () => {
  const DETAILS = [{ type: 'reasoning.text', text: 'why' }]
  const parts = (thinking: unknown) => [
    { type: 'thinking', thinking },
    { type: 'text', text: 'Hi' },
  ]
  test.each<[string, Json, Json, number]>([
    [
      'as reasoning_content',
      { content: 'Hi', reasoning_content: 'why' },
      { content: 'Hi', reasoning_content: 'why' },
      5,
    ],
    ['as reasoning', { content: 'Hi', reasoning: 'why' }, { content: 'Hi', reasoning_content: 'why' }, 5],
    [
      'under both names',
      { content: 'Hi', reasoning: 'why', reasoning_content: 'why' },
      { content: 'Hi', reasoning_content: 'why' },
      5,
    ],
    [
      'of null beside the other name',
      { content: 'Hi', reasoning: 'why', reasoning_content: null },
      { content: 'Hi', reasoning_content: 'why' },
      5,
    ],
    [
      'with its details',
      { content: 'Hi', reasoning: 'why', reasoning_details: DETAILS },
      { content: 'Hi', reasoning_content: 'why', reasoning_details: DETAILS },
      5,
    ],
    ['as a part of content', { content: parts('why') }, { content: 'Hi', reasoning_content: 'why' }, 5],
    [
      'as a part of content in pieces',
      {
        content: parts([
          { type: 'text', text: 'wh' },
          { type: 'text', text: 'y' },
        ]),
      },
      { content: 'Hi', reasoning_content: 'why' },
      5,
    ],
  ])('%s goes by one name and is counted once', (_name, said, expected, bytes) => {
    const answer = whole(said)
    expect([answer?.completion['choices'], answer?.hasReasoning, answer?.outputBytes]).toEqual([
      [expect.objectContaining({ message: { role: 'assistant', refusal: null, ...expected } })],
      true,
      bytes,
    ])
    const { chunks, facts } = streamed([chunk(said), STOP])
    expect([chunks[0]?.['choices'], facts[0]]).toMatchObject([
      [{ delta: expected }],
      { outputBytes: bytes, isReasoning: true },
    ])
  })
})

describe('an error inside a stream', () => {
  const inChoice = {
    ...chunk({ content: '' }, 'stop'),
    choices: [{ index: 0, delta: {}, finish_reason: null, error: { code: 429, message: 'later' } }],
  }
  test.each<[string, Json | string, string]>([
    ['as an object', { error: { code: 502, message: 'x' } }, 'broken'],
    ['as a text', { error: 'x' }, 'broken'],
    ['that is flat', { object: 'error', message: 'x', code: 429 }, 'rate_limited'],
    ["in Anthropic's form", { type: 'error', error: { type: 'overloaded_error', message: 'x' } }, 'overloaded'],
    ['in a list', '[{"error":{"message":"x","code":503,"status":"UNAVAILABLE"}}]', 'overloaded'],
    ['with a word', { error: { message: 'x', code: 'rate_limit_exceeded' } }, 'rate_limited'],
    [
      'with its word in metadata',
      { error: { code: 400, message: 'x', metadata: { error_type: 'context_length_exceeded' } } },
      'context_length',
    ],
    ['beside a choice', { ...chunk({ content: '' }, 'error'), error: { code: 503, message: 'x' } }, 'overloaded'],
    ['inside of a choice', inChoice, 'rate_limited'],
    ['as a finish reason', chunk({}, 'error'), 'broken'],
    ["under a vendor's key", { id: 'x', choices: [], x_groq: { id: 'r', error: 'over capacity' } }, 'broken'],
  ])('%s ends it as the upstream’s own verdict', (_form, event, kind) => {
    const { outcome, chunks } = streamed([TEXT, event, STOP, '[DONE]'])
    expect(outcome).toMatchObject({ cut: false, error: { kind } })
    expect(chunks).toHaveLength(1)
  })

  test.each<[string, readonly string[]]>([
    ['a page of HTML', ['<html>']],
    ['half an event', ['{"choices":[{']],
    ['nothing', []],
    ['chunks without an end', [JSON.stringify(TEXT)]],
  ])('%s is a cut, without a verdict', (_name, events) => {
    expect(streamed(events).outcome).toMatchObject({ cut: true, error: { kind: 'broken' } })
  })
})
