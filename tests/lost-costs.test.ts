/**
 * What an upstream bills and no client pays is a write-off, whatever was asked for and however the answer is broken.
 */
import { expect, test } from 'vitest'
import { IMAGE } from '../packages/server/testing/stub-images.ts'
import { useGateway } from '../packages/server/testing/use-gateway.ts'
import { lastBooked } from './books-of.ts'
import { KINDS, mediaPrices, useMediaStub } from './media-upstream.ts'

const media = useMediaStub()
const gateway = useGateway(() => ({
  ...{ upstreamUrl: media.url, kind: 'openai-compatible', credits: '1000000' },
  file: { media_prices: mediaPrices('0.01'), prices: { embeds: { input: '1', output: '1' } } },
}))

const PAID = '"usage":{"cost":0.002}'
/** Of 0.002 USD at par. */
const LOST = 2_000_000_000n
const FAILURE = `{"error":{"message":"boom","code":500},${PAID}}`
const event = (data: string): string => `data: ${data}\n\n`

const BROKEN: readonly (readonly [name: string, kinds: RegExp, status: number, text: string])[] = [
  ['an error page', /./, 500, FAILURE],
  ['an error under 200', /./, 200, FAILURE],
  ['an error in an event', /images|transcripts/, 200, event(FAILURE)],
  ['no entries', /images/, 200, `{"data":[],${PAID}}`],
  ['an entry that is nothing', /images/, 200, `{"data":[null],${PAID}}`],
  ['an entry without an image', /images/, 200, `{"data":[{}],${PAID}}`],
  ['an address that cannot be fetched', /images/, 200, `{"data":[{"url":"http://127.0.0.1:1/a.png"}],${PAID}}`],
  ['an event without an image', /images/, 200, event(`{"type":"image_generation.completed",${PAID}}`)],
  ['no text', /transcripts/, 200, `{"words":[],${PAID}}`],
]

test.each(
  BROKEN.flatMap(([name, kinds, status, text]) =>
    KINDS.filter((kind) => kinds.test(kind.name)).map((kind) => ({ name, kind, status, text, asked: kind.name })),
  ),
)('$asked answered with $name', async ({ kind, status, text }) => {
  media.onWork = (_call, response) => void response.writeHead(status, { 'content-type': 'application/json' }).end(text)
  const answer = await kind.ask(gateway, kind.model)
  expect([answer.status >= 400, await lastBooked(gateway)]).toMatchObject([
    true,
    { charge: 0n, writeOff: LOST, cost: LOST, status: 'error' },
  ])
})

const asked = (n: number) =>
  gateway.fetch('/v1/images/generations', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ model: 'paints', prompt: 'A boat', n }),
  })

test('images of which one is nothing are charged by their share, and the rest is written off', async () => {
  media.onWork = (_call, response) =>
    void response.writeHead(200).end(`{"data":[{"b64_json":"${IMAGE}"},null],${PAID}}`)
  expect((await asked(1)).status).toBe(200)
  expect(await lastBooked(gateway)).toMatchObject({ charge: 1_200_000_000n, writeOff: LOST / 2n, cost: LOST })
})

test('events that came for an image are the image', async () => {
  media.onWork = (_call, response) =>
    void response.writeHead(200).end(event(`{"type":"image_generation.completed","b64_json":"${IMAGE}",${PAID}}`))
  const response = await asked(1)
  expect(await response.json()).toMatchObject({ data: [{ b64_json: IMAGE }] })
  expect(await lastBooked(gateway)).toMatchObject({ charge: 2_400_000_000n, writeOff: 0n })
})
