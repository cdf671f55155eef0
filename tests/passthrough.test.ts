/**
 * What a client sends is what the upstream gets, and what the upstream answers is what the client gets; nothing else
 * passes.
 */
import { chatReply } from '@svc/contract'
import fc from 'fast-check'
import { beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { createRandom } from '../packages/server/testing/random.ts'
import {
  beginStream,
  chunkText,
  sendCompletion,
  sendEvent,
  sendStream,
} from '../packages/server/testing/stub-upstream.ts'
import { useGateway } from '../packages/server/testing/use-gateway.ts'
import { useStubUpstream } from '../packages/server/testing/use-stub-upstream.ts'
import { errorOf } from './error-of.ts'
import { QUESTION, streamOf } from './events-of.ts'

const stub = useStubUpstream()
const gateway = useGateway(() => ({ upstreamUrl: stub.url, credits: '1000000' }))
/** What the upstream knows `svc-gpt` as. */
let upstreamModel: unknown

beforeAll(async () => {
  await gateway.chat(QUESTION)
  upstreamModel = stub.chats[0]?.json?.['model']
})

beforeEach(() => {
  stub.chats.length = 0
  stub.onChat = (call, response) => (call.json?.['stream'] === true ? sendStream(response) : sendCompletion(response))
})

/** Sends a body and answers the text that the upstream got. */
async function forwarded(body: object | string): Promise<string> {
  const response = await gateway.chat(body)
  if (response.status !== 200) throw new Error(await response.text())
  await response.text()
  expect(stub.chats).toHaveLength(1)
  return stub.chats.splice(0)[0]!.text
}

async function forwardedJson(body: object | string): Promise<Record<string, unknown>> {
  return JSON.parse(await forwarded(body)) as Record<string, unknown>
}

describe('the body', () => {
  const TOOL = {
    type: 'function',
    function: { name: 'f', description: 'd', strict: true, parameters: { type: 'object', properties: {} } },
  }

  // B071
  test('every parameter reaches the upstream, known to the gateway or not', async () => {
    const body = {
      ...QUESTION,
      top_k: 40,
      min_p: 0.05,
      seed: 7,
      n: 1,
      stop: ['a', 'b'],
      logprobs: true,
      top_logprobs: 5,
      logit_bias: { '50256': -100 },
      presence_penalty: 0.5,
      frequency_penalty: -0.5,
      parallel_tool_calls: true,
      response_format: { type: 'json_schema', json_schema: { name: 'n', schema: { type: 'object' }, strict: true } },
      tools: [TOOL],
      tool_choice: { type: 'function', function: { name: 'f' } },
      reasoning_effort: 'high',
      reasoning: { effort: 'low', exclude: true },
      verbosity: 'low',
      prediction: { type: 'content', content: 'x' },
      metadata: { a: 'b' },
      user: 'u',
      store: false,
      max_tokens: 100,
      some_field_of_next_year: { deep: [1, { deeper: null }] },
    }
    expect(await forwardedJson(body)).toEqual({ ...body, model: upstreamModel })
    const streamed = { ...body, stream: true, stop: 'a', stream_options: { include_obfuscation: false } }
    const options = { include_obfuscation: false, include_usage: true }
    expect(await forwardedJson(streamed)).toEqual({ ...streamed, model: upstreamModel, stream_options: options })
  })

  // B072
  test('a minimal request gains nothing but what streams need', async () => {
    const keys = async (body: object): Promise<string[]> =>
      Object.keys((await forwardedJson(body)) as object).toSorted()
    expect(await keys(QUESTION)).toEqual(['messages', 'model'])
    expect(await keys({ ...QUESTION, stream: true })).toEqual(['messages', 'model', 'stream', 'stream_options'])
    expect(await keys({ ...QUESTION, stream: false })).toEqual(['messages', 'model', 'stream'])
  })

  // B074
  test('explicit zeros, falses, nulls and empty values stay', async () => {
    const body = {
      ...QUESTION,
      temperature: 0,
      top_p: 0,
      seed: 0,
      logprobs: false,
      stop: '',
      parallel_tool_calls: false,
      presence_penalty: 0,
      tools: [],
      logit_bias: {},
      user: '',
      response_format: null,
      max_tokens: null,
      stream: null,
    }
    expect(await forwardedJson(body)).toEqual({ ...body, model: upstreamModel })
  })

  // B076, B077
  test.each<[string, object[]]>([
    [
      'an assistant turn of tool calls with content null',
      [
        {
          role: 'assistant',
          content: null,
          tool_calls: [{ id: 'a', type: 'function', function: { name: 'f', arguments: '{}' } }],
        },
      ],
    ],
    [
      'the same without the key',
      [{ role: 'assistant', tool_calls: [{ id: 'a', type: 'function', function: { name: 'f', arguments: '{}' } }] }],
    ],
    ['a tool result', [{ role: 'tool', tool_call_id: 'a', content: '7' }]],
    ['a tool result that is empty', [{ role: 'tool', tool_call_id: 'a', content: '' }]],
    ['an assistant turn that is empty', [{ role: 'assistant', content: '' }]],
    ['a developer turn', [{ role: 'developer', content: 'Be brief.' }]],
    [
      'a system turn in parts',
      [{ role: 'system', content: [{ type: 'text', text: 'a', cache_control: { type: 'ephemeral' } }] }],
    ],
    ['a refusal', [{ role: 'assistant', content: null, refusal: 'No.' }]],
    [
      'parts of every kind',
      [
        {
          role: 'user',
          content: [
            { type: 'file', file: { file_id: 'f' } },
            { type: 'of_next_year', x: 1 },
          ],
        },
      ],
    ],
    [
      'reasoning given back',
      [
        {
          role: 'assistant',
          content: 'Hi',
          reasoning_details: [{ type: 'reasoning.text', text: 't', signature: 's' }],
        },
      ],
    ],
    ['reasoning text given back', [{ role: 'assistant', content: 'Hi', reasoning: 'r', reasoning_content: 'c' }]],
    ['a name', [{ role: 'user', name: 'Ann', content: 'Hi' }]],
  ])('%s goes on unchanged', async (_what, turns) => {
    const messages = [{ role: 'user', content: 'Start' }, ...turns, { role: 'user', content: 'Go on' }]
    const { plugins: _plugins, ...sent } = await forwardedJson({ model: 'svc-gpt', messages })
    expect(sent).toEqual({ model: upstreamModel, messages })
  })

  // B079
  test('no digit changes: big integers, long fractions and exponents are the same text', async () => {
    const numbers =
      '"seed":9007199254740993,"top_a":1e400,"min_p":0.1000000000000000055,"x":[1.0,-0,1E+2,2512292042121000001]'
    const schema = '"tools":[{"type":"function","function":{"name":"f","parameters":{"const":2512292042121000001}}}]'
    const call =
      '"tool_calls":[{"id":"a","type":"function","function":{"name":"f","arguments":"{\\"id\\":2512292042121000001}"}}]'
    const messages = `[{"role":"user","content":"\\u00e9\\/"},{"role":"assistant",${call}}]`
    const text = `{ "model" : "svc-gpt" ,\n\t"messages":${messages},${numbers},${schema} }`
    expect(await forwarded(text)).toBe(text.replace('"svc-gpt"', JSON.stringify(upstreamModel)))
  })

  // B081
  test('a byte order mark is left out', async () => {
    const text = JSON.stringify(QUESTION)
    expect(await forwarded(`\ufeff${text}`)).toBe(text.replace('"svc-gpt"', JSON.stringify(upstreamModel)))
  })

  test.each([['\uff1f'], ['\ufeff\ufeff'], ['\ufffe'], [' \ufeff']])(
    'other bytes before the body are refused',
    async (start) => {
      const response = await gateway.chat(
        `${start}{"model":"svc-gpt","model":"svc-gpt","messages":[{"role":"user","content":"x"}]}`,
      )
      expect([response.status, (await errorOf(response)).code]).toEqual([400, 'invalid_json'])
      expect(stub.chats).toEqual([])
    },
  )

  // B082
  test.each([
    ['model', '"model":"svc-llama","model":"svc-claude"'],
    ['model', '"model":"svc-claude","model":"svc-llama"'],
    ['model', '"model":"svc-llama","\\u006dodel":"svc-claude"'],
    ['model', '"mod\\u0065l":"svc-llama","\\u006d\\u006Fdel":"svc-claude"'],
    ['stream', '"model":"svc-gpt","stream":false,"stream":true'],
    ['max_tokens', '"model":"svc-gpt","max_tokens":1,"max_tokens":100000'],
    ['n', '"model":"svc-gpt","n":1,"n":50'],
    ['messages', '"model":"svc-gpt","messages":[]'],
    ['x', '"model":"svc-gpt","x":1,"x":1'],
    ['__proto__', '"model":"svc-gpt","__proto__":1,"__proto__":2'],
  ])('the key %s may not appear twice: %s', async (key, members) => {
    const response = await gateway.chat(`{${members},"messages":[{"role":"user","content":"x"}]}`)
    const error = await errorOf(response)
    expect([response.status, error.code, error.param]).toEqual([400, 'invalid_value', key])
    expect(stub.chats).toEqual([])
  })

  test('a key named like a prototype decides nothing', async () => {
    const own = '"__proto__":{"stream":true,"max_tokens":1,"model":"svc-claude"},"constructor":{"n":5}'
    const text = `{"model":"svc-gpt",${own},"messages":[{"role":"user","content":"x"}]}`
    expect(await forwarded(text)).toBe(text.replace('"svc-gpt"', JSON.stringify(upstreamModel)))
  })

  test.each([
    ['route', 'other'],
    ['plugins', [{ id: 'web' }]],
    ['preset', 'p'],
    ['transforms', ['middle-out']],
    ['web_search_options', {}],
    ['service_tier', 'priority'],
    ['fallbacks', ['a']],
    ['providerOptions', { gateway: { models: ['a'] } }],
    ['extra_body', { model: 'a' }],
    ['api_base', 'http://127.0.0.1:1/'],
    ['user_config', { model_list: [] }],
    ['kv_transfer_params', { remote_host: '127.0.0.1' }],
    ['search_parameters', { mode: 'on' }],
    ['enable_search', true],
  ])('%s would change the price or the route and is refused by name', async (field, value) => {
    const response = await gateway.chat({ ...QUESTION, [field]: value })
    const error = await errorOf(response)
    expect([response.status, error.code, error.param]).toEqual([400, 'unsupported_parameter', field])
    expect(stub.chats).toEqual([])
  })

  test('a search that is not wanted is no search', async () => {
    const body = JSON.stringify({ ...QUESTION, enable_search: false, search_parameters: null })
    expect(await forwarded(body)).toBe(body.replace('"svc-gpt"', JSON.stringify(upstreamModel)))
  })

  test.each(['MODEL', 'Model', 'max_Tokens', 'ſtream', 'stream_optionſ', 'max_to\u212aens', 'Models', 'N'])(
    '%s would be another field to an upstream that cares for no case',
    async (field) => {
      const response = await gateway.chat({ ...QUESTION, [field]: 1 })
      const error = await errorOf(response)
      expect([response.status, error.code, error.param]).toEqual([400, 'unsupported_parameter', field])
      expect(stub.chats).toEqual([])
    },
  )

  test('a tool that the upstream would run and sell is refused', async () => {
    const response = await gateway.chat({ ...QUESTION, tools: [TOOL, { type: 'openrouter:web_search' }] })
    const error = await errorOf(response)
    expect([response.status, error.code, error.param]).toEqual([400, 'unsupported_parameter', 'tools.1.type'])
    expect(stub.chats).toEqual([])
  })

  test('of two output limits the one that is held for is the one that the upstream gets', async () => {
    await gateway.chat({ ...QUESTION, max_completion_tokens: 7, max_tokens: 4_000 })
    expect(stub.chats.at(-1)?.json).toMatchObject({ max_completion_tokens: 7, max_tokens: 7 })
  })

  test('any body reaches the upstream with the same text, but for the model', { timeout: 180_000 }, async () => {
    const digits = fc.stringMatching(/^-?(0|[1-9]\d{0,40})(\.\d{1,40})?([eE][+-]?\d{1,4})?$/)
    // A name of letters may be read as a count or a length, which is what tests of bounded work are about.
    const nameless = (text: string): string => text.replaceAll(/[a-z]/gi, 'é')
    const value = fc.letrec<{ any: string }>((tie) => ({
      any: fc.oneof(
        { maxDepth: 3 },
        digits,
        fc.string({ unit: 'grapheme' }).map((text) => JSON.stringify(text)),
        fc.constantFrom('null', 'true', 'false', '[]', '{ }', '"\\ud83d\\ude42\\u0000\\/"'),
        fc.array(tie('any'), { maxLength: 4 }).map((items) => `[${items.join(' , ')}]`),
        fc
          .array(fc.tuple(fc.string({ maxLength: 6 }).map(nameless), tie('any')), { maxLength: 4 })
          .map((pairs) => objectText(pairs)),
      ),
    })).any
    const extras = fc.uniqueArray(
      fc.tuple(
        fc.string({ unit: 'grapheme', maxLength: 8 }).map((key) => `x_${nameless(key)}`),
        value,
      ),
      {
        selector: ([key]) => key,
        maxLength: 6,
      },
    )
    const keepsText = fc.asyncProperty(
      extras,
      fc.constantFrom('', ' ', '\n'),
      fc.nat(6),
      async (pairs, space, place) => {
        const model = `"model"${space}:${space}"svc-gpt"`
        const members = pairs.map(([key, text]) => `${JSON.stringify(key)}${space}:${text}`)
        members.splice(place % (members.length + 1), 0, model, `"messages":[{"role":"user","content":"x"}]`)
        const text = `${space}{${members.join(`${space},`)}${space}}`
        expect(await forwarded(text)).toBe(text.replace('"svc-gpt"', JSON.stringify(upstreamModel)))
      },
    )
    const { seed } = createRandom()
    console.log(`bodies: seed ${seed}`)
    await fc.assert(keepsText, { seed, numRuns: 150 })
  })
})

function objectText(pairs: readonly (readonly [string, string])[]): string {
  return `{${pairs.map(([key, text]) => `${JSON.stringify(key)}: ${text}`).join(',')}}`
}

describe('headers', () => {
  test("nothing of a client's own headers reaches the upstream", async () => {
    const headers = {
      cookie: 'session=secret',
      'x-api-key': 'k',
      'x-forwarded-for': '1.2.3.4',
      'openai-organization': 'org',
      'http-referer': 'https://example.com',
      'x-title': 'App',
      'x-stainless-lang': 'js',
      'idempotency-key': 'i',
      'user-agent': 'own agent',
      'x-secret': 's',
      'accept-encoding': 'gzip',
    }
    await (await gateway.chat(QUESTION, { headers })).text()
    const sent = stub.chats[0]!.headers
    expect(Object.keys(sent).toSorted()).toEqual([
      'accept',
      'accept-encoding',
      'authorization',
      'connection',
      'content-length',
      'content-type',
      'host',
      'user-agent',
      'x-title',
    ])
    expect(sent).toMatchObject({
      authorization: 'Bearer sk-or-v1-upstream-secret',
      'content-type': 'application/json',
      'user-agent': 'svc-gateway',
      'x-title': 'SVC',
      'accept-encoding': 'identity',
    })
  })

  // B089
  test.each([false, true])("nothing of an upstream's own headers reaches the client (stream: %s)", async (stream) => {
    stub.onChat = (_call, response) => {
      response.setHeader('set-cookie', ['a=1; Domain=upstream', 'b=2'])
      for (const name of [
        'openai-organization',
        'cf-ray',
        'server',
        'alt-svc',
        'x-internal-cost',
        'x-foo',
        'x-generation-id',
      ]) {
        response.setHeader(name, 'leak')
      }
      response.setHeader('connection', 'x-foo')
      response.setHeader('x-request-id', 'leak')
      if (stream) sendStream(response)
      else sendCompletion(response)
    }
    const response = await gateway.chat({ ...QUESTION, stream })
    await response.text()
    expect([...response.headers.values()].filter((value) => /leak|a=1|upstream/.test(value))).toEqual([])
    const ours = [
      'access-control-allow-origin',
      'access-control-expose-headers',
      'connection',
      'content-type',
      'date',
      'keep-alive',
    ]
    const rates = ['limit', 'remaining', 'reset'].map((name) => `x-ratelimit-${name}-requests`)
    const forStreams = ['cache-control', 'transfer-encoding', 'x-accel-buffering']
    const forWhole = ['content-length', 'x-svc-credits-charged', 'x-svc-margin-bps']
    const allowed = [...ours, ...rates, 'x-content-type-options', 'x-request-id', ...(stream ? forStreams : forWhole)]
    expect([...response.headers.keys()].filter((name) => !allowed.includes(name))).toEqual([])
  })
})

describe('the answer', () => {
  test('reasoning comes back under one name, its details as they are', async () => {
    const details = [{ type: 'reasoning.encrypted', data: 'abc', id: 'r1', format: 'f', index: 0 }]
    const reasoning = { reasoning: 'because', reasoning_details: details }
    stub.onChat = (_call, response) => sendCompletion(response, { message: reasoning })
    const answer = chatReply.parse(await (await gateway.chat(QUESTION)).json())
    expect(answer.choices[0]?.message).toEqual({
      role: 'assistant',
      content: 'Hello',
      refusal: null,
      reasoning_content: 'because',
      reasoning_details: details,
    })
    stub.onChat = (_call, response) => {
      beginStream(response)
      for (const delta of [reasoning, { reasoning_content: 'and so' }, { content: 'Hi' }])
        sendEvent(response, chunkText(delta))
      response.end(`data: ${chunkText({}, 'stop')}\n\ndata: [DONE]\n\n`)
    }
    const { frames } = await streamOf(gateway)
    expect(frames.slice(0, 3).map((frame) => frame.choices?.[0]?.delta)).toEqual([
      { role: 'assistant', reasoning_content: 'because', reasoning_details: details },
      { reasoning_content: 'and so' },
      { content: 'Hi' },
    ])
  })

  test('tool calls, refusals, annotations, images and log probabilities come back as they are', async () => {
    const message = {
      content: null,
      refusal: 'No.',
      tool_calls: ['a', 'b'].map((id) => ({ id, type: 'function', function: { name: 'f', arguments: '{"p":1}' } })),
      annotations: [
        {
          type: 'url_citation',
          url_citation: { url: 'https://example.com', title: 'A', start_index: 0, end_index: 2 },
        },
      ],
      images: [{ type: 'image_url', image_url: { url: 'data:image/png;base64,AA==' } }],
    }
    stub.onChat = (_call, response) => sendCompletion(response, { message, finishReason: 'tool_calls' })
    const answer = chatReply.parse(await (await gateway.chat(QUESTION)).json())
    expect(answer.choices).toEqual([
      { index: 0, message: { role: 'assistant', ...message }, logprobs: null, finish_reason: 'tool_calls' },
    ])
    expect(JSON.stringify(answer)).not.toMatch(/stub/i)
  })
})
