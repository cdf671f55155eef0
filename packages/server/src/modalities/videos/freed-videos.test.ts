import { afterEach, beforeEach, expect, test } from 'vitest'
import { describeEachEngine } from '../../../testing/test-database.ts'
import { credits, openVideoStage, type VideoStage } from '../../../testing/video-stage.ts'
import type { Caller } from '../../access/keys/caller.ts'
import { listVideos } from './read-video.ts'

describeEachEngine('a video job whose request was told that it is free', (engine) => {
  let stage: VideoStage
  let caller: Caller
  beforeEach(async () => {
    stage = await openVideoStage(engine)
    caller = await stage.createCaller(10_000n)
  })
  afterEach(() => stage.close())

  test('has failed, and stays free, when its upstream makes it all the same and nobody could write that down', async () => {
    const plain = { ...stage.deps.jobs }
    // The job and its hold are written, and from then on the database is away.
    Object.assign(stage.deps.jobs, {
      insert: async (...given: Parameters<typeof plain.insert>) => {
        await plain.insert(...given)
        throw new Error('the connection broke')
      },
      end: () => Promise.reject(new Error('the database is away')),
    })
    stage.stub.obeysCancel = false
    await expect(stage.submit(caller)).rejects.toMatchObject({ code: 'server_is_overloaded' })
    Object.assign(stage.deps.jobs, plain)
    stage.stub.complete(stage.stub.jobs[0], '0.6')
    stage.clock.moved += 60_000
    await stage.observe()
    const page = { after: null, limit: 10, order: 'desc' } as const
    const { jobs } = await listVideos(stage.deps, caller, page)
    expect(jobs).toMatchObject([{ state: 'failed', errorCode: 'gateway_stopped', charge: 0n }])
    expect(await stage.balance(caller)).toEqual({ posted: credits(10_000), held: 0n })
    expect(stage.errors).toEqual([])
  })
})
