import { ZERO } from '@svc/contract'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { describeEachEngine } from '../../../testing/test-database.ts'
import { credits, openVideoStage, usd, type VideoStage } from '../../../testing/video-stage.ts'
import type { Caller } from '../../access/keys/caller.ts'
import { NO_FACTS } from '../../money/billing/settlement.ts'
import { deleteVideo } from './delete-video.ts'
import { listVideos, readVideo } from './read-video.ts'

const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS

describeEachEngine('a video job', (engine) => {
  let stage: VideoStage
  let caller: Caller
  beforeEach(async () => {
    stage = await openVideoStage(engine)
    caller = await stage.createCaller(10_000n)
  })
  afterEach(() => stage.close())

  const read = (jobId: string, deps = stage.deps) => readVideo(deps, caller, jobId)

  test('holds its estimate at the submission and charges nothing', async () => {
    const job = await stage.submit(caller, { duration: 8 })
    expect(job).toMatchObject({ state: 'queued', seconds: 8, size: '1280x720', charge: null })
    expect(job.estimate).toBe(credits(960))
    expect(await stage.balance(caller)).toEqual({ posted: credits(10_000), held: credits(960) })
    expect(stage.stub.jobs[0]?.request).toEqual({
      ...{ model: 'test/video', prompt: 'A boat.', duration: 8, resolution: '720p', generate_audio: true },
    })
    expect(await read(job.jobId)).toMatchObject({ state: 'queued' })
    expect(await stage.captures(job)).toEqual([])
  })

  test('that was written while the answer of the database was lost is answered as taken', async () => {
    const insert = stage.deps.jobs.insert.bind(stage.deps.jobs)
    let tries = 0
    Object.assign(stage.deps.jobs, {
      insert: async (...given: Parameters<typeof insert>) => {
        const isWritten = await insert(...given)
        if (++tries === 1) throw new Error('the connection broke')
        return isWritten
      },
    })
    const job = await stage.submit(caller)
    expect([tries, job.state]).toEqual([2, 'queued'])
    expect(await read(job.jobId)).toMatchObject({ state: 'queued', upstreamJobId: job.upstreamJobId })
    expect(stage.stub.cancels).toEqual([])
  })

  // Cases B021, B112.
  test('is charged the exact cost and the margin by the first read that sees its end, and never again', async () => {
    const job = await stage.submit(caller, { duration: 8 })
    stage.stub.complete(stage.upstreamJob(job), '0.6000000000001')
    const first = await read(job.jobId)
    expect(first).toMatchObject({ state: 'completed', charge: 720_000_000_001n, firstReadAt: stage.clock.now() })
    stage.clock.moved += 1_000
    const second = await read(job.jobId)
    expect(second).toMatchObject({ charge: 720_000_000_001n, firstReadAt: first.firstReadAt })
    expect(await stage.captures(job)).toEqual([720_000_000_001n])
    expect(await stage.balance(caller)).toEqual({ posted: credits(10_000) - 720_000_000_001n, held: 0n })
  })

  test('without a reported cost it is charged by the price that was listed at its submission', async () => {
    const job = await stage.submit(caller, { duration: 4, generate_audio: false, resolution: '720p' })
    const { prices } = stage.offer
    stage.offer = { ...stage.offer, prices: { ...prices, perSecond: usd('9'), variants: [] } }
    stage.stub.complete(stage.upstreamJob(job), null)
    expect(await read(job.jobId)).toMatchObject({ charge: credits(240) })
    const record = await stage.money.test.database.read
      .selectFrom('usage_record')
      .selectAll()
      .where('usage_id', '=', job.holdId)
      .executeTakeFirstOrThrow()
    expect(record).toMatchObject({ type: 'video', status: 'ok', estimated: 1, generation_id: job.upstreamJobId })
    expect(JSON.parse(record.pricing ?? '')).toMatchObject({
      units: { seconds: 4 },
      usd_per_unit: { seconds: '0.05' },
      variant: { resolution: '720p', audio: 'false' },
    })
  })

  test.each(['failed', 'cancelled', 'expired', 'dead', 'error'])(
    'that its upstream calls %s is free and holds nothing',
    async (word) => {
      const job = await stage.submit(caller)
      Object.assign(stage.upstreamJob(job) ?? {}, { status: word, error: 'A boat. is forbidden', cost: '0.3' })
      const seen = await read(job.jobId)
      expect(seen).toMatchObject({ state: 'failed', charge: 0n })
      expect(seen.errorCode).toBe(['cancelled', 'expired'].includes(word) ? word : 'upstream_error')
      expect(await stage.balance(caller)).toEqual({ posted: credits(10_000), held: 0n })
      // What the upstream wants for it all the same is ours to bear.
      expect(await stage.captures(job)).toEqual([0n])
    },
  )

  test('that is completed without a file is free', async () => {
    const job = await stage.submit(caller)
    stage.stub.complete(stage.upstreamJob(job))
    Object.assign(stage.upstreamJob(job) ?? {}, { urls: [] })
    expect(await read(job.jobId)).toMatchObject({ state: 'failed', errorCode: 'upstream_empty', charge: 0n })
  })

  // Case B111.
  test('stays as it was while its upstream cannot be asked, and is charged once it can', async () => {
    const job = await stage.submit(caller, { duration: 8 })
    stage.stub.intercept = (_request, response) => {
      response.writeHead(503).end('busy')
      return true
    }
    for (let minute = 0; minute < 5; minute++) {
      stage.clock.moved += 60_000
      expect(await read(job.jobId)).toMatchObject({ state: 'queued', charge: null })
      await stage.observe()
    }
    expect(await stage.balance(caller)).toMatchObject({ held: credits(960) })
    stage.stub.intercept = () => false
    stage.stub.complete(stage.upstreamJob(job), '2.25')
    expect(await read(job.jobId)).toMatchObject({ state: 'completed', charge: credits(2_700) })
  })

  test('never goes back in what it says', async () => {
    const job = await stage.submit(caller)
    const upstream = stage.upstreamJob(job)
    Object.assign(upstream ?? {}, { status: 'in_progress', progress: 60 })
    expect(await read(job.jobId)).toMatchObject({ state: 'in_progress', progress: 60 })
    Object.assign(upstream ?? {}, { status: 'pending', progress: 10 })
    expect(await read(job.jobId)).toMatchObject({ state: 'in_progress', progress: 60 })
    stage.stub.complete(upstream)
    await read(job.jobId)
    Object.assign(upstream ?? {}, { status: 'failed' })
    expect(await read(job.jobId)).toMatchObject({ state: 'completed', progress: 100 })
  })

  // Case B109.
  test('is charged once by readers of two processes who see its end at the same moment', async () => {
    const job = await stage.submit(caller)
    const other = await stage.anotherProcess()
    stage.stub.complete(stage.upstreamJob(job))
    const seen = await Promise.all(Array.from({ length: 40 }, (_, at) => read(job.jobId, at % 2 ? other : stage.deps)))
    expect(new Set(seen.map(({ charge }) => charge))).toEqual(new Set([credits(720)]))
    expect(await stage.captures(job)).toEqual([credits(720)])
    // Callers of one process share their question.
    expect(stage.upstreamJob(job)?.polls).toBeLessThanOrEqual(4)
  })

  // Case B107.
  test('of another account is not found, and its reader moves nothing', async () => {
    const job = await stage.submit(caller)
    stage.stub.complete(stage.upstreamJob(job))
    const stranger = await stage.createCaller(1_000n)
    await expect(readVideo(stage.deps, stranger, job.jobId)).rejects.toMatchObject({ code: 'job_not_found' })
    await expect(deleteVideo(stage.deps, stranger, job.jobId)).rejects.toMatchObject({ code: 'job_not_found' })
    expect((await listVideos(stage.deps, stranger, { after: null, limit: 10, order: 'desc' })).jobs).toEqual([])
    expect(await stage.captures(job)).toEqual([])
    expect(stage.upstreamJob(job)?.polls).toBe(0)
    expect(job.jobId).toMatch(/^vid_[0-9a-f]{44}$/)
  })

  test('that no client polls is charged an hour after its end, when its file is kept', async () => {
    const job = await stage.submit(caller)
    stage.stub.complete(stage.upstreamJob(job))
    stage.clock.moved += 60_000
    await stage.observe()
    stage.clock.moved += HOUR_MS - 1
    await stage.observe()
    expect(await stage.captures(job)).toEqual([])
    // Its end is believed by the first byte of its file.
    expect(stage.stub.downloads).toEqual(['bytes=0-4095'])
    stage.clock.moved += 1
    await stage.observe()
    expect(await stage.captures(job)).toEqual([credits(720)])
    expect(stage.stub.downloads).toEqual(['bytes=0-4095', null])
    await stage.observe()
    expect(await stage.captures(job)).toEqual([credits(720)])
    // Its file is there for a reader who comes late.
    stage.clock.moved += 6 * DAY_MS
    stage.stub.file.isGone = true
    expect(await read(job.jobId)).toMatchObject({ state: 'completed', charge: credits(720) })
  })

  test('whose file breaks off is copied later, and the break is no fault of ours', async () => {
    const job = await stage.submit(caller)
    stage.stub.complete(stage.upstreamJob(job))
    stage.clock.moved += 60_000
    await stage.observe()
    let breaks = 0
    stage.stub.intercept = (request, response) => {
      if (breaks > 0 || !request.path.includes('/content')) return false
      breaks++
      response.writeHead(200, { 'content-type': 'video/mp4', 'content-length': 1_000 })
      response.write('half', () => response.destroy())
      return true
    }
    stage.clock.moved += HOUR_MS
    await stage.observe()
    expect(breaks).toBe(1)
    expect(stage.errors).toEqual([])
    expect(await stage.captures(job)).toEqual([])
    stage.clock.moved += HOUR_MS
    await stage.observe()
    expect(await stage.captures(job)).toEqual([credits(720)])
  })

  test('that no client polls is free when its file cannot be had', async () => {
    const job = await stage.submit(caller)
    stage.stub.complete(stage.upstreamJob(job))
    stage.clock.moved += 60_000
    await stage.observe()
    stage.stub.file.isGone = true
    for (let round = 0; round < 8; round++) {
      await stage.observe()
      stage.clock.moved += HOUR_MS
    }
    expect(await read(job.jobId)).toMatchObject({ state: 'failed', errorCode: 'expired', charge: 0n })
    expect(await stage.balance(caller)).toEqual({ posted: credits(10_000), held: 0n })
    // The upstream has made it and bills it.
    expect(await stage.writeOffs(job)).toEqual([credits(600)])
  })

  test('whose upstream has no verdict in a day expires, and is cancelled upstream', async () => {
    const job = await stage.submit(caller)
    for (let hour = 0; hour < 25; hour++) {
      await stage.observe()
      stage.clock.moved += HOUR_MS
    }
    await stage.observe()
    expect(stage.stub.cancels).toEqual([job.upstreamJobId])
    expect(await read(job.jobId)).toMatchObject({ state: 'failed', errorCode: 'expired' })
    expect(await stage.balance(caller)).toEqual({ posted: credits(10_000), held: 0n })
  })

  test('whose upstream is silent keeps its hold for a week, and then expires', async () => {
    await stage.submit(caller)
    stage.stub.intercept = (_request, response) => {
      response.destroy()
      return true
    }
    stage.clock.moved += 7 * DAY_MS - 1
    await stage.observe()
    expect(await stage.balance(caller)).toMatchObject({ held: credits(600) })
    stage.clock.moved += HOUR_MS
    await stage.observe()
    expect(await stage.balance(caller)).toMatchObject({ held: 0n })
  })

  test('keeps its hold when the process that placed it is gone', async () => {
    const job = await stage.submit(caller)
    const hold = await stage.money.test.database.read
      .selectFrom('hold')
      .select(['process_id', 'state'])
      .where('hold_id', '=', job.holdId)
      .executeTakeFirstOrThrow()
    expect(hold).toEqual({ process_id: 'video-jobs', state: 'held' })
    expect(stage.deps.openHolds.size).toBe(0)
  })

  test('that cannot be written down is cancelled upstream, and is free', async () => {
    Object.assign(stage.deps.jobs, { insert: () => Promise.reject(new Error('the database is away')) })
    await expect(stage.submit(caller)).rejects.toMatchObject({ code: 'server_is_overloaded', shouldRetry: false })
    expect(stage.stub.cancels).toEqual([stage.stub.jobs[0]?.id])
    expect(await stage.balance(caller)).toEqual({ posted: credits(10_000), held: 0n })
    expect(stage.deps.openHolds.size).toBe(0)
  })

  test.each([
    ['cannot be written down', false],
    ['is written down without a word of it', true],
  ])('that %s, and that its upstream does not give up, is free and our loss once', async (_case, isWritten) => {
    const insert = stage.deps.jobs.insert.bind(stage.deps.jobs)
    Object.assign(stage.deps.jobs, {
      insert: async (...given: Parameters<typeof insert>) => {
        if (isWritten) await insert(...given)
        throw new Error('the connection broke')
      },
    })
    stage.stub.obeysCancel = false
    await expect(stage.submit(caller)).rejects.toMatchObject({ code: 'server_is_overloaded' })
    stage.stub.complete(stage.stub.jobs[0], '0.6')
    for (let hour = 0; hour < 3; hour++) {
      await stage.observe()
      stage.clock.moved += HOUR_MS
    }
    expect(await stage.balance(caller)).toEqual({ posted: credits(10_000), held: 0n })
    const { hold_id: holdId } = await stage.money.test.database.read
      .selectFrom('hold')
      .select('hold_id')
      .executeTakeFirstOrThrow()
    expect(await stage.writeOffs({ holdId })).toEqual([credits(500)])
  })

  test('whose hold was taken for an orphan before it began is not kept, and seen by no caller', async () => {
    const endHolds = async (): Promise<void> => {
      const { database } = stage.money.test
      const { hold_id: holdId } = await database.read.selectFrom('hold').select('hold_id').executeTakeFirstOrThrow()
      await stage.deps.ledger.submit({
        ...{ kind: 'settle', holdId, end: 'expired', charge: ZERO, cost: ZERO, lost: ZERO, placed: null },
        ...{ facts: { ...NO_FACTS, status: 'error', latencyMs: null }, now: stage.clock.now() },
      })
    }
    const insert = stage.deps.jobs.insert.bind(stage.deps.jobs)
    Object.assign(stage.deps.jobs, {
      insert: async (...given: Parameters<typeof insert>) => {
        await endHolds()
        return insert(...given)
      },
    })
    await expect(stage.submit(caller)).rejects.toMatchObject({ code: 'server_is_overloaded', shouldRetry: false })
    expect(stage.stub.cancels).toEqual([stage.stub.jobs[0]?.id])
    expect((await listVideos(stage.deps, caller, { after: null, limit: 10, order: 'desc' })).jobs).toEqual([])
    expect(await stage.balance(caller)).toEqual({ posted: credits(10_000), held: 0n })
  })

  test('is the process’s own until its upstream has begun it: its hold is that of any request', async () => {
    const submitted = Promise.withResolvers<void>()
    stage.stub.intercept = (request) => {
      if (request.method === 'POST') submitted.resolve()
      return request.method === 'POST'
    }
    const lost = stage.submit(caller)
    lost.catch(() => undefined)
    await submitted.promise
    const hold = await stage.money.test.database.read
      .selectFrom('hold')
      .select(['process_id', 'state'])
      .executeTakeFirstOrThrow()
    expect(hold).toEqual({ process_id: stage.deps.processId, state: 'held' })
    expect(await stage.deps.jobs.countOpen()).toMatchObject({ queued: 0, inProgress: 0 })
    await stage.stub.close()
    await expect(lost).rejects.toMatchObject({ name: 'ServiceError' })
    expect(await stage.balance(caller)).toEqual({ posted: credits(10_000), held: 0n })
  })
})
