/** Official clients that make videos, unmodified, against a whole gateway. */
import { createOpenRouter } from '@openrouter/ai-sdk-provider'
import { experimental_generateVideo as generateVideo } from 'ai'
import OpenAI, { toFile } from 'openai'
import { expect, test } from 'vitest'
import { fileBytes } from '../packages/server/testing/stub-video-upstream.ts'
import { capturesOf, startVideoGateway, useVideoGateway, VIDEO_MODEL } from './video-gateway.ts'

const gateway = useVideoGateway()

const client = () => new OpenAI({ baseURL: gateway.v1, apiKey: gateway.key, maxRetries: 0 })

/** Completes each job when it is polled for the second time. */
function completeOnSecondPoll(): void {
  gateway.stub.intercept = (request) => {
    const job = gateway.stub.jobs.find(({ id }) => request.method === 'GET' && request.path.endsWith(`/${id}`))
    if (job?.polls === 1) gateway.stub.complete(job, '0.2')
    else if (job?.polls === 0) job.status = 'in_progress'
    return false
  }
}

test('openai: create, poll, download, list and delete', async () => {
  completeOnSecondPoll()
  const before = (await capturesOf(gateway)).length
  let video = await client().videos.create({ model: VIDEO_MODEL, prompt: 'A boat.', seconds: '4', size: '1280x720' })
  expect(video).toMatchObject({ object: 'video', status: 'queued', seconds: '4', size: '1280x720' })
  while (video.status === 'queued' || video.status === 'in_progress') {
    const { data, response } = await client().videos.retrieve(video.id).withResponse()
    video = data
    const after = response.headers.get('openai-poll-after-ms')
    expect(after === null).toBe(video.status === 'completed')
  }
  expect(video).toMatchObject({ status: 'completed', progress: 100 })
  const file = await client().videos.downloadContent(video.id)
  expect(Buffer.from(await file.arrayBuffer()).equals(fileBytes(0, 99_999))).toBe(true)
  const page = await client().videos.list({ limit: 5 })
  expect(page.data.map(({ id }) => id)).toContain(video.id)
  expect(await client().videos.delete(video.id)).toEqual({ id: video.id, object: 'video.deleted', deleted: true })
  expect(await capturesOf(gateway)).toHaveLength(before + 1)
})

test('openai: an image goes along as a file, and a refusal names its field', async () => {
  const image = await toFile(Buffer.from('not really an image'), 'boat.png', { type: 'image/png' })
  const request = { model: VIDEO_MODEL, prompt: 'It sails.', seconds: '4' as const }
  await client().videos.create({ ...request, input_reference: image })
  expect(gateway.stub.jobs.at(-1)?.request).toMatchObject({
    frame_images: [
      { frame_type: 'first_frame', image_url: { url: expect.stringMatching(/^data:image\/png;base64,/) } },
    ],
  })
  const text = await toFile(Buffer.from('text'), 'boat.txt', { type: 'text/plain' })
  await expect(client().videos.create({ ...request, input_reference: text })).rejects.toMatchObject({
    status: 400,
    code: 'unsupported_format',
    param: 'input_reference',
  })
  await expect(client().videos.create({ ...request, seconds: '12' })).rejects.toMatchObject({ param: 'seconds' })
})

test('ai with the OpenRouter provider: a video is generated and downloaded', async () => {
  completeOnSecondPoll()
  const provider = createOpenRouter({ baseURL: gateway.v1, apiKey: gateway.key })
  const { video, providerMetadata } = await generateVideo({
    model: provider.videoModel(VIDEO_MODEL, { pollIntervalMs: 20 }),
    prompt: 'A boat.',
    duration: 4,
    aspectRatio: '16:9',
    // The address is on this machine, which the client's own guard would not let it load.
    download: async ({ url }: { url: URL }) => {
      const response = await fetch(url)
      return {
        data: new Uint8Array(await response.arrayBuffer()),
        mediaType: response.headers.get('content-type') ?? '',
      }
    },
  } as never)
  expect(Buffer.from(video.uint8Array).equals(fileBytes(0, 99_999))).toBe(true)
  expect(providerMetadata).toMatchObject({ openrouter: { cost: 0.24 } })
  expect(gateway.stub.jobs.at(-1)?.request).toMatchObject({ aspect_ratio: '16:9', duration: 4 })
})

test('ai with the OpenRouter provider: a failed video is an error', async () => {
  gateway.stub.intercept = (request) => {
    const job = gateway.stub.jobs.at(-1)
    if (job !== undefined && request.method === 'GET') job.status = 'failed'
    return false
  }
  const provider = createOpenRouter({ baseURL: gateway.v1, apiKey: gateway.key })
  const model = provider.videoModel(VIDEO_MODEL, { pollIntervalMs: 20 })
  await expect(generateVideo({ model, prompt: 'A boat.', duration: 4, maxRetries: 0 })).rejects.toBeInstanceOf(Error)
  gateway.stub.intercept = () => false
})

test('of fifty videos at once only the affordable ones reach the upstream', async () => {
  const poor = await startVideoGateway({ credits: '1000' })
  const answers = await Promise.all(Array.from({ length: 50 }, () => poor.submit()))
  const statuses = answers.map(({ status }) => status)
  // Each is held at 240 credits.
  expect([statuses.filter((status) => status === 200).length, poor.stub.jobs.length]).toEqual([4, 4])
  expect(statuses.filter((status) => status === 402)).toHaveLength(46)
  expect(await poor.balance()).toEqual({ posted: 1_000_000_000_000n, held: 960_000_000_000n })
  await poor.end()
})
