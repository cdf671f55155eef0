/** What makes the maximum of a quote, for every kind of work at every kind of price. */
import { parseCredits, type QuoteReply } from '@svc/contract'
import { describe, expect, test } from 'vitest'
import type { ConfigFile } from '../packages/server/src/config/config-file.ts'
import { useGateway } from '../packages/server/testing/use-gateway.ts'

type Route = NonNullable<ConfigFile['routes']>[string]
type Line = Pick<QuoteReply['lines'][number], 'unit' | 'quantity'> & { readonly each: string }

interface PricedKind {
  readonly name: string
  readonly endpoint: string
  readonly body: object
  /** Of each upstream of the model, the first one first: `price`, or `media_price`. */
  readonly at: readonly object[]
  /** Unit, quantity and credits for one. */
  readonly lines: readonly Line[]
}

const line = (unit: Line['unit'], quantity: number, each: string): Line => ({ unit, quantity, each })
const price = (texts: object) => ({ price: texts })
const media = (texts: object) => ({ media_price: texts })

/** 0.01 USD for a million tokens are 0.000012 credits for one, with the margin. */
const tokens = (usd: string, more: object = {}) => price({ input: usd, output: usd, ...more })
const perRequest = (usd: string) => tokens('0', { request: usd })
/** Neither has a whole number of nanocredits for one token. */
const FINE = '0.0000001'

const chat = { endpoint: '/v1/chat/completions', body: { messages: [{ role: 'user', content: 'Hi' }], max_tokens: 50 } }
const texts = { endpoint: '/v1/completions', body: { prompt: ['Hi', 'Hello'], max_tokens: 50, n: 2 } }
const embed = { endpoint: '/v1/embeddings', body: { input: 'Hello' } }
const moderate = { endpoint: '/v1/moderations', body: { input: 'Hello' } }
const rank = { endpoint: '/v1/rerank', body: { query: 'fruit', documents: ['A car.', 'A pear.'] } }
const rankMany = {
  endpoint: '/v2/rerank',
  body: { query: 'fruit', documents: Array.from({ length: 150 }, (_, at) => `Pear ${at}.`) },
}
const paint = { endpoint: '/v1/images/generations', body: { prompt: 'A pear.', n: 2 } }
const repaint = {
  endpoint: '/v1/images/edits',
  body: { prompt: 'Ripe.', n: 2, images: [{ image_url: 'data:image/png;base64,iVBORw0KGgo=' }] },
}
const speak = { endpoint: '/v1/audio/speech', body: { input: 'Grün', voice: 'any' } }
const hear = { endpoint: '/v1/audio/transcriptions', body: { seconds: 60.5 } }
const film = { endpoint: '/v1/videos', body: { prompt: 'A pear.', seconds: '4' } }

const image = (more: object) => media({ type: 'image', per_image: '0.01', ...more })
const video = (more: object) => media({ type: 'video', per_second: '0.01', supported_durations: [4, 8], ...more })
const speech = (more: object) => media({ type: 'speech', ...more })

const KINDS: readonly PricedKind[] = [
  {
    ...{ name: 'a chat by tokens', ...chat, at: [tokens('0.01')] },
    lines: [line('prompt_tokens', 207, '0.000012'), line('completion_tokens', 50, '0.000012')],
  },
  {
    ...{ name: 'a chat by tokens and requests', ...chat, at: [tokens('0.01', { request: '0.002' })] },
    lines: [
      line('prompt_tokens', 207, '0.000012'),
      line('requests', 1, '2.4'),
      line('completion_tokens', 50, '0.000012'),
    ],
  },
  {
    ...{ name: 'a chat whose prompt and answer are dearest at different upstreams', ...chat },
    at: [price({ input: '0.01', output: '0.1' }), price({ input: '0.1', output: '0.01' })],
    lines: [line('prompt_tokens', 207, '0.00012'), line('completion_tokens', 50, '0.00012')],
  },
  {
    ...{ name: 'a chat of a long prompt', ...chat },
    at: [tokens('0.01', { tiers: [{ above_input_tokens: 100, input: '0.02', output: '0.03' }] })],
    lines: [line('prompt_tokens', 207, '0.000024'), line('completion_tokens', 50, '0.000036')],
  },
  {
    ...{ name: 'a chat at a price below a nanocredit', ...chat, at: [tokens(FINE)] },
    lines: [line('prompt_tokens', 207, '0.000000001'), line('completion_tokens', 50, '0.000000001')],
  },
  {
    ...{ name: 'several text completions', ...texts, at: [tokens('0.01', { request: '0.002' })] },
    lines: [
      line('prompt_tokens', 429, '0.000012'),
      line('requests', 2, '2.4'),
      line('completion_tokens', 200, '0.000012'),
    ],
  },
  {
    ...{ name: 'embeddings by tokens', ...embed, at: [tokens('0.01')] },
    lines: [line('prompt_tokens', 13, '0.000012')],
  },
  {
    ...{ name: 'embeddings by requests', ...embed, at: [perRequest('0.002')] },
    lines: [line('requests', 1, '2.4')],
  },
  {
    ...{ name: 'embeddings whose request is dearest at the other upstream', ...embed },
    at: [tokens('0.01', { request: '0.001' }), perRequest('0.002')],
    lines: [line('requests', 1, '2.4')],
  },
  {
    ...{ name: 'a moderation by tokens', ...moderate, at: [tokens('0.01')] },
    lines: [line('prompt_tokens', 13, '0.000012')],
  },
  {
    ...{ name: 'a moderation that is free', ...moderate, at: [tokens('0')] },
    lines: [line('requests', 1, '0'), line('prompt_tokens', 13, '0')],
  },
  {
    ...{ name: 'a ranking by tokens', ...rank, at: [tokens('0.01')] },
    lines: [line('prompt_tokens', 155, '0.000012')],
  },
  {
    ...{ name: 'a ranking by searches', ...rank, at: [perRequest('0.002')] },
    lines: [line('searches', 1, '2.4')],
  },
  {
    ...{ name: 'a ranking of many documents by searches', ...rankMany, at: [perRequest('0.002')] },
    lines: [line('searches', 2, '2.4')],
  },
  {
    ...{ name: 'a ranking by tokens, and dearer by searches at the other upstream', ...rankMany },
    at: [tokens('0.01'), perRequest('0.002')],
    lines: [line('searches', 2, '2.4')],
  },
  {
    ...{ name: 'images', ...paint, at: [image({})] },
    lines: [line('images', 2, '12')],
  },
  {
    ...{ name: 'images at a price of their size, and of each request', ...paint },
    at: [image({ per_request: '0.001', variants: [{ size: '1024x1024', per_image: '0.04' }] })],
    lines: [line('images', 2, '48'), line('requests', 2, '1.2')],
  },
  {
    ...{ name: 'changed images', ...repaint, at: [image({ per_input_image: '0.002' })] },
    lines: [line('images', 2, '12'), line('input_images', 2, '2.4')],
  },
  {
    ...{ name: 'speech by characters', ...speak, at: [speech({ per_character: '0.01' })] },
    lines: [line('characters', 4, '12')],
  },
  {
    ...{ name: 'speech by bytes', ...speak, at: [speech({ per_byte: '0.01' })] },
    lines: [line('bytes', 5, '12')],
  },
  {
    ...{ name: 'speech by characters, and dearer by bytes at the other upstream', ...speak },
    at: [speech({ per_character: '0.01' }), speech({ per_byte: '0.1' })],
    lines: [line('bytes', 5, '120')],
  },
  {
    ...{ name: 'a transcript by seconds', ...hear, at: [media({ type: 'transcription', per_second: '0.01' })] },
    lines: [line('seconds', 61, '12')],
  },
  {
    ...{ name: 'a transcript by minutes', ...hear, at: [media({ type: 'transcription', per_minute: '0.006' })] },
    lines: [line('seconds', 61, '0.12')],
  },
  {
    ...{ name: 'a video', ...film, at: [video({})] },
    lines: [line('seconds', 4, '12')],
  },
  {
    ...{ name: 'a video from an image', ...film, at: [video({ per_input_image: '0.002' })] },
    body: { ...film.body, input_reference: { image_url: 'data:image/png;base64,iVBORw0KGgo=' } },
    lines: [line('seconds', 4, '12'), line('input_images', 1, '2.4')],
  },
  {
    ...{ name: 'a video at the least price of one', ...film, at: [video({ minimum: '0.1' })] },
    lines: [line('videos', 1, '120')],
  },
  {
    ...{ name: 'a video at the dearer upstream', ...film, at: [video({}), video({ per_second: '0.03' })] },
    lines: [line('seconds', 4, '36')],
  },
]

const nameOf = (at: number): string => `model-${at}`

function routes(): Record<string, Route> {
  return Object.fromEntries(
    KINDS.map(({ at }, index) => {
      const targets = at.map((prices, place) => ({
        upstream: place === 0 ? 'first' : 'second',
        model: 'any',
        ...prices,
      }))
      return [nameOf(index), { targets } as Route]
    }),
  )
}

describe('the lines of a quote of', () => {
  const upstream = (name: string) =>
    ({ name, kind: 'openai-compatible', url: 'http://127.0.0.1:9', reports_cost: true }) as const
  const gateway = useGateway(() => ({ file: { upstreams: [upstream('first'), upstream('second')], routes: routes() } }))

  test.each(KINDS.map((kind, at) => ({ ...kind, at })))(
    '$name name what is sold, multiply to their amounts and add up to the maximum',
    async ({ endpoint, body, lines, at }) => {
      const response = await gateway.fetch('/v1/quotes', {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ endpoint, body: { model: nameOf(at), ...body } }),
      })
      const text = await response.text()
      expect([response.status, text]).toEqual([200, text])
      const told = [
        ...text.matchAll(/"unit":"(\w+)","quantity":(\d+),"credits_per_unit":([\d.]+),"credits":([\d.]+)/g),
      ].map(([, unit = '', quantity = '', each = '', credits = '']) => ({
        unit,
        quantity: Number(quantity),
        each,
        credits,
      }))
      expect(told.map(({ unit, quantity, each }) => ({ unit, quantity, each }))).toEqual(lines)
      const amounts = told.map(({ credits }) => parseCredits(credits) ?? -1n)
      expect(told.map(({ quantity, each }) => BigInt(quantity) * (parseCredits(each) ?? -1n))).toEqual(amounts)
      const most = parseCredits(/"credits_at_most":([\d.]+)/.exec(text)?.[1] ?? '')
      expect(amounts.reduce((sum, amount) => sum + amount, 0n)).toBe(most)
    },
  )
})
