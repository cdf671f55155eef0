import { afterEach, beforeEach, expect, test } from 'vitest'
import { describeEachEngine } from '../../../testing/test-database.ts'
import { credits, openVideoStage, type VideoStage } from '../../../testing/video-stage.ts'
import type { Caller } from '../../access/keys/caller.ts'
import { deleteVideo } from './delete-video.ts'
import { openVideo } from './open-video.ts'
import { listVideos, readVideo } from './read-video.ts'

const DAY_MS = 86_400_000

describeEachEngine('deleting and keeping videos', (engine) => {
  let stage: VideoStage
  let caller: Caller
  beforeEach(async () => {
    stage = await openVideoStage(engine)
    caller = await stage.createCaller(10_000n)
  })
  afterEach(() => stage.close())

  const isKept = async (jobId: string): Promise<boolean> => (await stage.deps.jobs.get(jobId)).files !== null

  test('a finished video is charged before it is deleted', async () => {
    const job = await stage.submit(caller)
    stage.stub.complete(stage.upstreamJob(job))
    await deleteVideo(stage.deps, caller, job.jobId)
    expect(await stage.captures(job)).toEqual([credits(720)])
    await expect(readVideo(stage.deps, caller, job.jobId)).rejects.toMatchObject({ code: 'job_not_found' })
    await expect(deleteVideo(stage.deps, caller, job.jobId)).rejects.toMatchObject({ code: 'job_not_found' })
  })

  test('a running video is deleted, and free, when its upstream confirms that it was cancelled', async () => {
    const job = await stage.submit(caller)
    await deleteVideo(stage.deps, caller, job.jobId)
    expect(stage.stub.cancels).toEqual([job.upstreamJobId])
    expect(await stage.balance(caller)).toEqual({ posted: credits(10_000), held: 0n })
  })

  test('a running video keeps its hold when its upstream goes on with it', async () => {
    stage.stub.obeysCancel = false
    const job = await stage.submit(caller)
    const refused = deleteVideo(stage.deps, caller, job.jobId)
    await expect(refused).rejects.toMatchObject({ code: 'job_not_cancelled', status: 409, shouldRetry: false })
    expect(await stage.balance(caller)).toMatchObject({ held: credits(600) })
    stage.stub.complete(stage.upstreamJob(job))
    expect(await readVideo(stage.deps, caller, job.jobId)).toMatchObject({ charge: credits(720) })
  })

  test('a running video is neither deleted nor freed while its upstream cannot be asked', async () => {
    const job = await stage.submit(caller)
    stage.stub.intercept = (_request, response) => {
      response.destroy()
      return true
    }
    await expect(deleteVideo(stage.deps, caller, job.jobId)).rejects.toMatchObject({ name: 'UpstreamFailure' })
    expect(await stage.balance(caller)).toMatchObject({ held: credits(600) })
  })

  test('a video that is completed while it is being cancelled is charged', async () => {
    stage.stub.obeysCancel = false
    const job = await stage.submit(caller)
    stage.stub.intercept = (request) => {
      if (request.method === 'DELETE') stage.stub.complete(stage.upstreamJob(job))
      return false
    }
    await deleteVideo(stage.deps, caller, job.jobId)
    expect(await stage.captures(job)).toEqual([credits(720)])
  })

  test('a list shows what is there, page by page, and charges what it shows as completed', async () => {
    const jobs = []
    for (let at = 0; at < 5; at++) {
      stage.clock.moved += 1_000
      jobs.push(await stage.submit(caller, { duration: 4 }))
    }
    const ids = jobs.map(({ jobId }) => jobId)
    const second = jobs[1]!
    stage.stub.complete(stage.upstreamJob(second))
    stage.clock.moved += 60_000
    await stage.observe()
    expect(await stage.captures(second)).toEqual([])
    const page = await listVideos(stage.deps, caller, { after: null, limit: 2, order: 'asc' })
    expect([page.jobs.map(({ jobId }) => jobId), page.hasMore]).toEqual([ids.slice(0, 2), true])
    expect(page.jobs[1]).toMatchObject({ state: 'completed', charge: credits(720) })
    expect(await stage.captures(second)).toEqual([credits(720)])
    const rest = await listVideos(stage.deps, caller, { after: ids[1]!, limit: 10, order: 'asc' })
    expect([rest.jobs.map(({ jobId }) => jobId), rest.hasMore]).toEqual([ids.slice(2), false])
    const newest = await listVideos(stage.deps, caller, { after: ids[3]!, limit: 1, order: 'desc' })
    expect(newest.jobs.map(({ jobId }) => jobId)).toEqual([ids[2]])
  })

  test('a file lives a day from the first read, and is removed then', async () => {
    const job = await stage.submit(caller)
    stage.stub.complete(stage.upstreamJob(job))
    await readVideo(stage.deps, caller, job.jobId)
    await stage.observe()
    expect(await isKept(job.jobId)).toBe(true)
    // From now on the upstream is not needed any more.
    stage.stub.file.isGone = true
    stage.clock.moved += DAY_MS - 1
    expect(await openVideo(stage.deps, caller, { jobId: job.jobId, index: 0 })).toMatchObject({ bytes: 100_000 })
    stage.clock.moved += 1
    const late = openVideo(stage.deps, caller, { jobId: job.jobId, index: 0 })
    await expect(late).rejects.toMatchObject({ code: 'content_expired' })
    await stage.observe()
    expect(await isKept(job.jobId)).toBe(false)
    expect(await readVideo(stage.deps, caller, job.jobId)).toMatchObject({ state: 'completed' })
  })

  test('a file of a video that was first read late ends a week after the video did', async () => {
    const job = await stage.submit(caller)
    stage.stub.complete(stage.upstreamJob(job))
    stage.clock.moved += 60_000
    await stage.observe()
    stage.clock.moved += 6.5 * DAY_MS
    await stage.observe()
    await readVideo(stage.deps, caller, job.jobId)
    stage.clock.moved += 0.5 * DAY_MS - 1
    expect(await openVideo(stage.deps, caller, { jobId: job.jobId, index: 0 })).toMatchObject({ bytes: 100_000 })
    stage.clock.moved += 1
    const late = openVideo(stage.deps, caller, { jobId: job.jobId, index: 0 })
    await expect(late).rejects.toMatchObject({ code: 'content_expired' })
  })

  test('a deleted video leaves no file', async () => {
    const job = await stage.submit(caller)
    stage.stub.complete(stage.upstreamJob(job))
    await readVideo(stage.deps, caller, job.jobId)
    await stage.observe()
    const [name = ''] = (await stage.deps.jobs.get(job.jobId)).files ?? []
    expect(await stage.deps.files.head(name)).toMatchObject({ bytes: 100_000 })
    await deleteVideo(stage.deps, caller, job.jobId)
    expect(await stage.deps.files.head(name)).toBeNull()
  })

  // Case B117.
  test('one job whose upstream hangs does not delay the others', async () => {
    const jobs = []
    for (let at = 0; at < 20; at++) jobs.push(await stage.submit(caller, { duration: 4, generate_audio: false }))
    for (const job of jobs) stage.stub.complete(stage.upstreamJob(job))
    const stuck = jobs[0]?.upstreamJobId
    stage.stub.intercept = (request) => request.path.endsWith(`/${stuck}`)
    stage.clock.moved += 60_000
    const { VideoObserver } = await import('./video-observer.ts')
    const observer = new VideoObserver(stage.deps)
    const ended = async (): Promise<number> => {
      await observer.tick()
      return (await stage.deps.jobs.countOpen()).unsettled
    }
    await expect.poll(ended).toBe(19)
    await stage.stub.close()
    await observer.stop()
  })
})
