import sharp from 'sharp'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type ImagesAnswer, imagesOf, refusalOf, send, startMediaSandbox } from '../../testing/media-client.ts'
import type { Sandbox } from '../sandbox-server.ts'

let sandbox: Sandbox
beforeAll(async () => {
  sandbox = await startMediaSandbox()
})
afterAll(() => sandbox.close())

const cat = { model: 'test/image', prompt: 'a cat riding a bicycle at night', size: '256x192' }

async function draw(body: object, path = '/images'): Promise<Buffer[]> {
  const answer = await send(sandbox, path, { ...cat, ...body })
  expect(answer.status).toBe(200)
  return imagesOf(answer)
}

/** How much two images of one size differ: the mean of all bytes, from 0 to 255. */
async function difference(left: Buffer, right: Buffer): Promise<number> {
  const [one, other] = await Promise.all([left, right].map((each) => sharp(each).removeAlpha().raw().toBuffer()))
  const sum = one?.reduce((total, value, at) => total + Math.abs(value - (other?.[at] ?? 0)), 0) ?? 0
  return sum / (one?.length ?? 1)
}

async function plain(colour: string): Promise<Buffer> {
  return sharp({ create: { width: 300, height: 300, channels: 3, background: colour } })
    .png()
    .toBuffer()
}

const dataUrl = (file: Buffer): string => `data:image/png;base64,${file.toString('base64')}`

describe('an image', () => {
  test.each(['png', 'jpeg', 'webp'] as const)('is a %s of the size that was asked for', async (format) => {
    const [file = Buffer.of()] = await draw({ output_format: format })
    expect(await sharp(file).metadata()).toMatchObject({ format, width: 256, height: 192 })
  })

  test('can be a drawing, in which the prompt is text and nothing else', async () => {
    const [file = Buffer.of()] = await draw({ output_format: 'svg', prompt: 'a <script>alert(1)</script> & a dog' })
    expect(file.toString()).toMatch(/^<svg /)
    expect(file.toString()).not.toContain('<script')
    expect(file.toString()).toContain('&lt;script&gt;')
    expect(await sharp(file).metadata()).toMatchObject({ format: 'svg', width: 256 })
  })

  test('is the same for the same prompt and seed, and another for another', async () => {
    const [[first, second], [again], [other], [seeded]] = await Promise.all([
      draw({ n: 2 }),
      draw({}),
      draw({ prompt: 'a dog in the snow' }),
      draw({ seed: 7 }),
    ])
    expect(first?.equals(again ?? Buffer.of())).toBe(true)
    expect(first?.equals(second ?? Buffer.of())).toBe(false)
    expect(first?.equals(seeded ?? Buffer.of())).toBe(false)
    expect(await difference(first ?? Buffer.of(), other ?? Buffer.of())).toBeGreaterThan(20)
  })

  test('shows what the prompt names: more of it is more in the image', async () => {
    const [[none = Buffer.of()], [one = Buffer.of()], [three = Buffer.of()]] = await Promise.all([
      draw({ prompt: 'xyzzy in the desert', seed: 1, output_format: 'svg' }),
      draw({ prompt: 'a dog in the desert', seed: 1, output_format: 'svg' }),
      draw({ prompt: 'three dogs in the desert', seed: 1, output_format: 'svg' }),
    ])
    const drawings = (file: Buffer): number => file.toString().split('<svg ').length - 2
    expect([none, one, three].map(drawings)).toEqual([0, 1, 3])
  })

  test('has no background where that is asked for', async () => {
    const [file = Buffer.of()] = await draw({ background: 'transparent' })
    const { channels } = await sharp(file).stats()
    expect(channels[3]?.min).toBe(0)
    expect(channels[3]?.max).toBe(255)
  })

  test('costs what the list says, exactly, in the words of both', async () => {
    const text = await (await send(sandbox, '/images', { ...cat, n: 3 })).text()
    expect(text).toContain('"cost":0.03}')
    expect(JSON.parse(text)).toMatchObject({ usage: { prompt_tokens: 8 }, data: [{ media_type: 'image/png' }, {}, {}] })
    const openai = await (await send(sandbox, '/images/generations', cat)).json()
    expect(openai).toMatchObject({ size: '256x192', output_format: 'png', usage: { input_tokens: 8, cost: 0.01 } })
  })

  test('can be watched while it comes', async () => {
    const answer = await send(sandbox, '/images/generations', { ...cat, stream: true, partial_images: 2 })
    const text = await answer.text()
    expect(answer.headers.get('content-type')).toContain('text/event-stream')
    const events = [...text.matchAll(/^event: (.*)\ndata: (.*)$/gm)].map(([, name, data = '']) => {
      const { type, b64_json } = JSON.parse(data) as { type: string; b64_json: string }
      expect(type).toBe(name)
      return { type, file: Buffer.from(b64_json, 'base64') }
    })
    expect(events.map(({ type }) => type.split('.')[1])).toEqual(['partial_image', 'partial_image', 'completed'])
    for (const { file } of events) expect(await sharp(file).metadata()).toMatchObject({ width: 256, format: 'png' })
    expect(text.endsWith('data: [DONE]\n\n')).toBe(true)
  })
})

describe('an edit', () => {
  test('shows the image that it was given, and what was added', async () => {
    const given = await plain('#ff0000')
    const form = new FormData()
    for (const [name, value] of Object.entries({ ...cat, prompt: 'add a whale' })) form.set(name, value)
    form.set('image', new Blob([new Uint8Array(given)], { type: 'image/png' }), 'red.png')
    const [file = Buffer.of()] = await imagesOf(await send(sandbox, '/images/edits', form))
    const { dominant } = await sharp(file).stats()
    expect(dominant.r).toBeGreaterThan(200)
    expect(dominant.g).toBeLessThan(60)
    expect(await difference(file, await sharp(given).resize(256, 192).png().toBuffer())).toBeGreaterThan(5)
  })

  test('stays inside of the mask', async () => {
    const given = await plain('#00ff00')
    const hole = {
      input: { create: { width: 150, height: 300, channels: 4, background: '#0000' } },
      left: 0,
      top: 0,
    } as const
    const mask = await sharp({ create: { width: 300, height: 300, channels: 4, background: '#fff' } })
      .composite([
        {
          ...hole,
          blend: 'dest-out',
          input: await sharp({ create: { ...hole.input.create, background: '#fff' } })
            .png()
            .toBuffer(),
        },
      ])
      .png()
      .toBuffer()
    const body = { prompt: 'add a whale', size: '256x256', mask: { image_url: dataUrl(mask) } }
    const [file = Buffer.of()] = await draw({ ...body, input_references: [{ image_url: { url: dataUrl(given) } }] })
    const right = await sharp(file)
      .extract({ left: 160, top: 0, width: 96, height: 200 })
      .removeAlpha()
      .raw()
      .toBuffer()
    const left = await sharp(file).extract({ left: 0, top: 0, width: 120, height: 200 }).removeAlpha().raw().toBuffer()
    expect(right.every((value, at) => value === (at % 3 === 1 ? 255 : 0))).toBe(true)
    expect(left.every((value, at) => value === (at % 3 === 1 ? 255 : 0))).toBe(false)
  })

  test('counts the images that it was given', async () => {
    const body = {
      ...cat,
      input_references: [{ type: 'image_url', image_url: { url: dataUrl(await plain('#123456')) } }],
    }
    const answer = (await (await send(sandbox, '/images', body)).json()) as ImagesAnswer
    expect(answer.usage.cost).toBe(0.02)
  })

  test('never opens an address, and takes nothing for an image that is none', async () => {
    const at = (url: string) => send(sandbox, '/images', { ...cat, input_references: [{ image_url: { url } }] })
    expect(await refusalOf(await at('http://127.0.0.1:1/a.png'))).toEqual([400, 'image_download_failed'])
    expect(await refusalOf(await at('data:image/png;base64,AAAA'))).toEqual([400, 'invalid_image'])
    expect(await refusalOf(await send(sandbox, '/images/edits', cat))).toEqual([400, 'invalid_request'])
  })
})

test.each([
  [{ prompt: ' ' }],
  [{ prompt: 'x'.repeat(32_001) }],
  [{ n: 11 }],
  [{ n: 0 }],
  [{ size: '5000x64' }],
  [{ size: '10x10' }],
  [{ size: 'huge' }],
  [{ output_format: 'tiff' }],
  [{ output_compression: 101 }],
])('%j is refused', async (change) => {
  expect(await refusalOf(await send(sandbox, '/images', { ...cat, ...change }))).toEqual([400, 'invalid_request'])
})

test('a model that does something else makes no images, and lists are by what models do', async () => {
  expect(await refusalOf(await send(sandbox, '/images', { ...cat, model: 'test/speech' }))).toEqual([
    400,
    'wrong_endpoint',
  ])
  expect(await refusalOf(await send(sandbox, '/images', { ...cat, model: 'x/y' }))).toEqual([400, 'model_not_found'])
  const idsAt = async (path: string): Promise<string[]> => {
    const { data } = (await (await send(sandbox, path, null)).json()) as { data: { id: string }[] }
    return data.map(({ id }) => id)
  }
  expect(await idsAt('/images/models')).toEqual(['test/image'])
  expect(await idsAt('/videos/models')).toEqual(['test/video'])
  expect(await idsAt('/models?output_modalities=speech')).toEqual(['test/speech'])
  expect(await idsAt('/models?output_modalities=transcription')).toEqual(['test/transcription'])
  expect(await idsAt('/models')).toEqual([])
})

describe('a chat with a model that makes images', () => {
  const messages = [{ role: 'user', content: 'a cat under the moon' }]
  const sizeOf = async (url: string) => {
    const { width, format } = await sharp(Buffer.from(url.replace('data:image/png;base64,', ''), 'base64')).metadata()
    return [width, format]
  }
  interface Message {
    readonly content: string
    readonly images?: readonly { readonly image_url: { readonly url: string } }[]
  }

  test('gives one beside the text', async () => {
    const answer = await send(sandbox, '/chat/completions', { model: 'test/image', messages })
    const { choices } = (await answer.json()) as { choices: { message: Message }[] }
    expect(choices[0]?.message.content).not.toBe('')
    expect(await sizeOf(choices[0]?.message.images?.[0]?.image_url.url ?? '')).toEqual([512, 'png'])
  })

  test('streams it before the end, and leaves it out where only text is wanted', async () => {
    const body = { model: 'test/image', messages, stream: true }
    const text = await (await send(sandbox, '/chat/completions', body)).text()
    const frames = [...text.matchAll(/^data: (\{.*)$/gm)].map(([, data = '']) => JSON.parse(data) as never)
    const images = frames.flatMap(({ choices }: { choices: { delta: Message }[] }) => choices[0]?.delta.images ?? [])
    expect(images).toHaveLength(1)
    expect(await sizeOf(images[0]?.image_url.url ?? '')).toEqual([512, 'png'])
    const plain = await send(sandbox, '/chat/completions', { ...body, modalities: ['text'] })
    expect(await plain.text()).not.toContain('image_url')
  })
})

test('without the packages a modality says so and lists nothing', async () => {
  const bare = await startMediaSandbox({ abilities: new Set() })
  expect(await refusalOf(await send(bare, '/images', cat))).toEqual([503, 'provider_unavailable'])
  expect(await (await send(bare, '/images/models', null)).json()).toEqual({ data: [] })
  await bare.close()
})
