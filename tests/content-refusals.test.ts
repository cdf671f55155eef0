/** A refusal of content is `content_policy_violation`, free, whatever was asked for and however it comes. */
import type { ServerResponse } from 'node:http'
import { beforeEach, describe, expect, test } from 'vitest'
import { beginStream, chunkText, sendEvent } from '../packages/server/testing/stub-upstream.ts'
import { useGateway } from '../packages/server/testing/use-gateway.ts'
import { sendJson } from './audio-upstream.ts'
import { type Answered, KINDS, makerFile, useMediaStub } from './media-upstream.ts'

const upstream = useMediaStub()
const gateway = useGateway(() => ({ file: makerFile(upstream.url, { input: '1', output: '1' }) }))
beforeEach(() => upstream.reset())

const post = async (path: string, body: object): Promise<Answered> => {
  const headers = { 'content-type': 'application/json' }
  const response = await gateway.fetch(path, { method: 'POST', headers, body: JSON.stringify(body) })
  return { status: response.status, headers: response.headers, text: await response.text() }
}
const talk = { model: 'talks', messages: [{ role: 'user', content: 'Hello' }], max_tokens: 5 }

const REQUESTS: readonly (readonly [string, () => Promise<Answered>])[] = [
  ['chats', () => post('/v1/chat/completions', talk)],
  ['streamed chats', () => post('/v1/chat/completions', { ...talk, stream: true })],
  ['text completions', () => post('/v1/completions', { model: 'talks', prompt: 'Hello', max_tokens: 5 })],
  ['responses', () => post('/v1/responses', { model: 'talks', input: 'Hello', store: false, max_output_tokens: 5 })],
  ['embeddings', () => post('/v1/embeddings', { model: 'talks', input: 'Hello' })],
  ['rankings', () => post('/v1/rerank', { model: 'talks', query: 'Hello', documents: ['Hello'] })],
  ['moderations', () => post('/v1/moderations', { model: 'talks', input: 'Hello' })],
  ...KINDS.map(({ name, model, ask }) => [name, () => ask(gateway, model)] as const),
]

const MESSAGE = 'Your request was rejected by the safety system.'
/** What upstreams answer, and with which status. */
const BODIES: readonly (readonly [string, object, number])[] = [
  ['OpenAI', { error: { message: MESSAGE, type: 'image_generation_user_error', code: 'moderation_blocked' } }, 400],
  ['Azure', { error: { code: '400', message: MESSAGE, inner_error: { code: 'ResponsibleAIPolicyViolation' } } }, 400],
  ['Alibaba', { code: 'DataInspectionFailed', message: MESSAGE, request_id: 'r' }, 400],
  ['Alibaba under 200', { code: 'DataInspectionFailed', message: MESSAGE, request_id: 'r' }, 200],
  ['Stability', { id: 'r', name: 'content_moderation', errors: [MESSAGE] }, 403],
  ['fal', { detail: [{ loc: ['body', 'prompt'], msg: MESSAGE, type: 'content_policy_violation' }] }, 422],
  ['MiniMax under 200', { base_resp: { status_code: 1026, status_msg: MESSAGE } }, 200],
  ['Black Forest Labs under 200', { id: 'r', status: 'Request Moderated', result: null }, 200],
  ['a list of one under 200', [{ error: { code: 'content_filter', message: MESSAGE } }], 200],
]

describe.each(REQUESTS)('%s', (kind, ask) => {
  // A job that was refused when it was looked at has an id, and reports it as a job.
  const bodies = BODIES.filter(([name]) => kind !== 'videos' || !name.startsWith('Black'))
  test.each(bodies)('refused as by %s', async (_vendor, body, status) => {
    const answer = (_call: unknown, response: ServerResponse): void => sendJson(response, body, status)
    upstream.onWork = answer
    upstream.stub.onChat = answer
    const before = await gateway.balance()
    const { status: answered, text } = await ask()
    expect([answered, text]).toEqual([400, expect.stringContaining('content_policy_violation')])
    expect(await gateway.balance()).toEqual(before)
  })
})

test('a stream whose first event says so is refused with its status', async () => {
  upstream.stub.onChat = (_call, response) => {
    beginStream(response)
    sendEvent(response, JSON.stringify({ error: { code: 'data_inspection_failed', message: MESSAGE } }))
    response.end()
  }
  const { status, text } = await post('/v1/chat/completions', { ...talk, stream: true })
  expect([status, text]).toEqual([400, expect.stringContaining('content_policy_violation')])
})

test.each(['content_filter', 'content_filter: PROHIBITED_CONTENT', 'sensitive', 'SAFETY'])(
  'an answer without content that ends with %s is refused content, whole and streamed',
  async (reason) => {
    upstream.stub.onChat = (_call, response) =>
      sendJson(response, { choices: [{ index: 0, finish_reason: reason }], usage: null })
    expect((await post('/v1/chat/completions', { ...talk, max_tokens: undefined })).text).toContain('content_policy')
    upstream.stub.onChat = (_call, response) => {
      beginStream(response)
      sendEvent(response, chunkText({}, reason))
      sendEvent(response, '[DONE]')
      response.end()
    }
    const { status, text } = await post('/v1/chat/completions', { ...talk, max_tokens: undefined, stream: true })
    expect([status, text]).toEqual([400, expect.stringContaining('content_policy_violation')])
  },
)

test('an answer with content that ends with a vendor’s word for refused content ends with OpenAI’s', async () => {
  upstream.stub.onChat = (_call, response) =>
    sendJson(response, { choices: [{ message: { content: 'Once' }, finish_reason: 'sensitive' }] })
  const { status, text } = await post('/v1/chat/completions', talk)
  expect([status, text]).toEqual([200, expect.stringContaining('"finish_reason":"content_filter"')])
})

test('an image that its maker keeps back is refused content', async () => {
  upstream.onWork = (_call, response) => sendJson(response, { data: [{ b64_json: null, respect_moderation: false }] })
  const { status, text } = await post('/v1/images/generations', { model: 'paints', prompt: 'A boat' })
  expect([status, text]).toEqual([400, expect.stringContaining('content_policy_violation')])
})

test.each([
  [{ status: 'failed', error: { code: 'moderation_blocked', message: MESSAGE } }],
  [{ status: 'failed', failureCode: 'SAFETY.INPUT.TEXT', failure: MESSAGE }],
  [{ status: 'Content Moderated' }],
  [{ status: 'fail', base_resp: { status_code: 1027, status_msg: MESSAGE } }],
  [{ status: 'nsfw' }],
])('a video that fails with %j is refused content', async (report) => {
  const { onOther } = upstream.stub
  upstream.stub.onOther = (call, response) =>
    call.method === 'GET' ? sendJson(response, { id: 'job-1', ...report }) : onOther(call, response)
  const { text } = await post('/v1/videos/generations', { model: 'films', prompt: 'A boat.', duration: 4 })
  const { id } = JSON.parse(text) as { id: string }
  const polled = await (await gateway.fetch(`/v1/videos/${id}`)).json()
  upstream.stub.onOther = onOther
  expect(polled).toMatchObject({ status: 'failed', error: { code: 'content_policy_violation' } })
})
