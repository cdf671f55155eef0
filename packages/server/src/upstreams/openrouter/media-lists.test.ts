import { afterAll, beforeAll, expect, test } from 'vitest'
import { parseLiveList } from '../../catalog/live-list.ts'
import { DIRECT } from '../../platform/outbound/open-dispatcher.ts'
import { createUpstreamClient, type UpstreamClient } from '../upstream-client.ts'
import { useStubUpstream } from '../../../testing/use-stub-upstream.ts'
import { addMediaLists } from './media-lists.ts'

const stub = useStubUpstream()
let client: UpstreamClient
let asked: string[] = []

beforeAll(() => {
  const timeouts = { connectMs: 1_000, firstByteMs: 1_000, idleMs: 1_000 }
  client = createUpstreamClient({
    url: stub.url,
    apiKey: null,
    timeouts,
    allowH2: false,
    findProxy: DIRECT,
    extraHeaders: {},
  })
})
afterAll(() => client.close())

/** Answers these paths, and everything else with 404. */
function answer(lists: Readonly<Record<string, unknown>>): void {
  asked = []
  stub.onOther = (call, response) => {
    const path = call.path.replace(/^\/v1/, '')
    asked.push(path)
    const list = lists[path]
    response.writeHead(list === undefined ? 404 : 200, { 'content-type': 'application/json' })
    response.end(JSON.stringify(list ?? {}))
  }
}

const text = { id: 'v/text', pricing: { prompt: '0.000001', completion: '0.000002' } }
const add = (list: unknown) => addMediaLists(list, { client, name: 'main' })

test('what the lists of media say is added to the rows, with the prices of every provider', async () => {
  const line = (cost: number) => ({ billable: 'output_image', unit: 'image', cost_usd: cost })
  const painter = { id: 'v/painter', supported_parameters: { n: { max: 4 } }, supports_streaming: true }
  answer({
    '/models?output_modalities=all': { data: [{ id: 'v/voice', architecture: { output_modalities: ['speech'] } }] },
    '/images/models': { data: [painter] },
    '/images/models/v/painter/endpoints': { endpoints: [{ pricing: [line(0.04)] }, { pricing: [line(0.05)] }] },
    '/videos/models': {
      data: [{ id: 'v/film', pricing_skus: { duration_seconds: '0.1' }, supported_durations: [4, 8] }],
    },
  })
  const rows = parseLiveList(await add({ data: [text] }))?.rows ?? []
  expect(new Set(rows.map(({ id, type }) => `${id} ${type}`))).toEqual(
    new Set(['v/text text', 'v/painter image', 'v/film video', 'v/voice speech']),
  )
  const mediaOf = (id: string) => rows.find((row) => row.id === id)?.media
  expect(mediaOf('v/painter')).toMatchObject({
    prices: { perImage: 50_000_000_000_000_000n },
    facts: { countMax: 4, streams: true },
  })
  expect(mediaOf('v/film')).toMatchObject({ facts: { durations: [4, 8] } })
})

test('an image model whose id cannot be written into an address is not queried, and spoils no other', async () => {
  const painter = { id: 'v/painter', supported_parameters: {} }
  const line = { billable: 'output_image', unit: 'image', cost_usd: 0.04 }
  answer({
    '/images/models': { data: [{ id: 'half\ud800' }, { id: 'a\r\nb' }, { id: '' }, painter] },
    '/images/models/v/painter/endpoints': { endpoints: [{ pricing: [line] }] },
  })
  const rows = parseLiveList(await add({ data: [text] }))?.rows ?? []
  expect(rows.map(({ id }) => id)).toEqual(['v/text', 'v/painter'])
  expect(asked.filter((path) => path.endsWith('/endpoints'))).toEqual(['/images/models/v/painter/endpoints'])
})

test('a list that goes on is read to its end, on the same server only', async () => {
  const next = (path: string) => ({ next: `/v1${path}` })
  answer({
    '/videos/models': { data: [{ id: 'v/one', pricing_skus: {} }], links: next('/videos/models?page=2') },
    '/videos/models?page=2': { data: [{ id: 'v/two' }], links: { next: 'http://169.254.169.254/v1/videos/models' } },
  })
  const list = (await add({ data: [text] })) as { data: { id: string }[] }
  expect(list.data.map(({ id }) => id)).toEqual(['v/text', 'v/one', 'v/two'])
})

test('lists that cannot be had change nothing, and what is no list stays what it is', async () => {
  answer({})
  expect(await add({ data: [text] })).toEqual({ data: [text] })
  expect(await add(null)).toBeNull()
  expect(await add({ error: 'x' })).toEqual({ error: 'x' })
})
