/**
 * Calls of tools as upstreams write them in ways of their own: every form of a chat hands them to its client as the
 * official clients read them, whole and streamed. Each answer is one that a public server gives, with values of its own.
 */
import { describe, expect, test } from 'vitest'
import { useGateway } from '../packages/server/testing/use-gateway.ts'
import { useStubUpstream } from '../packages/server/testing/use-stub-upstream.ts'
import { chargeOf } from './charge-of.ts'
import { askSurface, surfaces } from './surfaces.ts'

const stub = useStubUpstream()
const gateway = useGateway(() => ({
  ...{ upstreamUrl: stub.url, kind: 'openai-compatible' },
  file: { prices: { local: { input: '1', output: '2' } } },
}))

type Json = Readonly<Record<string, unknown>>

const USAGE = { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 }

/** Answers with calls, in pieces where a stream is asked for. */
function calls({ whole, pieces, finish = 'tool_calls' }: Answer): void {
  stub.onChat = (call, response) => {
    if (!call.wantsStream) {
      const message = { role: 'assistant', content: null, tool_calls: whole }
      response.writeHead(200, { 'content-type': 'application/json' })
      response.end(
        typeof whole === 'string'
          ? whole
          : JSON.stringify({ choices: [{ index: 0, message, finish_reason: finish }], usage: USAGE }),
      )
      return
    }
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    const send = (value: unknown) =>
      void response.write(`data: ${typeof value === 'string' ? value : JSON.stringify(value)}\n\n`)
    for (const piece of pieces) {
      const delta = typeof piece === 'string' ? piece : { choices: [{ index: 0, delta: { tool_calls: piece } }] }
      send(delta)
    }
    send({ choices: [{ index: 0, delta: {}, finish_reason: finish }] })
    send({ choices: [], usage: USAGE })
    send('[DONE]')
    response.end()
  }
}

interface Answer {
  /** Calls, or the text of an answer. */
  readonly whole: readonly Json[] | string
  /** What each chunk has of them, or its text. */
  readonly pieces: readonly (readonly Json[] | string)[]
  readonly finish?: string
}

interface Row extends Answer {
  readonly name: string
  readonly expected: readonly { readonly id?: string; readonly name: string; readonly input: string }[]
}

const add = (input: unknown, more: Json = {}): Json => ({ ...more, function: { name: 'add', arguments: input } })
const typed = (id: string, input: unknown): Json => add(input, { id, type: 'function' })
const A = { id: 'call_a', name: 'add', input: '{"p":1}' }
const B = { id: 'call_b', name: 'add', input: '{"p":2}' }

const ROWS: readonly Row[] = [
  // Source: cherry-studio#6110, Gemini's own compatible endpoint.
  {
    name: 'without a number',
    whole: [typed('call_a', A.input), typed('call_b', B.input)],
    pieces: [[typed('call_a', A.input)], [typed('call_b', B.input)]],
    expected: [A, B],
  },
  {
    name: 'without a number, in one chunk',
    whole: [typed('call_a', A.input), typed('call_b', B.input)],
    pieces: [[typed('call_a', A.input), typed('call_b', B.input)]],
    expected: [A, B],
  },
  {
    name: 'without a number, in pieces that name their call',
    whole: [typed('call_a', A.input)],
    pieces: [[typed('call_a', '{"p"')], [add(':1}', { id: 'call_a' })], [typed('call_b', B.input)]],
    expected: [A, B],
  },
  {
    name: 'with one number for all',
    whole: [
      { index: 0, ...typed('call_a', A.input) },
      { index: 0, ...typed('call_b', B.input) },
    ],
    pieces: [[{ index: 0, ...typed('call_a', A.input) }], [{ index: 0, ...typed('call_b', B.input) }]],
    expected: [A, B],
  },
  {
    name: 'with numbers that begin at one',
    whole: [typed('call_a', A.input), typed('call_b', B.input)],
    pieces: [[{ index: 1, ...typed('call_a', A.input) }], [{ index: 2, ...typed('call_b', B.input) }]],
    expected: [A, B],
  },
  {
    name: 'with neither number nor id',
    whole: [add(A.input), add(B.input)],
    pieces: [[add(A.input)], [add(B.input)]],
    expected: [
      { name: 'add', input: A.input },
      { name: 'add', input: B.input },
    ],
  },
  {
    name: 'with an empty id and no type',
    whole: [add(A.input, { id: '' })],
    pieces: [[add(A.input, { id: '', index: 0 })]],
    expected: [{ name: 'add', input: A.input }],
  },
  {
    name: 'with a number as id',
    whole: [add(A.input, { id: 7 })],
    pieces: [[add(A.input, { id: 7, index: 0 })]],
    expected: [{ id: '7', name: 'add', input: A.input }],
  },
  {
    name: 'with the name again in each piece',
    whole: [typed('call_a', A.input)],
    pieces: [[{ index: 0, ...typed('call_a', '{"p"') }], [{ index: 0, ...add(':1}') }]],
    expected: [A],
  },
  {
    name: 'with arguments as an object',
    whole: [typed('call_a', { p: 1 })],
    pieces: [[{ index: 0, ...typed('call_a', { p: 1 }) }]],
    expected: [A],
  },
  {
    name: 'with arguments as an object whose digits a float would change',
    whole: `{"choices":[{"index":0,"finish_reason":"tool_calls","message":{"role":"assistant","content":null,"tool_calls":[{"id":"call_a","type":"function","function":{"name":"add","arguments":{"p": 12345678901234567890}}}]}}],"usage":${JSON.stringify(USAGE)}}`,
    pieces: [
      '{"choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"id":"call_a","type":"function","function":{"name":"add","arguments":{"p": 12345678901234567890}}}]}}]}',
    ],
    expected: [{ id: 'call_a', name: 'add', input: '{"p":12345678901234567890}' }],
  },
  {
    name: 'with the name beside the id',
    whole: [{ id: 'call_a', type: 'function', name: 'add', arguments: { p: 1 } }],
    pieces: [[{ index: 0, id: 'call_a', type: 'function', name: 'add', arguments: { p: 1 } }]],
    expected: [A],
  },
  {
    name: 'with the arguments before the name',
    whole: [typed('call_a', A.input)],
    pieces: [
      [{ index: 0, id: 'call_a', type: 'function', function: { arguments: '{"p"' } }],
      [{ index: 0, function: { name: 'add', arguments: ':' } }],
      [{ index: 0, function: { arguments: '1}' } }],
    ],
    expected: [A],
  },
  {
    name: 'without arguments',
    whole: [{ id: 'call_a', type: 'function', function: { name: 'add' } }],
    pieces: [[{ index: 0, id: 'call_a', type: 'function', function: { name: 'add' } }]],
    expected: [{ id: 'call_a', name: 'add', input: '{}' }],
  },
  {
    name: 'with arguments that are an empty text',
    whole: [typed('call_a', '')],
    pieces: [[{ index: 0, ...typed('call_a', '') }], [{ index: 0, ...add('') }]],
    expected: [{ id: 'call_a', name: 'add', input: '{}' }],
  },
  {
    name: 'beside one that names nothing',
    whole: [typed('call_a', A.input), { id: 'call_x', type: 'function', function: null }],
    pieces: [
      [{ index: 0, id: 'call_x', type: 'function', function: { arguments: '' } }],
      [{ index: 1, ...typed('call_a', A.input) }],
    ],
    expected: [A],
  },
  {
    name: 'in the old form of functions, which was not offered',
    whole: `{"choices":[{"index":0,"finish_reason":"function_call","message":{"role":"assistant","content":null,"function_call":{"name":"add","arguments":{"p":1}}}}],"usage":${JSON.stringify(USAGE)}}`,
    pieces: [
      '{"choices":[{"index":0,"delta":{"function_call":{"name":"add","arguments":"{\\"p\\""}}}]}',
      '{"choices":[{"index":0,"delta":{"function_call":{"arguments":":1}"}}}]}',
    ],
    finish: 'function_call',
    expected: [{ name: 'add', input: A.input }],
  },
  {
    name: 'with an end that says nothing of them',
    whole: [typed('call_a', A.input)],
    pieces: [[{ index: 0, ...typed('call_a', A.input) }]],
    finish: 'stop',
    expected: [A],
  },
  {
    name: 'with the end of another API',
    whole: [typed('call_a', A.input)],
    pieces: [[{ index: 0, ...typed('call_a', A.input) }]],
    finish: 'tool_use',
    expected: [A],
  },
]

describe.each(surfaces)('$name', (surface) => {
  test.each(ROWS)('calls $name', async (row) => {
    calls(row)
    const answer = await askSurface(gateway, surface)
    const expected =
      surface.isStream || typeof row.whole === 'string' ? row.expected : row.expected.slice(0, row.whole.length)
    expect(answer).toMatchObject({ status: 200, error: null, finish: 'tool_calls', calls: expected })
    const ids = answer.calls.map(({ id }) => id)
    expect([new Set(ids).size, ids.every((id) => id !== '')]).toEqual([expected.length, true])
  })

  test('a call that was cut by the limit is no call to run', async () => {
    calls({ whole: [typed('call_a', '{"p"')], pieces: [[{ index: 0, ...typed('call_a', '{"p"') }]], finish: 'length' })
    expect((await askSurface(gateway, surface)).finish).toBe('length')
  })

  test('a call that names nothing is no answer, and free', async () => {
    const nameless = { id: 'call_a', type: 'function', function: { name: '', arguments: '{}' } }
    calls({ whole: [nameless], pieces: [[{ index: 0, ...nameless }]] })
    const { result, charge } = await chargeOf(gateway, () => askSurface(gateway, surface))
    expect([result.status, result.error, charge]).toEqual([502, 'upstream_empty', 0n])
  })

  test('an end that speaks of calls where there are none is an ordinary end', async () => {
    stub.onChat = (call, response) => {
      const said = { content: 'Hello' }
      const choice = { index: 0, finish_reason: 'tool_calls', [call.wantsStream ? 'delta' : 'message']: said }
      const json = JSON.stringify({ choices: [choice], usage: USAGE })
      response.end(call.wantsStream ? `data: ${json}\n\ndata: [DONE]\n\n` : json)
    }
    expect(await askSurface(gateway, surface)).toMatchObject({ text: 'Hello', finish: 'stop' })
  })
})

test('a call in the old form comes back in it where functions were offered', async () => {
  const named = { name: 'add', arguments: '{"p":1}' }
  stub.onChat = (call, response) => {
    const choice = {
      ...{ index: 0, finish_reason: 'function_call' },
      [call.wantsStream ? 'delta' : 'message']: { role: 'assistant', content: null, function_call: named },
    }
    const json = JSON.stringify({ choices: [choice], usage: USAGE })
    response.end(call.wantsStream ? `data: ${json}\n\ndata: [DONE]\n\n` : json)
  }
  const functions = [{ name: 'add', parameters: { type: 'object' } }]
  for (const surface of surfaces.filter(({ path }) => path.endsWith('/chat/completions'))) {
    const { events } = await askSurface(gateway, surface, { functions })
    expect(events[0]).toMatchObject({ choices: [{ finish_reason: 'function_call' }] })
    expect(JSON.stringify(events[0])).toContain(JSON.stringify(named))
  }
})

// Clients put the pieces together, and take one with a function for a call of a function.
test('a piece of a call with a text of its own names no function', async () => {
  const custom = (input: string, more: Json = {}): Json => ({ index: 0, ...more, custom: { ...more, input } })
  calls({ whole: [], pieces: [[{ ...custom('x'), id: 'call_a', type: 'custom' }], [custom('yz', { id: 'call_a' })]] })
  const streamed = surfaces.find(({ name }) => name === 'chat streamed')
  if (streamed === undefined) throw new Error('no such form')
  const { raw, status } = await askSurface(gateway, streamed)
  expect([status, raw.includes('"function"')]).toEqual([200, false])
})
