/** Answers of 200 that are none, and say nothing of their bill: the upstream is asked what it bills for them. */
import type { ServerResponse } from 'node:http'
import { describe, expect, test } from 'vitest'
import type { TestGateway } from '../packages/server/testing/test-gateway.ts'
import { useGateway } from '../packages/server/testing/use-gateway.ts'
import { useStubUpstream } from '../packages/server/testing/use-stub-upstream.ts'
import { postForm, SPEECH, WHISPER } from './audio-upstream.ts'
import { QUESTION } from './events-of.ts'

const price = { input: '0.1', output: '0' }
const stub = useStubUpstream()
const gateway = useGateway(() => ({
  upstreamUrl: stub.url,
  file: {
    routes: {
      embeds: { targets: [{ upstream: 'default', model: 'embeds', price }] },
      'ranks-rerank': { targets: [{ upstream: 'default', model: 'ranks-rerank', price }] },
    },
  },
}))

const post =
  (path: string, body: object) =>
  (to: TestGateway): Promise<Response> =>
    to.fetch(path, { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) })

const speak = post('/v1/audio/speech', { model: SPEECH, input: 'Hello.', voice: 'nova' })
const transcribe = (to: TestGateway): Promise<Response> =>
  postForm(to, [
    ['model', WHISPER],
    ['file', new File([new Uint8Array(1_000)], 'a.mp3')],
  ])

const asks: readonly (readonly [string, (to: TestGateway) => Promise<Response>])[] = [
  ['a chat', post('/v1/chat/completions', QUESTION)],
  ['a stream', post('/v1/chat/completions', { ...QUESTION, stream: true })],
  ['embeddings', post('/v1/embeddings', { model: 'embeds', input: 'x' })],
  ['a ranking', post('/v1/rerank', { model: 'ranks-rerank', query: 'x', documents: ['y'] })],
  ['an image', post('/v1/images/generations', { model: 'openai/gpt-image-1', prompt: 'a cat' })],
  ['speech', speak],
  ['a transcript', transcribe],
]

const ID = { 'x-generation-id': 'gen-lost' }

/** What an upstream may send in the place of an answer. */
const pages: readonly (readonly [string, (response: ServerResponse) => unknown])[] = [
  ['is cut', (response) => response.writeHead(200, { ...ID, 'content-type': 'application/json' }).end('{"choices":')],
  ['is a page', (response) => response.writeHead(200, { ...ID, 'content-type': 'text/html' }).end('<!doctype html>')],
  [
    'breaks off',
    (response) => {
      response.writeHead(200, { ...ID, 'content-type': 'application/json', 'content-length': 99 })
      response.write('{"choices":', () => response.destroy())
    },
  ],
]

async function lossOf(work: () => Promise<Response>): Promise<{ readonly status: number; readonly lost: bigint }> {
  const losses = async (): Promise<bigint> => {
    const { read } = gateway.gateway.database
    const rows = await read.selectFrom('transfer').select('write_off').where('kind', '=', 'write_off').execute()
    return rows.reduce((sum, row) => sum + BigInt(row.write_off), 0n)
  }
  const before = await losses()
  const response = await work()
  await response.arrayBuffer()
  await gateway.settled()
  return { status: response.status, lost: (await losses()) - before }
}

describe.each(pages)('an answer that %s', (_what, send) => {
  test.each(asks)('to %s is free, and its bill is our loss', async (_name, ask) => {
    stub.onChat = (_call, response) => void send(response)
    stub.onOther = (call, response) => {
      if (!call.path.endsWith('/generation?id=gen-lost')) return void send(response)
      response.writeHead(200, { 'content-type': 'application/json' }).end('{"data":{"total_cost":0.0025}}')
    }
    const { posted } = await gateway.balance()
    expect(await lossOf(() => ask(gateway))).toEqual({ status: 502, lost: 2_500_000_000n })
    expect(await gateway.balance()).toEqual({ posted, held: 0n })
  })
})

test.each(asks)('what the upstream itself says of %s is its verdict: it is not asked', async (_name, ask) => {
  const asked: string[] = []
  const refuse = (response: ServerResponse) =>
    response.writeHead(200, { ...ID, 'content-type': 'application/json' }).end('{"error":{"message":"no"}}')
  stub.onChat = (_call, response) => void refuse(response)
  stub.onOther = (call, response) => {
    if (call.path.includes('/generation?')) asked.push(call.path)
    refuse(response)
  }
  const { lost } = await lossOf(() => ask(gateway))
  expect([lost, asked]).toEqual([0n, []])
})
