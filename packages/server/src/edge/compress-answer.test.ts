import { Readable } from 'node:stream'
import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import Fastify, { type LightMyRequestResponse } from 'fastify'
import { expect, test } from 'vitest'
import { compressAnswer } from './compress-answer.ts'

const LONG = { data: Array.from({ length: 500 }, (_, index) => ({ id: `model-${index}`, price: '0.000001' })) }

function appWithAnswers() {
  const app = Fastify()
  const route = { url: '/long', onSend: compressAnswer, handler: () => LONG }
  app.route({ ...route, method: 'GET' })
  app.route({ ...route, method: 'POST' })
  app.route({ ...route, method: 'GET', url: '/short', handler: () => ({ ok: true }) })
  app.route({
    ...route,
    method: 'GET',
    url: '/stream',
    handler: (_request, reply) => reply.type('text/event-stream').send(Readable.from([JSON.stringify(LONG)])),
  })
  return app
}

const readers = {
  br: (body: Buffer) => brotliDecompressSync(body),
  gzip: (body: Buffer) => gunzipSync(body),
  none: (body: Buffer) => body,
} as const

function codingOf({ headers }: LightMyRequestResponse): keyof typeof readers {
  const coding = headers['content-encoding']
  return coding === 'br' || coding === 'gzip' ? coding : 'none'
}

test.each([
  ['gzip, deflate, br, zstd', 'br'],
  ['gzip', 'gzip'],
  ['GZIP;q=0.5', 'gzip'],
  ['br;q=0, gzip', 'gzip'],
  ['br; q=0.0, gzip ; q=0', 'none'],
  ['*', 'gzip'],
  ['identity', 'none'],
  [undefined, 'none'],
] as const)('a reader who accepts %s gets a long answer as %s, and reads the same', async (accepted, coding) => {
  const answer = await appWithAnswers().inject({
    url: '/long',
    headers: accepted === undefined ? {} : { 'accept-encoding': accepted },
  })
  expect(codingOf(answer)).toBe(coding)
  expect(answer.headers['vary']).toBe('accept-encoding')
  expect(Number(answer.headers['content-length'])).toBe(answer.rawPayload.length)
  expect(JSON.parse(readers[coding](answer.rawPayload).toString())).toEqual(LONG)
})

test.each([
  ['what a POST answers, which may be a secret', { method: 'POST', url: '/long' }],
  ['what is short', { method: 'GET', url: '/short' }],
  ['a stream', { method: 'GET', url: '/stream' }],
] as const)('%s stays as it is', async (_what, asked) => {
  const answer = await appWithAnswers().inject({ ...asked, headers: { 'accept-encoding': 'br, gzip' } })
  expect([answer.statusCode, codingOf(answer)]).toEqual([200, 'none'])
})
