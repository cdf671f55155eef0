/**
 * OpenRouter has lists of their own for media, and a list of image prices for each model. Here they are put onto the
 * rows of its model list, as it wrote them, so that one list tells all.
 */
import { fetchJson } from '../openai-compatible/fetch-json.ts'
import { isObject } from '../openai-compatible/usage.ts'
import type { UpstreamClient } from '../upstream-client.ts'

interface Source {
  readonly client: UpstreamClient
  readonly name: string
}

/** Longest time for one list, in milliseconds. Source: own choice. */
const LIST_MS = 30_000
/** Image models whose prices are asked for, and how many at a time. Source: own choice; the list has about 70. */
const IMAGE_MODELS_MAX = 500
const ASKED_AT_A_TIME = 4

type Row = Readonly<Record<string, unknown>>

/**
 * Adds what the lists of images and videos say. A list that cannot be had changes nothing: then the prices that the
 * gateway itself knows apply.
 *
 * @param list the answer of `GET /models`, untrusted.
 */
export async function addMediaLists(list: unknown, source: Source): Promise<unknown> {
  if (!isObject(list) || !Array.isArray(list['data'])) return list
  const [others, images, videos] = await Promise.all([
    // The plain list leaves out what puts out no text.
    rowsOf(source, '/models?output_modalities=all'),
    rowsOf(source, '/images/models'),
    rowsOf(source, '/videos/models'),
  ])
  const prices = await imagePrices(source, images)
  const rows = new Map<unknown, Row>(others.map((row) => [row['id'], row]))
  for (const row of list['data'].filter(isObject)) rows.set(row['id'], row)
  for (const video of videos) {
    const known = rows.get(video['id']) ?? withOutput(video, 'video')
    rows.set(video['id'], { ...video, ...known, ...videoFields(video) })
  }
  for (const image of images) {
    const known = rows.get(image['id']) ?? withOutput(image, 'image')
    const fields = { image_parameters: image['supported_parameters'], supports_streaming: image['supports_streaming'] }
    const { supported_parameters: _parameters, ...rest } = image
    rows.set(image['id'], { ...rest, ...known, ...fields, image_pricing: prices.get(image['id']) })
  }
  return { ...list, data: [...rows.values()] }
}

/** A row that only a list of media has: what it puts out goes without saying there. */
function withOutput(row: Row, modality: string): Row {
  const architecture = isObject(row['architecture']) ? row['architecture'] : {}
  return { id: row['id'], architecture: { output_modalities: [modality], ...architecture } }
}

const VIDEO_FIELDS = [
  'pricing_skus',
  'supported_durations',
  'supported_resolutions',
  'supported_aspect_ratios',
  'supported_sizes',
  'supported_frame_images',
  'generate_audio',
] as const

function videoFields(video: Row): Row {
  return Object.fromEntries(VIDEO_FIELDS.map((field) => [field, video[field]]))
}

/** Pages of one list that are read. */
const PAGES_MAX = 20

async function rowsOf({ client, name }: Source, path: string): Promise<readonly Row[]> {
  const rows: Row[] = []
  let next: string | null = path
  for (let page = 0; page < PAGES_MAX && next !== null; page++) {
    const list = await fetchJson(client, name, { path: next, timeoutMs: LIST_MS }).catch(() => null)
    const value = list?.value
    if (!isObject(value) || !Array.isArray(value['data'])) break
    rows.push(...value['data'].filter(isObject))
    next = nextPath(client, value['links'])
  }
  return rows
}

/** Where a list goes on, below the base address; null at its end, and for an address of another host. */
function nextPath({ origin, basePath }: UpstreamClient, links: unknown): string | null {
  if (!isObject(links) || typeof links['next'] !== 'string') return null
  const url = URL.parse(links['next'], `${origin}${basePath}/`)
  if (url === null || url.origin !== origin || !url.pathname.startsWith(`${basePath}/`)) return null
  return `${url.pathname.slice(basePath.length)}${url.search}`
}

/** An id that can be queried. One with half a character could not even be written into an address. */
const ID = /^[\x21-\x7e]{1,200}$/

/** The pricing lines of all providers, by model. */
async function imagePrices(source: Source, images: readonly Row[]): Promise<ReadonlyMap<unknown, unknown[]>> {
  const prices = new Map<unknown, unknown[]>()
  const ids = images.map((image) => image['id']).filter((id) => typeof id === 'string')
  const waiting = ids.filter((id) => ID.test(id)).slice(0, IMAGE_MODELS_MAX)
  const ask = async (): Promise<void> => {
    for (let id = waiting.pop(); id !== undefined; id = waiting.pop()) {
      const path = `/images/models/${id.split('/').map(encodeURIComponent).join('/')}/endpoints`
      const answer = await fetchJson(source.client, source.name, { path, timeoutMs: LIST_MS }).catch(() => null)
      const lines = pricingLines(answer?.value)
      if (lines.length > 0) prices.set(id, lines)
    }
  }
  await Promise.all(Array.from({ length: ASKED_AT_A_TIME }, ask))
  return prices
}

function pricingLines(value: unknown): unknown[] {
  const inner = isObject(value) && isObject(value['data']) ? value['data'] : value
  const endpoints = isObject(inner) && Array.isArray(inner['endpoints']) ? inner['endpoints'].filter(isObject) : []
  return endpoints.flatMap((endpoint) => (Array.isArray(endpoint['pricing']) ? endpoint['pricing'] : []))
}
