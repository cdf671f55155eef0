/** Streams of images, and requests to change them. */
import type { ServerResponse } from 'node:http'
import { beforeEach, describe, expect, test } from 'vitest'
import { onImages, IMAGE, sendImages, streamImage } from '../packages/server/testing/stub-images.ts'
import type { StubCall, StubHandler } from '../packages/server/testing/stub-upstream.ts'
import { startTestGateway, type TestGateway } from '../packages/server/testing/test-gateway.ts'
import { useGateway } from '../packages/server/testing/use-gateway.ts'
import { useStubUpstream } from '../packages/server/testing/use-stub-upstream.ts'
import { chargeOf, lastRecord } from './charge-of.ts'

const stub = useStubUpstream()
const gateway = useGateway(() => ({ upstreamUrl: stub.url }))
/** Its upstream speaks OpenAI's form. */
const plain = useGateway(() => ({
  upstreamUrl: stub.url,
  kind: 'openai-compatible',
  file: { media_prices: { painter: { type: 'image', per_image: '0.05', per_input_image: '0.01' } } },
}))
let calls: StubCall[] = []

function answer(handler: StubHandler): void {
  const images = onImages(handler)
  calls = images.calls
  stub.onOther = images.handle
}
beforeEach(() => answer((_call, response) => streamImage(response)))

const MODEL = 'x-ai/grok-imagine-image-2.0'

interface EventData {
  readonly type?: string
  readonly svc?: { readonly credits_charged: number }
  readonly error?: { readonly code: string }
}

interface Event {
  /** Null for `[DONE]`, and for errors. */
  readonly name: string | null
  readonly data: EventData
}

/** What the last event of a stream says in place of data. */
const DONE: EventData = { type: '[DONE]' }

function eventsIn(text: string): Event[] {
  return text
    .split('\n\n')
    .filter((frame) => frame.includes('data: '))
    .map((frame) => {
      const data = /^data: (.*)$/m.exec(frame)?.[1] ?? ''
      return {
        name: /^event: (.*)$/m.exec(frame)?.[1] ?? null,
        data: data === '[DONE]' ? DONE : (JSON.parse(data) as EventData),
      }
    })
}

async function stream(more: object = {}): Promise<{ readonly response: Response; readonly events: Event[] }> {
  const body = JSON.stringify({ model: MODEL, prompt: 'A lighthouse', stream: true, partial_images: 2, ...more })
  const headers = { 'content-type': 'application/json' }
  const response = await gateway.fetch('/v1/images/generations', { method: 'POST', headers, body })
  return { response, events: eventsIn(await response.text()) }
}

describe('a stream of images', () => {
  test('sends partial images, the whole one with its charge, and an end', async () => {
    const { result, charge } = await chargeOf(gateway, () => stream())
    expect(result.response.headers.get('content-type')).toContain('text/event-stream')
    expect(result.events.map(({ name }) => name)).toEqual([
      'image_generation.partial_image',
      'image_generation.partial_image',
      'image_generation.completed',
      null,
    ])
    expect(result.events[1]?.data).toMatchObject({
      type: 'image_generation.partial_image',
      b64_json: IMAGE,
      partial_image_index: 1,
      size: 'auto',
      quality: 'auto',
      background: 'auto',
      output_format: 'png',
    })
    expect(result.events[2]?.data).toMatchObject({
      type: 'image_generation.completed',
      b64_json: IMAGE,
      usage: { input_tokens: 7, output_tokens: 4_175, total_tokens: 4_182 },
      svc: { credits_charged: 48, margin_bps: 2_000 },
    })
    expect(result.events[3]?.data).toBe(DONE)
    expect(charge).toBe(48_000_000_000n)
    expect(await lastRecord(gateway)).toMatchObject({ type: 'image', stream: true, status: 'ok' })
  })

  test('of several asks for each by itself, and only the last has the charge', async () => {
    const { result, charge } = await chargeOf(gateway, () => stream({ n: 3, partial_images: 0 }))
    expect(calls.map(({ json }) => json?.['n'])).toEqual([1, 1, 1])
    const completed = result.events.filter(({ name }) => name === 'image_generation.completed')
    expect(completed.map(({ data }) => data.svc?.credits_charged)).toEqual([undefined, undefined, 144])
    expect(charge).toBe(144_000_000_000n)
  })

  test('comes whole from an upstream that knows no streams', async () => {
    answer((_call, response) => sendImages(response))
    const { events } = await stream()
    expect(events.map(({ name }) => name)).toEqual(['image_generation.completed', null])
  })

  test('that fails before its first image is an ordinary error', async () => {
    answer((_call, response) => {
      response.writeHead(400, { 'content-type': 'application/json' }).end('{"error":{"message":"no"}}')
    })
    const { response } = await stream()
    expect(response.status).toBe(400)
  })

  test('that fails later ends with an error, and is free', async () => {
    answer((_call, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' })
      response.write(
        `data: {"type":"image_generation.partial_image","partial_image_index":0,"b64_json":"${IMAGE}"}\n\n`,
      )
      response.end('data: {"error":{"message":"broke","code":502}}\n\n')
    })
    const { result, charge } = await chargeOf(gateway, () => stream())
    expect(result.response.status).toBe(200)
    expect(result.events.slice(1).map(({ data }) => data.error?.code ?? data.type)).toEqual([
      'upstream_error',
      '[DONE]',
    ])
    expect(charge).toBe(0n)
  })

  test('that breaks off after its whole image has come', async () => {
    answer((_call, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' })
      const usage = '"usage":{"prompt_tokens":1,"completion_tokens":1,"cost":0.04}'
      response.write(`data: {"type":"image_generation.completed","b64_json":"${IMAGE}",${usage}}\n\n`, () => {
        response.destroy()
      })
    })
    const { result, charge } = await chargeOf(gateway, () => stream())
    expect(result.events.at(-2)?.data.svc?.credits_charged).toBe(48)
    expect(charge).toBe(48_000_000_000n)
  })

  test('opens after a while without an image, and is kept alive', async () => {
    const waiting = Promise.withResolvers<ServerResponse>()
    answer((_call, response) => waiting.resolve(response))
    const impatient = await startTestGateway({ upstreamUrl: stub.url, file: { limits: { first_content_ms: 50 } } })
    try {
      const body = JSON.stringify({ model: MODEL, prompt: 'A lighthouse', stream: true })
      const headers = { 'content-type': 'application/json' }
      const response = await impatient.fetch('/v1/images/generations', { method: 'POST', headers, body })
      expect(response.status).toBe(200)
      streamImage(await waiting.promise, { partials: 0 })
      expect(eventsIn(await response.text()).map(({ name }) => name)).toEqual(['image_generation.completed', null])
    } finally {
      await impatient.stop()
    }
  })

  test('whose reader leaves is made to the end and charged', async () => {
    const gone = new AbortController()
    answer((_call, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' })
      response.write(
        `data: {"type":"image_generation.partial_image","partial_image_index":0,"b64_json":"${IMAGE}"}\n\n`,
      )
      response.on('close', () => expect(response.writableFinished).toBe(true))
      gone.signal.addEventListener('abort', () => {
        const usage = '"usage":{"prompt_tokens":1,"completion_tokens":1,"cost":0.04}'
        response.end(`data: {"type":"image_generation.completed","b64_json":"${IMAGE}",${usage}}\n\ndata: [DONE]\n\n`)
      })
    })
    const { charge } = await chargeOf(gateway, async () => {
      const body = JSON.stringify({ model: MODEL, prompt: 'A lighthouse', stream: true, partial_images: 1 })
      const headers = { 'content-type': 'application/json' }
      const init = { method: 'POST', headers, body, signal: gone.signal }
      const response = await gateway.fetch('/v1/images/generations', init)
      await response.body?.getReader().read()
      gone.abort()
    })
    expect(charge).toBe(48_000_000_000n)
  })
})

/** The parts of a form as the upstream saw them: name, file name, type, content. */
function partsOf(call: StubCall | undefined): Record<string, string>[] {
  const boundary = /boundary=(.+)$/.exec(call?.headers['content-type'] ?? '')?.[1] ?? ''
  const text = call?.body.toString('latin1') ?? ''
  return text
    .split(`--${boundary}`)
    .slice(1, -1)
    .map((part) => {
      const [head = '', ...rest] = part.split('\r\n\r\n')
      const content = rest.join('\r\n\r\n').slice(0, -2)
      return {
        name: /name="([^"]*)"/.exec(head)?.[1] ?? '',
        fileName: /filename="([^"]*)"/.exec(head)?.[1] ?? '',
        type: /Content-Type: (.*)/i.exec(head)?.[1] ?? '',
        content: Buffer.from(content, 'latin1').toString(/filename=/.test(head) ? 'base64' : 'utf8'),
      }
    })
}

const bytes = Buffer.from(IMAGE, 'base64')
const DATA_URL = `data:image/png;base64,${IMAGE}`

function formWith(fields: Record<string, string>, files: [string, Blob, string][]): FormData {
  const form = new FormData()
  for (const [name, value] of Object.entries(fields)) form.append(name, value)
  for (const [name, blob, fileName] of files) form.append(name, blob, fileName)
  return form
}

interface EditBody {
  readonly svc: { readonly credits_charged: number }
  readonly error: unknown
}

async function edit(target: TestGateway, body: FormData | object): Promise<{ status: number; body: EditBody }> {
  const isForm = body instanceof FormData
  const init = isForm ? { body } : { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } }
  const response = await target.fetch('/v1/images/edits', { method: 'POST', ...init })
  return { status: response.status, body: (await response.json()) as EditBody }
}

describe('a request to change images', () => {
  beforeEach(() => answer((_call, response) => sendImages(response, { cost: null })))
  const png = new Blob([bytes], { type: 'image/png' })

  test('as a form reaches an upstream of OpenAI’s form as a form, with names, types and bytes', async () => {
    const form = formWith({ model: 'painter', prompt: 'Add a boät', n: '1', quality: 'high', guidance: '7' }, [
      ['image[]', png, 'one.png'],
      ['image[]', png, 'zwei".png'],
      ['mask', png, 'mask.png'],
    ])
    const { result, charge } = await chargeOf(plain, () => edit(plain, form))
    expect(result).toMatchObject({ status: 200, body: { data: [{ b64_json: IMAGE }], svc: { credits_charged: 84 } } })
    // One render, and two images that were given.
    expect(charge).toBe(84_000_000_000n)
    expect(calls[0]?.path).toBe('/v1/images/edits')
    const parts = partsOf(calls[0])
    expect(parts.filter(({ fileName }) => fileName === '').map(({ name, content }) => [name, content])).toEqual([
      ['guidance', '7'],
      ['model', 'painter'],
      ['prompt', 'Add a boät'],
      ['n', '1'],
      ['quality', 'high'],
    ])
    const files = parts.filter(({ fileName }) => fileName !== '')
    expect(files.map(({ name, type }) => [name, type])).toEqual([
      ['image[]', 'image/png'],
      ['image[]', 'image/png'],
      ['mask', 'image/png'],
    ])
    expect(files.map(({ content }) => content)).toEqual([IMAGE, IMAGE, IMAGE])
  })

  test('of more than sixteen images is refused, and free', async () => {
    const given = Array.from({ length: 17 }, (_none, at): [string, Blob, string] => ['image[]', png, `${at}.png`])
    const form = formWith({ model: 'painter', prompt: 'Add a boat' }, given)
    const { result, charge } = await chargeOf(plain, () => edit(plain, form))
    expect(result).toMatchObject({ status: 400, body: { error: { code: 'invalid_value', param: 'image' } } })
    expect([calls.length, charge]).toEqual([0, 0n])
  })

  test('as JSON with data reaches it as a form, and with addresses as JSON', async () => {
    const common = { model: 'painter', prompt: 'Add a boat' }
    expect((await edit(plain, { ...common, images: [{ image_url: DATA_URL }] })).status).toBe(200)
    expect(partsOf(calls[0]).at(-1)).toMatchObject({ name: 'image', type: 'image/png', content: IMAGE })
    // Case B091: an address is for the upstream to read, never for us.
    const images = [{ image_url: 'http://169.254.169.254/latest' }]
    expect((await edit(plain, { ...common, images })).status).toBe(200)
    expect(calls[1]?.json).toEqual({ ...common, n: 1, images })
  })

  test('reaches OpenRouter as images to go by', async () => {
    answer((_call, response) => sendImages(response))
    const form = formWith({ model: MODEL, prompt: 'Add a boat' }, [['image', png, 'one.png']])
    const { status, body } = await edit(gateway, form)
    expect(status).toBe(200)
    expect(body.svc.credits_charged).toBe(48)
    expect(calls[0]?.path).toBe('/v1/images')
    expect(calls[0]?.json?.['input_references']).toEqual([{ type: 'image_url', image_url: { url: DATA_URL } }])
    const masked = formWith({ model: MODEL, prompt: 'Add a boat' }, [
      ['image', png, 'one.png'],
      ['mask', png, 'mask.png'],
    ])
    expect((await edit(gateway, masked)).body.error).toMatchObject({ code: 'unsupported_parameter', param: 'mask' })
  })

  test.each<[string, FormData | object, number, string, string]>([
    ['no image', formWith({ model: 'painter', prompt: 'x' }, []), 400, 'empty_content', 'image'],
    [
      'an empty image',
      formWith({ model: 'painter', prompt: 'x' }, [['image', new Blob([]), 'a.png']]),
      400,
      'empty_content',
      'image',
    ],
    [
      'a blank prompt',
      formWith({ model: 'painter', prompt: ' ' }, [['image', new Blob([bytes]), 'a.png']]),
      400,
      'empty_content',
      'prompt',
    ],
    [
      'a file that was not asked for',
      formWith({ model: 'painter', prompt: 'x' }, [
        ['image', new Blob([bytes]), 'a.png'],
        ['extra', new Blob([bytes]), 'b.png'],
      ]),
      400,
      'unsupported_parameter',
      'extra',
    ],
    [
      'n that is no number',
      formWith({ model: 'painter', prompt: 'x', n: 'two' }, [['image', new Blob([bytes]), 'a.png']]),
      400,
      'invalid_value',
      'n',
    ],
    ['no images in JSON', { model: 'painter', prompt: 'x' }, 400, 'missing_required_parameter', 'images'],
    [
      'a file id',
      { model: 'painter', prompt: 'x', images: [{ file_id: 'file-1' }] },
      400,
      'unsupported_parameter',
      'images.0.file_id',
    ],
    [
      'seventeen images',
      { model: 'painter', prompt: 'x', images: Array.from({ length: 17 }, () => ({ image_url: DATA_URL })) },
      400,
      'invalid_value',
      'images',
    ],
  ])('with %s is refused', async (_name, body, status, ...[code, param]) => {
    const { result, charge } = await chargeOf(plain, () => edit(plain, body))
    expect(result).toMatchObject({ status, body: { error: { code, param } } })
    expect(charge).toBe(0n)
    expect(calls).toHaveLength(0)
  })
})
