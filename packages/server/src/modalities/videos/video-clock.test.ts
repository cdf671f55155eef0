/** A clock that leaps for a moment ends no video, removes no file and charges nothing early. */
import { afterEach, beforeEach, expect, test } from 'vitest'
import { describeEachEngine } from '../../../testing/test-database.ts'
import { credits, openVideoStage, type VideoStage } from '../../../testing/video-stage.ts'
import type { Caller } from '../../access/keys/caller.ts'
import { believedClock } from '../../platform/runtime/believed-clock.ts'
import { openVideo } from './open-video.ts'
import { readVideo } from './read-video.ts'
import type { ObserverDeps } from './video-observer.ts'

const MINUTE_MS = 60_000
const DAY_MS = 86_400_000
const MONTH_MS = 30 * DAY_MS

describeEachEngine('a video while a clock is wrong', (engine) => {
  let stage: VideoStage
  let caller: Caller
  beforeEach(async () => {
    stage = await openVideoStage(engine)
    caller = await stage.createCaller(10_000n)
    // The process has run for a while.
    stage.clock.moved += DAY_MS
  })
  afterEach(() => stage.close())

  const read = (jobId: string) => readVideo(stage.deps, caller, jobId)
  /** Background work goes on for so long. */
  const watch = async (ms: number, deps?: ObserverDeps): Promise<void> => {
    for (let passed = 0; passed < ms; passed += MINUTE_MS / 2) {
      stage.clock.moved += MINUTE_MS / 2
      await stage.observe(deps)
    }
  }

  test.each([DAY_MS, MONTH_MS, -MONTH_MS])('set by %i ms for a moment goes on and is charged', async (ms) => {
    const job = await stage.submit(caller)
    stage.clock.leapt = ms
    await watch(9 * MINUTE_MS)
    expect(await read(job.jobId)).toMatchObject({ state: 'queued' })
    stage.clock.leapt = 0
    const polls = stage.upstreamJob(job)?.polls ?? 0
    await watch(MINUTE_MS)
    expect(stage.upstreamJob(job)?.polls).toBeGreaterThan(polls)
    stage.stub.complete(stage.upstreamJob(job))
    expect(await read(job.jobId)).toMatchObject({ state: 'completed', charge: credits(720) })
    expect(stage.stub.cancels).toEqual([])
  })

  test('ahead is not abandoned while its upstream is silent, nor when its file is missing', async () => {
    const silent = await stage.submit(caller)
    stage.stub.intercept = (_request, response) => {
      response.destroy()
      return true
    }
    stage.clock.leapt = MONTH_MS
    await watch(5 * MINUTE_MS)
    stage.stub.intercept = () => false
    stage.stub.complete(stage.upstreamJob(silent))
    stage.stub.file.isGone = true
    expect(await read(silent.jobId)).toMatchObject({ state: 'in_progress' })
    stage.clock.leapt += DAY_MS
    expect(await read(silent.jobId)).toMatchObject({ state: 'in_progress' })
    stage.clock.leapt = 0
    stage.stub.file.isGone = false
    expect(await read(silent.jobId)).toMatchObject({ state: 'completed', charge: credits(720) })
  })

  test('ahead is not charged before its hour is over, and keeps its file', async () => {
    const unread = await stage.submit(caller)
    stage.stub.complete(stage.upstreamJob(unread))
    await watch(MINUTE_MS)
    const known = await stage.submit(caller)
    stage.stub.complete(stage.upstreamJob(known))
    await read(known.jobId)
    await watch(MINUTE_MS)
    stage.stub.file.isGone = true
    stage.clock.leapt = MONTH_MS
    await watch(5 * MINUTE_MS)
    const reading = openVideo(stage.deps, caller, { jobId: known.jobId, index: 0 })
    await expect(reading).resolves.toMatchObject({ bytes: 100_000 })
    expect(await stage.captures(unread)).toEqual([])
    stage.clock.leapt = 0
    expect(await openVideo(stage.deps, caller, { jobId: known.jobId, index: 0 })).toMatchObject({ bytes: 100_000 })
  })

  test('is not ended by a process that started while its clock was ahead', async () => {
    const job = await stage.submit(caller)
    const another = await stage.anotherProcess()
    let isAhead = true
    const startedAt = stage.clock.elapsed()
    const clock = believedClock({
      now: () => stage.clock.now() + (isAhead ? MONTH_MS : 0),
      elapsed: () => stage.clock.elapsed() - startedAt,
    })
    await watch(9 * MINUTE_MS, { ...another, clock })
    isAhead = false
    await watch(15 * MINUTE_MS, { ...another, clock })
    expect(await read(job.jobId)).toMatchObject({ state: 'queued' })
    // What that process wrote keeps no other one from its work.
    const polls = stage.upstreamJob(job)?.polls ?? 0
    await watch(10 * MINUTE_MS)
    expect(stage.upstreamJob(job)?.polls).toBeGreaterThan(polls + 1)
  })

  test('that a process left for a month, since its clock was ahead, is looked at all the same', async () => {
    const job = await stage.submit(caller)
    await stage.deps.jobs.schedule(job.jobId, stage.clock.now() + MONTH_MS, 0)
    stage.stub.complete(stage.upstreamJob(job))
    await watch(MINUTE_MS)
    expect(await stage.deps.jobs.get(job.jobId)).toMatchObject({ state: 'completed' })
    await stage.deps.jobs.schedule(job.jobId, stage.clock.now() + MONTH_MS, 0)
    await watch(61 * MINUTE_MS)
    expect(await stage.captures(job)).toEqual([credits(720)])
  })
})
