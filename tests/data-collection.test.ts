/** The wish that providers keep no prompts, as it reaches an upstream that speaks OpenRouter's dialect. */
import { expect, test } from 'vitest'
import { makeWav } from '../packages/server/testing/make-wav.ts'
import { sendImages } from '../packages/server/testing/stub-images.ts'
import type { StubCall } from '../packages/server/testing/stub-upstream.ts'
import { useGateway } from '../packages/server/testing/use-gateway.ts'
import { useStubUpstream } from '../packages/server/testing/use-stub-upstream.ts'
import { audioStubOf, postForm, sendJson, SPEECH, WHISPER } from './audio-upstream.ts'
import { errorOf } from './error-of.ts'
import { QUESTION } from './events-of.ts'

const stub = useStubUpstream()
const gateway = useGateway(() => {
  const upstream = { name: 'router', kind: 'openrouter', url: stub.url, api_key_env: 'STUB_KEY' } as const
  const price = { input: '0.02', output: '0' }
  const routes = {
    'embed-here': { upstream: 'router', model: 'embedder', price },
    'rerank-here': { upstream: 'router', model: 'ranker', price },
  }
  return {
    credits: '1000000',
    env: { STUB_KEY: 'sk-or-v1-upstream-secret' },
    file: { upstreams: [{ ...upstream, data_collection: 'deny' }], routes },
  }
})
let calls: StubCall[] = []
audioStubOf(stub)
const onAudio = stub.onOther
stub.onOther = (call, response) => {
  calls.push(call)
  if (call.path.endsWith('/rerank')) return sendJson(response, { results: [{ index: 0, relevance_score: 1 }] })
  if (call.path.endsWith('/images')) return sendImages(response)
  return onAudio(call, response)
}

function post(path: string, body: object): Promise<Response> {
  const headers = { 'content-type': 'application/json' }
  return gateway.fetch(`/v1${path}`, { method: 'POST', headers, body: JSON.stringify(body) })
}

/** What the upstream got for one request. */
async function sentBy(ask: () => Promise<Response>): Promise<StubCall> {
  stub.chats.length = 0
  calls = []
  await (await ask()).arrayBuffer()
  const [sent] = [...stub.chats, ...calls]
  if (sent === undefined) throw new Error('nothing was sent')
  return sent
}

const DENY = { data_collection: 'deny' }
const openai = (options: object): object => ({ ...DENY, options: { openai: options } })
const ranking = { model: 'rerank-here', query: 'a', documents: ['a'] }
const image = { model: 'openai/gpt-image-1-mini', prompt: 'A cat' }
const text = { model: SPEECH, input: 'Hello' }

test.each<readonly [string, () => Promise<Response>, object]>([
  ['a chat', () => gateway.chat(QUESTION), DENY],
  ['a stream', () => gateway.chat({ ...QUESTION, stream: true }), DENY],
  ['a chat that says otherwise', () => gateway.chat({ ...QUESTION, provider: { data_collection: 'allow' } }), DENY],
  ['a turn of Messages', () => post('/messages', { ...QUESTION, max_tokens: 9 }), DENY],
  [
    'a chat in confidential compute',
    () => gateway.chat({ ...QUESTION, model: 'svc-llama-tee' }),
    { ...DENY, only: ['phala'], allow_fallbacks: false },
  ],
  ['texts for vectors', () => post('/embeddings', { model: 'embed-here', input: 'a' }), DENY],
  ['documents to rank', () => post('/rerank', ranking), DENY],
  ['images', () => post('/images/generations', image), DENY],
  [
    'images with settings',
    () => post('/images/generations', { ...image, moderation: 'low' }),
    openai({ moderation: 'low' }),
  ],
  ['audio', () => post('/audio/speech', text), DENY],
  [
    'audio by instructions',
    () => post('/audio/speech', { ...text, instructions: 'Whisper.' }),
    openai({ instructions: 'Whisper.' }),
  ],
])('%s goes with the wish', async (_what, ask, provider) => {
  expect((await sentBy(ask)).json?.['provider']).toEqual(provider)
})

test('a recording goes without: its form has no place for it', async () => {
  const wav = new File([new Uint8Array(makeWav(44 + 8_000))], 'a.wav')
  const sent = await sentBy(() =>
    postForm(gateway, [
      ['file', wav],
      ['model', WHISPER],
    ]),
  )
  expect(sent.text).not.toContain('provider')
})

test.each([
  ['/embeddings', { model: 'embed-here', input: 'a' }],
  ['/rerank', ranking],
  ['/images/generations', image],
  ['/audio/speech', text],
])('a client of %s cannot say otherwise', async (path, body) => {
  const answer = await post(path, { ...body, provider: { data_collection: 'allow' } })
  expect(answer.status).toBe(400)
  expect(await errorOf(answer)).toMatchObject({ code: 'unsupported_parameter', param: 'provider' })
})

test('a model that only those serve who keep something is not there, and costs nothing', async () => {
  const before = await gateway.balance()
  stub.onChat = (_call, response) => {
    const error = { message: 'No endpoints found matching your data policy.', code: 404 }
    response.writeHead(404, { 'content-type': 'application/json' }).end(JSON.stringify({ error }))
  }
  const answer = await gateway.chat(QUESTION)
  expect([answer.status, (await errorOf(answer)).code]).toEqual([404, 'model_not_found'])
  await gateway.settled()
  expect(await gateway.balance()).toEqual(before)
})
