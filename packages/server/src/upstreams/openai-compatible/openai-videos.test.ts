import type { ServerResponse } from 'node:http'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { fileBytes, startStubVideoUpstream, type StubVideoUpstream } from '../../../testing/stub-video-upstream.ts'
import { parseUsd } from '../../pricing/usd.ts'
import { DIRECT } from '../../platform/outbound/open-dispatcher.ts'
import { createUpstreamClient, type UpstreamClient } from '../upstream-client.ts'
import type { VideoSubmission, VideoUpstream } from '../video-upstream.ts'
import { createVideos } from './openai-videos.ts'
import { openAiVideoBody, openRouterVideoBody } from './video-body.ts'

let stub: StubVideoUpstream
let client: UpstreamClient
let openAi: VideoUpstream
let openRouter: VideoUpstream

beforeEach(async () => {
  stub = await startStubVideoUpstream()
  const timeouts = { connectMs: 2_000, firstByteMs: 2_000, idleMs: 2_000 }
  client = createUpstreamClient({
    url: stub.url,
    apiKey: 'up-key',
    timeouts,
    allowH2: false,
    findProxy: DIRECT,
    extraHeaders: {},
  })
  const common = { name: 'stub', client, clock: { now: () => 0 }, openElsewhere: null }
  const dialect = { reportsCost: false, cancels: true, writeBody: openAiVideoBody }
  openAi = createVideos({ ...common, dialect })
  openRouter = createVideos({
    ...common,
    dialect: { reportsCost: true, cancels: false, writeBody: openRouterVideoBody },
  })
})
afterEach(async () => {
  await client.close()
  await stub.close()
})

const submission: VideoSubmission = {
  ...{ upstreamModel: 'm/v', prompt: 'A boat', seconds: 8, resolution: '720p', size: '1280x720', isSizeAsked: false },
  ...{ aspectRatio: '16:9', hasAudio: true, seed: 7, frames: [], references: [], file: null },
  signal: new AbortController().signal,
}

/** Answers everything with this. */
function answerWith(status: number, body: string, headers: Record<string, string> = {}): void {
  stub.intercept = (_request, response: ServerResponse) => {
    response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(body)
    return true
  }
}

test('a submission to OpenRouter says everything that decides the price', async () => {
  const image = { type: 'image_url', url: 'https://a.example/b.png' } as const
  await openRouter.submit({
    ...submission,
    frames: [{ url: 'https://a.example/a.png', place: 'last_frame' }],
    references: [image],
    file: { name: 'a.png', contentType: 'image/png', bytes: Buffer.from('abc') },
  })
  const frame = (url: string, place: string) => ({ type: 'image_url', image_url: { url }, frame_type: place })
  expect(stub.jobs[0]?.request).toEqual({
    ...{ model: 'm/v', prompt: 'A boat', duration: 8, resolution: '720p', aspect_ratio: '16:9' },
    ...{ generate_audio: true, seed: 7 },
    frame_images: [frame('data:image/png;base64,YWJj', 'first_frame'), frame('https://a.example/a.png', 'last_frame')],
    input_references: [{ type: 'image_url', image_url: { url: 'https://a.example/b.png' } }],
  })
  await openRouter.submit({ ...submission, isSizeAsked: true, prompt: null })
  expect(stub.jobs[1]?.request).toMatchObject({ size: '1280x720' })
  expect(stub.jobs[1]?.request).not.toHaveProperty('resolution')
  expect(stub.jobs[1]?.request).not.toHaveProperty('prompt')
})

test('a submission in OpenAI’s form has seconds as text, and a file as a part of a form', async () => {
  await openAi.submit(submission)
  expect(stub.jobs[0]?.request).toEqual({ model: 'm/v', prompt: 'A boat', seconds: '8', size: '1280x720' })
  const bytes = Buffer.from([0, 13, 10, 255])
  await openAi.submit({ ...submission, file: { name: 'ä"\r\n.png', contentType: 'image/png', bytes } })
  const form = stub.jobs[1]?.request as string
  expect(form).toContain('name="seconds"\r\n\r\n8\r\n')
  expect(form).toContain('name="input_reference"; filename="')
  expect(form).toContain('%22  .png"\r\ncontent-type: image/png\r\n\r\n\0\r\nÿ\r\n--')
})

test.each([
  [400, '{"error":{"message":"duration must be 4","code":400}}', 'upstream_rejected_request', 400],
  [402, '{"error":{"message":"pay","code":402}}', 'upstream_unavailable', 503],
  [401, '{"error":{"message":"key","code":401}}', 'upstream_unavailable', 503],
  [429, '{"error":{"message":"slow","code":429}}', 'server_is_overloaded', 503],
  [403, '{"error":{"message":"no","code":403,"metadata":{"reasons":["x"]}}}', 'content_policy_violation', 400],
  [200, '<html>maintenance</html>', 'upstream_error', 502],
  [200, '{"error":{"message":"later","code":503}}', 'server_is_overloaded', 503],
  [202, '{"status":"pending"}', 'upstream_error', 502],
  [500, '', 'upstream_error', 502],
])('a submission that is answered with %i %s is refused', async (status, body, code, ours) => {
  answerWith(status, body)
  await expect(openRouter.submit(submission)).rejects.toMatchObject({ code, status: ours })
})

const usd = (text: string) => parseUsd(text)

test.each([
  ['{"status":"pending"}', { kind: 'running', state: 'queued', progress: null }],
  ['{"status":"IN_QUEUE","progress":3}', { kind: 'running', state: 'queued', progress: 3 }],
  ['{"status":"processing","progress":59.9}', { kind: 'running', state: 'in_progress', progress: 59 }],
  ['{"status":"in_progress","progress":900}', { kind: 'running', state: 'in_progress', progress: 100 }],
  [
    '{"status":"completed","unsigned_urls":["a","b"],"usage":{"cost":0.1000000000000000055,"is_byok":false}}',
    { kind: 'completed', outputs: 2, cost: usd('0.100000000000000006') },
  ],
  ['{"status":"completed","usage":{"cost":null}}', { kind: 'completed', outputs: 1, cost: null }],
  ['{"status":"completed","usage":{"cost":-5}}', { kind: 'completed', outputs: 1, cost: null }],
  ['{"status":"completed","usage":{"cost":1e999}}', { kind: 'completed', outputs: 1, cost: null }],
  ['{"status":"succeeded","video":{"url":"x"}}', { kind: 'completed', outputs: 1, cost: null }],
  ['{"status":"done","usage":{"cost_in_usd_ticks":5000000000}}', { kind: 'completed', outputs: 1, cost: usd('0.5') }],
  ['{"status":"completed","unsigned_urls":[]}', { kind: 'failed', reason: 'empty', cost: null }],
  ['{"status":"failed","error":"boom","usage":{"cost":0.2}}', { kind: 'failed', reason: 'failed', cost: usd('0.2') }],
  [
    '{"status":"failed","error":{"code":"moderation_blocked"}}',
    { kind: 'failed', reason: 'content_policy', cost: null },
  ],
  ['{"status":"canceled"}', { kind: 'failed', reason: 'cancelled', cost: null }],
  ['{"status":"expired"}', { kind: 'failed', reason: 'expired', cost: null }],
  ['{"status":"dead"}', { kind: 'failed', reason: 'failed', cost: null }],
])('a report %s is understood', async (body, report) => {
  answerWith(200, body)
  expect(await openRouter.report('job-1')).toEqual(report)
})

test('a cost of zero is believed only from an upstream that is known to report costs', async () => {
  answerWith(200, '{"status":"completed","usage":{"cost":0}}')
  expect(await openRouter.report('job-1')).toMatchObject({ cost: 0n })
  expect(await openAi.report('job-1')).toMatchObject({ cost: null })
})

test.each([
  [503, 'busy'],
  [200, '{"status":"on holiday"}'],
  [200, 'null'],
  [200, '<html>'],
  [401, '{"error":{"message":"no"}}'],
])('a report that is answered with %i %s is no verdict', async (status, body) => {
  answerWith(status, body)
  await expect(openRouter.report('job-1')).rejects.toMatchObject({ name: 'UpstreamFailure' })
})

test('a job that the upstream does not know is unknown, which is no verdict either', async () => {
  expect(await openRouter.report('job-9')).toEqual({ kind: 'unknown' })
  expect(await openRouter.report('../secret')).toEqual({ kind: 'unknown' })
})

test('a cancel counts only when it is confirmed, and is asked of those alone who know it', async () => {
  const { jobId } = await openAi.submit(submission)
  expect(await openRouter.cancel(jobId)).toBe(false)
  expect(stub.cancels).toEqual([])
  stub.obeysCancel = false
  expect(await openAi.cancel(jobId)).toBe(false)
  stub.obeysCancel = true
  expect(await openAi.cancel(jobId)).toBe(true)
  answerWith(200, '{"id":"x","status":"in_progress"}')
  expect(await openAi.cancel(jobId)).toBe(false)
  answerWith(200, '{"id":"x","object":"video.deleted","deleted":true}')
  expect(await openAi.cancel(jobId)).toBe(true)
  answerWith(500, '')
  await expect(openAi.cancel(jobId)).rejects.toMatchObject({ code: 'upstream_error' })
})

async function read(upstream: VideoUpstream, jobId: string, range: { start: number; end: number } | null) {
  const opened = await upstream.open(jobId, { index: 0, range })
  if (opened.kind !== 'open') return opened
  const chunks: Buffer[] = []
  for await (const chunk of opened.content.body) chunks.push(chunk as Buffer)
  const { body: _body, ...rest } = opened.content
  return { ...rest, bytes: Buffer.concat(chunks) }
}

test('a file is read whole or in part, with the key of the gateway', async () => {
  const { jobId } = await openRouter.submit(submission)
  let key: string | undefined
  stub.intercept = (request) => {
    key = request.headers.authorization
    return false
  }
  const whole = await read(openRouter, jobId, null)
  expect(whole).toEqual({ contentType: 'video/mp4', length: 100_000, part: null, bytes: fileBytes(0, 99_999) })
  expect(key).toBe('Bearer up-key')
  const part = await read(openRouter, jobId, { start: 10, end: 29 })
  expect(part).toMatchObject({ length: 20, part: { start: 10, end: 29, total: 100_000 }, bytes: fileBytes(10, 29) })
})

// As case B101, for videos.
test.each(['text/html', 'application/json', 'image/png'])('%s in place of a video is refused', async (contentType) => {
  const { jobId } = await openRouter.submit(submission)
  stub.file.contentType = contentType
  await expect(read(openRouter, jobId, null)).rejects.toMatchObject({ code: 'upstream_error' })
})

test('a file without a type of its own is taken for what was asked for, and one that is gone is gone', async () => {
  const { jobId } = await openRouter.submit(submission)
  stub.file.contentType = 'application/octet-stream'
  expect(await read(openRouter, jobId, null)).toMatchObject({ contentType: 'video/mp4' })
  stub.file.isGone = true
  expect(await read(openRouter, jobId, null)).toEqual({ kind: 'gone' })
})

test('a file at an address of the upstream’s own that its report names is read there', async () => {
  const { jobId } = await openRouter.submit(submission)
  stub.complete(stub.jobs[0])
  stub.jobs[0]!.urls = [`${new URL(stub.url).origin}/files/1.mp4`]
  stub.intercept = (request, response) => {
    if (request.path === '/files/1.mp4') response.writeHead(200, { 'content-type': 'video/mp4' }).end('film')
    else if (request.path.endsWith('/content')) response.writeHead(404).end()
    else return false
    return true
  }
  expect(await read(openRouter, jobId, null)).toMatchObject({ bytes: Buffer.from('film'), length: null })
})

test.each([
  ['has a page of its own for every address', 200, 'text/html', { urls: ['/files/1.mp4'] }],
  ['refuses the method', 405, 'application/json', { urls: ['/files/1.mp4'] }],
])('a file is read where the report names it when the upstream %s', async (_name, status, type, said) => {
  const { jobId } = await openRouter.submit(submission)
  stub.complete(stub.jobs[0])
  Object.assign(stub.jobs[0]!, said)
  stub.intercept = (request, response) => {
    if (request.path === '/files/1.mp4') response.writeHead(200, { 'content-type': 'video/mp4' }).end('film')
    else if (request.path.endsWith('/content')) response.writeHead(status, { 'content-type': type }).end('<html>')
    else return false
    return true
  }
  expect(await read(openRouter, jobId, null)).toMatchObject({ bytes: Buffer.from('film') })
})

const filmBase64 = Buffer.from('a film').toString('base64')

test.each([
  ['an entry with base64', { data: [{ b64_json: filmBase64 }] }, 'video/mp4'],
  ['an address with the bytes', { unsigned_urls: [`data:video/webm;base64,${filmBase64}`] }, 'video/webm'],
  ['the bytes as its one video', { video: { b64_json: filmBase64 } }, 'video/mp4'],
])('a report that gives %s is read from itself, whole and in part', async (_name, report, contentType) => {
  const { jobId } = await openRouter.submit(submission)
  stub.intercept = (request, response) => {
    const isFile = request.path.endsWith('/content')
    response.writeHead(isFile ? 404 : 200, { 'content-type': 'application/json' })
    response.end(isFile ? '{}' : JSON.stringify({ id: jobId, status: 'completed', ...report }))
    return true
  }
  expect(await openRouter.report(jobId)).toMatchObject({ kind: 'completed', outputs: 1 })
  expect(await read(openRouter, jobId, null)).toEqual({
    ...{ contentType, length: 6, part: null, bytes: Buffer.from('a film') },
  })
  expect(await read(openRouter, jobId, { start: 2, end: 99 })).toMatchObject({
    ...{ part: { start: 2, end: 5, total: 6 }, bytes: Buffer.from('film') },
  })
  expect(await read(openRouter, jobId, { start: 6, end: 7 })).toEqual({ kind: 'unsatisfiable', total: 6 })
})

test('the key never leaves for another origin, and a redirect is not followed by itself', async () => {
  const { jobId } = await openRouter.submit(submission)
  const asked: (string | undefined)[] = []
  const elsewhere = await startStubVideoUpstream()
  elsewhere.intercept = (request) => {
    asked.push(request.headers.authorization)
    return false
  }
  stub.intercept = (_request, response) => {
    response.writeHead(302, { location: `${elsewhere.url}/videos/x/content` }).end()
    return true
  }
  await expect(read(openRouter, jobId, null)).rejects.toMatchObject({ code: 'upstream_error' })
  expect(asked).toEqual([])
  await elsewhere.close()
})
