import { ALL_FORMATS, BufferSource, Input } from 'mediabunny'
import sharp from 'sharp'
import { describe, expect, test } from 'vitest'
import { eventually } from '../../testing/eventually.ts'
import { useGateway } from '../../testing/use-gateway.ts'

// What a newcomer sees: the gateway as `npm start` runs it, one request for each kind of media, files that open.
const gateway = useGateway(() => ({ env: { PATH: process.env['PATH'] ?? '' } }))

function post(path: string, body: object | FormData): Promise<Response> {
  const isForm = body instanceof FormData
  return fetch(`${gateway.v1}${path}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${gateway.key}`, ...(isForm ? {} : { 'content-type': 'application/json' }) },
    body: isForm ? body : JSON.stringify(body),
  })
}

async function get(url: string): Promise<Response> {
  return fetch(url, { headers: { authorization: `Bearer ${gateway.key}` } })
}

async function open(file: Buffer) {
  const input = new Input({ formats: ALL_FORMATS, source: new BufferSource(file) })
  const [video, audio] = [await input.getPrimaryVideoTrack(), await input.getPrimaryAudioTrack()]
  return { seconds: await input.computeDuration(), video: video?.codec ?? null, audio: audio?.codec ?? null }
}

describe('the sandbox behind the gateway', { timeout: 300_000 }, () => {
  test('makes an image, which costs what the list says', async () => {
    const wish = { model: 'openai/gpt-image-1-mini', prompt: 'a cat riding a bicycle', size: '1024x1024' }
    const answer = await post('/images/generations', wish)
    expect(answer.status).toBe(200)
    const { data, svc, usage } = (await answer.json()) as {
      data: { b64_json: string }[]
      svc: { credits_charged: number }
      usage: { output_tokens: number }
    }
    const image = Buffer.from(data[0]?.b64_json ?? '', 'base64')
    expect(await sharp(image).metadata()).toMatchObject({ format: 'png', width: 1024, height: 1024 })
    // The request names no quality: the cheapest, in its charge as in its tokens.
    expect([svc.credits_charged, usage.output_tokens]).toEqual([6, 272])
  })

  test('makes a video, is charged once by its seconds, and the file opens', async () => {
    const before = await gateway.balance()
    const model = 'google/veo-3.1-lite'
    const wish = { model, prompt: 'a dog running in a forest', duration: 4, resolution: '720p', generate_audio: false }
    const submitted = (await (await post('/videos/generations', wish)).json()) as { polling_url: string }
    const path = submitted.polling_url.replace(/^.*\/api/, gateway.baseUrl)
    const done = await eventually(async () => {
      const job = (await (await get(path)).json()) as { status: string; svc: { credits_charged: number } }
      expect(job.status).toBe('completed')
      return job
    }, 240_000)
    // 0.03 USD a second without audio, and the margin.
    expect(done.svc.credits_charged).toBe(144)
    expect(before.posted - (await gateway.balance()).posted).toBe(144_000_000_000n)
    const file = Buffer.from(await (await get(`${path}/content`)).arrayBuffer())
    expect(await open(file)).toEqual({ seconds: 4, video: 'avc', audio: null })
  })

  test('speaks, and most words are heard right in what it spoke', async () => {
    const input = 'The weather is very nice today and we are going to the park.'
    const spoken = await post('/audio/speech', { model: 'openai/gpt-4o-mini-tts-2025-12-15', input, voice: 'alloy' })
    expect(spoken.headers.get('content-type')).toBe('audio/mpeg')
    // 60 characters at 0.000017 USD, and the margin.
    expect(spoken.headers.get('x-svc-credits-charged')).toBe('1.224')
    const audio = Buffer.from(await spoken.arrayBuffer())
    expect(await open(audio)).toMatchObject({ video: null, audio: 'mp3' })
    const form = new FormData()
    form.set('model', 'openai/whisper-1')
    form.set('file', new Blob([new Uint8Array(audio)], { type: 'audio/mpeg' }), 'speech.mp3')
    const answer = await post('/audio/transcriptions', form)
    expect(answer.status).toBe(200)
    const { text, svc } = (await answer.json()) as { text: string; svc: { credits_charged: number } }
    const words = input.toLowerCase().match(/[a-z]+/g) ?? []
    const right = words.filter((word) => text.toLowerCase().split(/\W+/).includes(word))
    expect(right.length / words.length).toBeGreaterThan(0.6)
    expect(svc.credits_charged).toBeGreaterThan(0)
  })

  test('gives an image in a chat', async () => {
    const answer = await post('/chat/completions', {
      model: 'google/gemini-2.5-flash-image',
      messages: [{ role: 'user', content: 'a cat under the moon' }],
    })
    const { choices, usage, svc } = (await answer.json()) as {
      choices: { message: { images: { image_url: { url: string } }[] } }[]
      usage: { prompt_tokens: number; completion_tokens: number; completion_tokens_details: { image_tokens: number } }
      svc: { credits_charged: number }
    }
    const url = choices[0]?.message.images[0]?.image_url.url ?? ''
    const image = Buffer.from(url.replace('data:image/png;base64,', ''), 'base64')
    expect(await sharp(image).metadata()).toMatchObject({ format: 'png', width: 512, height: 512 })
    // A quarter of the pixels that cost the most tokens, at 30 USD per million, margin included.
    const images = usage.completion_tokens_details.image_tokens
    expect(images).toBe(1_040)
    const texts = usage.prompt_tokens * 0.36 + (usage.completion_tokens - images) * 3
    expect(svc.credits_charged).toBeCloseTo((texts + images * 36) / 1_000, 9)
  })

  test('an alias costs its card in a chat with an image, and a limit without room leaves that out', async () => {
    const ask = async (fields: object) => {
      const messages = [{ role: 'user', content: 'a cat under the moon' }]
      const answer = await post('/chat/completions', { model: 'svc-image', messages, ...fields })
      return (await answer.json()) as {
        choices: { message: { images?: unknown[] } }[]
        usage: { prompt_tokens: number }
        svc: { credits_charged: number }
      }
    }
    const { choices, usage, svc } = await ask({})
    expect(choices[0]?.message.images).toHaveLength(1)
    expect(svc.credits_charged).toBeCloseTo((usage.prompt_tokens * 0.36) / 1e6, 9)
    const small = await ask({ max_tokens: 1_000 })
    expect(small.choices[0]?.message.images).toBeUndefined()
  })

  test('says in its health which kinds of media there are', async () => {
    const { routing } = (await (await get(`${gateway.baseUrl}/health`)).json()) as { routing: object }
    expect(routing).toMatchObject({ text: 'ok', image: 'ok', video: 'ok', audio: 'ok' })
  })
})
