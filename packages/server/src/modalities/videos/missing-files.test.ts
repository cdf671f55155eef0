import type { ServerResponse } from 'node:http'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { VIDEO_START } from '../../../testing/stub-video-upstream.ts'
import { describeEachEngine } from '../../../testing/test-database.ts'
import { credits, openVideoStage, type VideoStage } from '../../../testing/video-stage.ts'
import type { Caller } from '../../access/keys/caller.ts'
import { deleteVideo } from './delete-video.ts'
import { readVideo } from './read-video.ts'
import type { VideoJob } from './video-job.ts'

const BYTE_HEADERS = { 'content-type': 'video/mp4', 'content-range': 'bytes 0-0/1' }
const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS
const DAY_MS = 24 * HOUR_MS

// Source: decision 0088 (a video is completed when its file is there).
describeEachEngine('a video job', (engine) => {
  let stage: VideoStage
  let caller: Caller
  let job: VideoJob
  beforeEach(async () => {
    stage = await openVideoStage(engine)
    caller = await stage.createCaller(10_000n)
  })
  afterEach(() => stage.close())

  const read = (jobId: string) => readVideo(stage.deps, caller, jobId)

  type Reply = (response: ServerResponse) => void
  const html: Reply = (response) => void response.writeHead(200, { 'content-type': 'text/html' }).end('<html></html>')
  const noFiles: readonly (readonly [string, Reply])[] = [
    ['is gone (404)', (response) => void response.writeHead(404).end()],
    ['is gone (410)', (response) => void response.writeHead(410).end('{}')],
    ['is a page', html],
    ['is a page under the type of a video', (response) => film(response).end('<!doctype html>')],
    [
      'is an error object under the type of bytes',
      (response) => film(response, 'application/octet-stream').end('{"e":1}'),
    ],
    ...[
      '\n{"error":{"message":"file not found"}}',
      '\ufeff{"error":{"message":"file not found"}}',
      ...[
        'Internal Server Error',
        '"not ready"',
        'x',
        'Gateway Timeout, try again',
        'size ftyp is wrong',
        'RIFF of WAVE',
      ],
    ].flatMap((text): (readonly [string, Reply])[] => [
      [`is ${JSON.stringify(text)} as bytes`, (response) => film(response, 'application/octet-stream').end(text)],
      [`is ${JSON.stringify(text)} without a type`, (response) => void response.writeHead(200).end(text)],
    ]),
    ['is one byte of its own', (response) => void response.writeHead(206, BYTE_HEADERS).end('\0')],
    [
      'breaks off after its first bytes',
      (response) => {
        response.writeHead(200, { 'content-type': 'video/mp4', 'content-length': 100_000 })
        response.write(VIDEO_START)
      },
    ],
    ['is JSON', (response) => void response.writeHead(200, { 'content-type': 'application/json' }).end('{}')],
    [
      'is empty',
      (response) => void response.writeHead(200, { 'content-type': 'video/mp4', 'content-length': 0 }).end(),
    ],
    ['is empty and of no told length', (response) => film(response).end()],
    ['has no first byte to give', (response) => void response.writeHead(416, { 'content-range': 'bytes */0' }).end()],
    ['cannot be asked for (503)', (response) => void response.writeHead(503).end('busy')],
    ['breaks off before its first byte', (response) => film(response).flushHeaders()],
  ]
  function film(response: ServerResponse, type = 'video/mp4'): ServerResponse {
    response.writeHead(200, { 'content-type': type, 'transfer-encoding': 'chunked' })
    return response
  }
  const answerFilesWith = (reply: Reply): void => {
    stage.stub.intercept = (request, response) => {
      if (!request.path.includes('/content')) return false
      reply(response)
      if (!response.writableEnded) setImmediate(() => response.destroy())
      return true
    }
  }
  const transfersOf = (holdId: string) =>
    stage.money.test.database.read
      .selectFrom('transfer')
      .select(['charge', 'cost', 'write_off'])
      .where('hold_id', '=', holdId)
      .execute()

  // Source: decision 0088 (a video is completed when its file is there).
  test.each(noFiles)(
    'that is called completed while its file %s is in progress, and charged once it is there',
    async (_name, reply) => {
      const job = await stage.submit(caller, { duration: 8 })
      stage.stub.complete(stage.upstreamJob(job), '0.6')
      Object.assign(stage.upstreamJob(job) ?? {}, { urls: null })
      answerFilesWith(reply)
      for (let minute = 0; minute < 3; minute++) {
        expect(await read(job.jobId)).toMatchObject({ state: 'in_progress', charge: null, firstReadAt: null })
        stage.clock.moved += MINUTE_MS
        await stage.observe()
      }
      expect(await stage.captures(job)).toEqual([])
      expect(await stage.balance(caller)).toMatchObject({ held: credits(960) })
      stage.stub.intercept = () => false
      expect(await read(job.jobId)).toMatchObject({ state: 'completed', charge: credits(720) })
      expect(await read(job.jobId)).toMatchObject({ state: 'completed', charge: credits(720) })
      expect(await stage.captures(job)).toEqual([credits(720)])
    },
  )

  test.each([
    ['callers who ask', true, '0.6'],
    ['the gateway alone', false, '0.6'],
    ['callers of an upstream that reports no cost', true, null],
  ])('whose file is missing for half an hour has failed and is free, seen by %s', async (_name, isAsked, cost) => {
    const job = await stage.submit(caller)
    stage.stub.complete(stage.upstreamJob(job), cost)
    stage.stub.file.isGone = true
    const look = async (): Promise<void> => void (isAsked ? await read(job.jobId) : await stage.observe())
    stage.clock.moved += MINUTE_MS
    await look()
    stage.clock.moved += 30 * MINUTE_MS - 1
    await look()
    expect(await stage.deps.jobs.get(job.jobId)).toMatchObject({ state: 'in_progress', settledAt: null })
    stage.clock.moved += MINUTE_MS
    await look()
    expect(await stage.deps.jobs.get(job.jobId)).toMatchObject({ state: 'failed', errorCode: 'upstream_empty' })
    // By its list five seconds cost 500.
    const lost = cost === null ? credits(500) : credits(600)
    expect(await transfersOf(job.holdId)).toEqual([{ charge: 0n, cost: lost, write_off: lost }])
    expect(await stage.balance(caller)).toEqual({ posted: credits(10_000), held: 0n })
    stage.stub.file.isGone = false
    expect(await read(job.jobId)).toMatchObject({ state: 'failed', charge: 0n })
    await stage.observe()
    expect(await stage.captures(job)).toEqual([0n])
  })

  test('one of whose files is missing is in progress', async () => {
    const job = await stage.submit(caller)
    stage.stub.complete(stage.upstreamJob(job))
    Object.assign(stage.upstreamJob(job) ?? {}, { urls: ['', ''] })
    stage.stub.intercept = (request, response) => {
      if (!request.path.includes('/content?index=1')) return false
      html(response)
      return true
    }
    expect(await read(job.jobId)).toMatchObject({ state: 'in_progress' })
    stage.stub.intercept = () => false
    expect(await read(job.jobId)).toMatchObject({ state: 'completed', outputs: 2 })
  })

  test('that its upstream works on again has half an hour anew, and one that it forgets has not', async () => {
    const job = await stage.submit(caller)
    const upstream = stage.upstreamJob(job)
    stage.stub.complete(upstream, '0.6')
    stage.stub.file.isGone = true
    expect(await read(job.jobId)).toMatchObject({ fileMissedAt: stage.clock.now() })
    Object.assign(upstream ?? {}, { status: 'in_progress' })
    expect(await read(job.jobId)).toMatchObject({ fileMissedAt: null })
    stage.stub.complete(upstream, '0.6')
    stage.clock.moved += HOUR_MS
    expect(await read(job.jobId)).toMatchObject({ state: 'in_progress', fileMissedAt: stage.clock.now() })
    stage.stub.jobs.splice(0)
    stage.clock.moved += HOUR_MS / 2
    expect(await read(job.jobId)).toMatchObject({ state: 'failed', errorCode: 'upstream_empty' })
    expect(await transfersOf(job.holdId)).toEqual([{ charge: 0n, cost: credits(600), write_off: credits(600) }])
  })

  // What an upstream has once said that it bills it bills, whatever becomes of the job and whatever it says no more.
  describe.each([
    ['is deleted', () => deleteVideo(stage.deps, caller, job.jobId)],
    [
      'has no verdict within a day',
      async () => {
        stage.clock.moved += DAY_MS
        await stage.observe()
      },
    ],
    [
      'fails without a word of its cost',
      async () => {
        Object.assign(stage.upstreamJob(job) ?? {}, { status: 'failed', cost: null, error: 'failed' })
        await read(job.jobId)
      },
    ],
  ])('whose cost was told while its file was missing and that %s', (_name, end) => {
    test('writes off that cost', async () => {
      job = await stage.submit(caller)
      stage.stub.complete(stage.upstreamJob(job), '0.6')
      stage.stub.file.isGone = true
      await read(job.jobId)
      Object.assign(stage.upstreamJob(job) ?? {}, { status: 'in_progress', cost: null })
      expect(await read(job.jobId)).toMatchObject({ state: 'in_progress', fileMissedAt: null })
      await end()
      expect(await transfersOf(job.holdId)).toEqual([{ charge: 0n, cost: credits(600), write_off: credits(600) }])
    })
  })

  test('whose cost was told while its file was missing, and not again, is charged by it', async () => {
    job = await stage.submit(caller)
    stage.stub.complete(stage.upstreamJob(job), '0.6')
    stage.stub.file.isGone = true
    await read(job.jobId)
    stage.stub.complete(stage.upstreamJob(job), null)
    stage.stub.file.isGone = false
    expect(await read(job.jobId)).toMatchObject({ state: 'completed', charge: credits(720) })
  })
})
