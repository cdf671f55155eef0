import { ALL_FORMATS, BufferSource, Input } from 'mediabunny'
import sharp from 'sharp'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { refusalOf, send, startMediaSandbox } from '../../testing/media-client.ts'
import { isScripted } from '../sandbox-prefix.ts'
import type { Sandbox } from '../sandbox-server.ts'

let sandbox: Sandbox
beforeAll(async () => {
  sandbox = await startMediaSandbox()
})
afterAll(() => sandbox.close())

interface JobAnswer {
  readonly id: string
  readonly status: string
  readonly progress: number
  readonly polling_url: string
  readonly unsigned_urls?: readonly string[]
  readonly error?: string
  readonly usage?: { readonly cost: number | null }
}

const dog = { model: 'test/video', prompt: 'a dog running in a forest', duration: 2, size: '320x180' }

async function submit(body: object | FormData = dog): Promise<JobAnswer> {
  return (await (await send(sandbox, '/videos', body)).json()) as JobAnswer
}

/** Longer than any machine needs that is merely busy. */
const PATIENCE = { timeout: 30_000, interval: 20 }

async function poll(id: string): Promise<JobAnswer> {
  return (await (await send(sandbox, `/videos/${id}`, null)).json()) as JobAnswer
}

async function untilEnd(id: string): Promise<JobAnswer> {
  return vi.waitFor(async () => {
    const job = await poll(id)
    expect(job.status).not.toMatch(/^(pending|in_progress|undefined)$/)
    return job
  }, PATIENCE)
}

async function contentOf(id: string): Promise<Buffer> {
  return Buffer.from(await (await send(sandbox, `/videos/${id}/content?index=0`, null)).arrayBuffer())
}

/** The kinds of the boxes of an MP4 file, in order. Source: ISO 14496-12. */
function boxesOf(file: Buffer): string[] {
  const kinds: string[] = []
  for (let at = 0; at + 8 <= file.length; at += file.readUInt32BE(at))
    kinds.push(file.toString('latin1', at + 4, at + 8))
  return kinds
}

async function look(file: Buffer) {
  const input = new Input({ formats: ALL_FORMATS, source: new BufferSource(file) })
  const [video, audio] = [await input.getPrimaryVideoTrack(), await input.getPrimaryAudioTrack()]
  return {
    seconds: await input.computeDuration(),
    video: video === null ? null : { codec: video.codec, width: video.displayWidth, height: video.displayHeight },
    images: (await video?.computePacketStats())?.packetCount,
    audio: audio?.codec ?? null,
  }
}

describe('a video', () => {
  test('is a job that reports progress and ends with a file of the length and size that were asked for', async () => {
    const answer = await send(sandbox, '/videos', dog)
    expect(answer.status).toBe(202)
    const job = (await answer.json()) as JobAnswer
    expect(job).toMatchObject({ status: 'pending', progress: 0, polling_url: `${sandbox.url}/videos/${job.id}` })
    expect(isScripted(job.id)).toBe(false)
    const done = await untilEnd(job.id)
    expect(done).toMatchObject({ status: 'completed', progress: 100, usage: { cost: 0.02 } })
    expect(done.unsigned_urls).toEqual([`${sandbox.url}/videos/${job.id}/content?index=0`])
    const file = await contentOf(job.id)
    expect(await look(file)).toEqual({
      seconds: 2,
      video: { codec: 'avc', width: 320, height: 180 },
      images: 48,
      audio: null,
    })
  })

  test('has its index before its images, so that it plays while it loads', async () => {
    const { id } = await submit()
    await untilEnd(id)
    const boxes = boxesOf(await contentOf(id))
    expect(boxes.indexOf('moov')).toBeLessThan(boxes.indexOf('mdat'))
    expect(boxes.indexOf('moov')).toBeGreaterThan(0)
  })

  test('can be had in parts, and only with the key', async () => {
    const { id } = await submit({ ...dog, duration: 1 })
    await untilEnd(id)
    const whole = await contentOf(id)
    const at = (range: string) =>
      fetch(`${sandbox.url}/videos/${id}/content`, { headers: { authorization: 'Bearer sandbox-key', range } })
    const part = await at('bytes=4-7')
    expect([part.status, part.headers.get('content-range')]).toEqual([206, `bytes 4-7/${whole.length}`])
    expect(await part.text()).toBe('ftyp')
    expect((await at(`bytes=${whole.length}-`)).status).toBe(416)
    expect((await fetch(`${sandbox.url}/videos/${id}/content`)).status).toBe(401)
  })

  test('has a voice where audio is asked for, and costs what its resolution costs', async () => {
    const { id } = await submit({ ...dog, size: undefined, resolution: '360p', duration: 1, generate_audio: true })
    expect((await untilEnd(id)).usage?.cost).toBe(0.005)
    expect(await look(await contentOf(id))).toMatchObject({ audio: 'aac', video: { width: 640, height: 360 } })
  })

  test('comes from a form with a first image, too, and is the same for the same seed', async () => {
    const red = await sharp({ create: { width: 64, height: 64, channels: 3, background: '#f00' } })
      .png()
      .toBuffer()
    const make = async (image: Buffer | null): Promise<Buffer> => {
      const form = new FormData()
      for (const [name, value] of Object.entries({ ...dog, duration: '', seconds: '1' })) form.set(name, String(value))
      if (image !== null) form.set('input_reference', new Blob([new Uint8Array(image)]), 'first.png')
      const job = await submit(form)
      await untilEnd(job.id)
      return contentOf(job.id)
    }
    const [plain, again, begun] = [await make(null), await make(null), await make(red)]
    expect(plain.equals(again)).toBe(true)
    expect(plain.equals(begun)).toBe(false)
    expect(await look(begun)).toMatchObject({ seconds: 1, images: 24 })
  })

  test('can be cancelled while it is made, and not after', async () => {
    const { id } = await submit({ ...dog, duration: 60 })
    const cancelled = await (await send(sandbox, `/videos/${id}`, null, 'DELETE')).json()
    expect(cancelled).toMatchObject({ id, status: 'cancelled' })
    expect((await poll(id)).status).toBe('cancelled')
    expect((await send(sandbox, `/videos/${id}`, null, 'DELETE')).status).toBe(409)
    expect((await send(sandbox, `/videos/${id}/content`, null)).status).toBe(404)
  })
})

test.each([
  ['fails', 'failed'],
  ['cancelled', 'cancelled'],
  ['expires', 'expired'],
  ['flaky', 'completed'],
  ['no-cost', 'completed'],
  ['empty', 'completed'],
])('the model that plays %s ends as %s', async (name, status) => {
  const { id } = await submit({ ...dog, model: `svc-sandbox/video-${name}`, duration: 1 })
  const job = await untilEnd(id)
  expect([job.status, isScripted(id)]).toEqual([status, true])
  if (name === 'fails') expect(job.error).toContain('as its model name asks')
  if (name === 'no-cost') expect(job.usage?.cost).toBeNull()
  if (name === 'empty') expect(job.unsigned_urls).toEqual([])
})

test('the model that plays stuck stays in progress, and can be cancelled', async () => {
  const { id } = await submit({ ...dog, model: 'svc-sandbox/video-stuck' })
  await vi.waitFor(async () => expect(await poll(id)).toMatchObject({ status: 'in_progress', progress: 40 }), PATIENCE)
  expect((await send(sandbox, `/videos/${id}/cancel`, {})).status).toBe(200)
})

test('so many jobs at a time are enough', async () => {
  const full = await startMediaSandbox()
  const statuses: number[] = []
  for (let at = 0; at < 21; at += 1) statuses.push((await send(full, '/videos', { ...dog, duration: 30 })).status)
  expect(statuses.slice(0, 20)).toEqual(Array.from({ length: 20 }, () => 202))
  expect(statuses[20]).toBe(429)
  await full.close()
})

test.each([
  [{ duration: 0 }],
  [{ duration: 61 }],
  [{ duration: -5 }],
  [{ size: '4000x100' }],
  [{ size: '10x10' }],
  [{ size: '3840x2160', duration: 60 }],
  [{ resolution: 'huge', size: undefined }],
  [{ prompt: '' }],
])('%j is refused', async (change) => {
  expect(await refusalOf(await send(sandbox, '/videos', { ...dog, ...change }))).toEqual([400, 'invalid_request'])
})

test('an unknown job is not found', async () => {
  expect(await refusalOf(await send(sandbox, '/videos/job-1', null))).toEqual([404, 'not_found'])
})
