/** What upstreams say beside an answer, and how it ends when it fails: the same in every form of a chat. */
import { describe, expect, test } from 'vitest'
import {
  chunkText,
  completionText,
  sendCompletion,
  sendStream,
  usageText,
} from '../packages/server/testing/stub-upstream.ts'
import { useGateway } from '../packages/server/testing/use-gateway.ts'
import { useStubUpstream } from '../packages/server/testing/use-stub-upstream.ts'
import { chargeOf, lastRecord } from './charge-of.ts'
import { askSurface, surfaces, textSurfaces } from './surfaces.ts'

const stub = useStubUpstream()
const gateway = useGateway(() => ({
  ...{ upstreamUrl: stub.url, kind: 'openai-compatible' },
  file: { prices: { local: { input: '1', output: '2' } } },
}))

const event = (data: string): string => `data: ${data}\n\n`

const SOURCES = {
  citations: ['https://example.com/a'],
  search_results: [{ title: 'A', url: 'https://example.com/a' }],
}
/** About the operator, or of no form that a client reads. */
const PRIVATE = { provider: 'P', account_id: 'org-1', x_limits: { left: 3 }, web_search: 'none' }
const NOTE = {
  type: 'url_citation',
  url_citation: { url: 'https://example.com/a', title: 'A', start_index: 0, end_index: 2 },
}

describe.each(textSurfaces)('$name', (surface) => {
  test('hands on the sources of an answer, and nothing about the account', async () => {
    stub.onChat = (call, response) => {
      const more = { ...SOURCES, ...PRIVATE }
      response.writeHead(200, { 'content-type': call.wantsStream ? 'text/event-stream' : 'application/json' })
      if (!call.wantsStream) return void response.end(completionText({ more, message: { annotations: [NOTE] } }))
      response.write(event(chunkText({ content: 'Hello' }, null, more)))
      response.write(event(chunkText({ annotations: [NOTE] }, 'stop', more)))
      response.end(event('[DONE]'))
    }
    const { raw, status, text } = await askSurface(gateway, surface)
    expect([status, text]).toEqual([200, 'Hello'])
    expect(raw).toContain(`"citations":${JSON.stringify(SOURCES.citations)}`)
    expect(raw).toContain(`"search_results":${JSON.stringify(SOURCES.search_results)}`)
    expect(raw).toContain('"title":"A","start_index":0')
    expect(raw).not.toMatch(/org-1|x_limits|"provider"|"web_search"/)
  })

  test('hands on sources that come at the end, beside the usage', async () => {
    stub.onChat = (call, response) => {
      if (!call.wantsStream) return void response.end(completionText({ more: SOURCES }))
      response.writeHead(200, { 'content-type': 'text/event-stream' })
      response.write(event(chunkText({ content: 'Hello' })) + event(chunkText({}, 'stop')))
      const usage = { prompt_tokens: 10, completion_tokens: 5 }
      response.end(event(JSON.stringify({ choices: [], usage, ...SOURCES })) + event('[DONE]'))
    }
    const { raw, finish } = await askSurface(gateway, surface)
    expect(finish).toBe('stop')
    expect(raw.match(/"citations":\["https:\/\/example\.com\/a"\]/g)?.length).toBeGreaterThan(0)
  })
})

const streamed = textSurfaces.filter(({ isStream }) => isStream)

describe.each(streamed)('$name: an answer that fails in its middle', (surface) => {
  test.each([
    ['by an error of its own', '{"error":{"message":"boom","code":500}}'],
    ['by a broken connection', null],
  ])('%s ends as the form says, and its record has one status', async (_way, error) => {
    stub.onChat = async (_call, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' })
      await new Promise<void>((resolve) => void response.write(event(chunkText({ content: 'Hello' })), () => resolve()))
      if (error === null) response.destroy()
      else response.end(event(error))
    }
    const { result, charge } = await chargeOf(gateway, () => askSurface(gateway, surface))
    expect(result).toMatchObject({ status: 200, error: 'upstream_error' })
    if (surface.path.endsWith('responses')) {
      expect(result.events.at(-1)).toMatchObject({
        type: 'response.failed',
        response: { status: 'failed', error: { code: 'upstream_error' }, output: [{ type: 'message' }] },
      })
    }
    const record = await lastRecord(gateway)
    expect([record.status, record.error_code]).toEqual([charge === 0n ? 'error' : 'incomplete', 'upstream_error'])
    expect(charge === 0n).toBe(error !== null)
  })
})

// A client may read no further than the end that an answer says.
test.each(streamed)('$name: an answer that fails behind its finish reason has not ended', async (surface) => {
  stub.onChat = (_call, response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    response.write(event(chunkText({ content: 'Hello' })) + event(chunkText({ content: ' you' }, 'stop')))
    response.end(event('{"error":{"message":"boom","code":500}}'))
  }
  const { result, charge } = await chargeOf(gateway, () => askSurface(gateway, surface))
  expect([result.text, result.finish, result.error, charge]).toEqual(['Hello you', null, 'upstream_error', 0n])
})

test('reasoning that is cut is no completed item, in its event as in the response', async () => {
  const responses = streamed.find(({ path }) => path.endsWith('responses'))
  if (responses === undefined) throw new Error('no such form')
  stub.onChat = (_call, response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    response.write(event(chunkText({ reasoning_content: 'Hm' })), () => response.destroy())
  }
  const { events } = await askSurface(gateway, responses)
  const item = { type: 'reasoning', status: 'incomplete' }
  expect(events.find(({ type }) => type === 'response.output_item.done')).toMatchObject({ item })
  expect(events.at(-1)).toMatchObject({ type: 'response.failed', response: { output: [item] } })
})

test.each(streamed)('$name: a name that comes again with each piece is charged once', async (surface) => {
  const piece = (text: string) => ({ tool_calls: [{ index: 0, function: { name: 'a_long_name', arguments: text } }] })
  stub.onChat = (_call, response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    for (const text of ['{', '"p"', ':', '1', '}']) response.write(event(chunkText(piece(text))))
    response.end(event(chunkText({}, 'stop')) + event('[DONE]'))
  }
  await askSurface(gateway, surface)
  const bytes = 'a_long_name{"p":1}'.length
  expect(await lastRecord(gateway)).toMatchObject({ completion_tokens: Math.ceil(bytes / 4), estimated: true })
})

test('an answer that fails before it says anything is a failed response, too', async () => {
  const early = streamed.find(({ path }) => path.endsWith('responses'))
  if (early === undefined) throw new Error('no such form')
  stub.onChat = (_call, response) => sendStream(response)
  expect((await askSurface(gateway, early)).events.map(({ type }) => type)).toContain('response.completed')
})

/** Answers with one message, or with each part of one in a chunk of its own. */
function says(parts: readonly object[]): void {
  stub.onChat = (call, response) => {
    if (!call.wantsStream) return sendCompletion(response, { text: null, message: Object.assign({}, ...parts) })
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    for (const part of parts) response.write(event(chunkText({ ...part })))
    response.end(event(chunkText({}, 'stop')) + event(usageText({ prompt_tokens: 10, completion_tokens: 5 })))
  }
}

describe.each(surfaces)('$name', (surface) => {
  // Source: Cloudflare's Workers AI, which writes a token that is a number as a number, and JSON as JSON.
  test.each<[string, readonly object[], string]>([
    ['a number', [{ content: 7 }], '7'],
    ['a truth', [{ content: false }], 'false'],
    ['an object', [{ content: { a: [1] } }], '{"a":[1]}'],
    ['one part that is no list', [{ content: { type: 'text', text: 'Hello' } }], 'Hello'],
  ])('content that is %s is its text', async (_name, parts, text) => {
    says(parts)
    expect(await askSurface(gateway, surface)).toMatchObject({ status: 200, text, finish: 'stop' })
  })

  test('sound without a sound is no content, and free', async () => {
    says([{ audio: { id: 'a', data: '', transcript: '' } }])
    const { result, charge } = await chargeOf(gateway, () => askSurface(gateway, surface))
    expect([result.status, result.error, charge]).toEqual([502, 'upstream_empty', 0n])
  })
})

// The AI SDK reads "assistant" in each chunk and message, and no other word.
test.each(['model', '', 'ASSISTANT', 'bot'])(
  'who speaks is the assistant, where the upstream says %j',
  async (role) => {
    says([
      { role, content: 'Hel' },
      { role, content: 'lo' },
    ])
    for (const surface of surfaces.filter(({ path }) => path.endsWith('/chat/completions'))) {
      const { events } = await askSurface(gateway, surface)
      const choices = events.flatMap(({ choices: list }) => list as { delta?: object; message?: object }[])
      const roles = choices.map(({ delta, message }) => Reflect.get(delta ?? message ?? {}, 'role'))
      expect([roles[0], ...roles.slice(1).filter(Boolean)]).toEqual(['assistant'])
    }
  },
)

// Strict clients ask for every member of a source, and for the counts in whatever details there are.
test.each(surfaces.filter(({ path }) => path.endsWith('/chat/completions')))(
  '$name: sources and details of the usage have what clients read in them',
  async (surface) => {
    const url = 'https://example.com/a'
    const notes = [
      { type: 'url_citation', url_citation: { url } },
      { type: 'url_citation', url, title: 'A' },
      { type: 'url_citation' },
    ]
    const usage = { prompt_tokens: 10, completion_tokens: 5, prompt_tokens_details: { cached_tokens: null } }
    stub.onChat = (call, response) => {
      const said = { content: 'Hi', annotations: notes }
      if (!call.wantsStream) return sendCompletion(response, { message: said, usage })
      response.writeHead(200, { 'content-type': 'text/event-stream' })
      response.end(event(chunkText(said)) + event(chunkText({}, 'stop')) + event(usageText(usage)) + event('[DONE]'))
    }
    const { events } = await askSurface(gateway, surface, { stream_options: { include_usage: true } })
    const cited = (title: string) => ({
      type: 'url_citation',
      url_citation: { url, title, start_index: 0, end_index: 0 },
    })
    const [choice] = events.flatMap(({ choices }) => choices as { delta?: object; message?: object }[])
    expect(choice?.delta ?? choice?.message).toMatchObject({ annotations: [cited(url), cited('A')] })
    expect(events.at(-1)).toMatchObject({ usage: { prompt_tokens_details: { cached_tokens: 0 } } })
  },
)
