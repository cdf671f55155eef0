import { afterEach, beforeEach, expect, test } from 'vitest'
import { describeEachEngine } from '../../../testing/test-database.ts'
import { credits, openVideoStage, type VideoStage } from '../../../testing/video-stage.ts'
import type { Caller } from '../../access/keys/caller.ts'
import { readVideo } from '../../modalities/videos/read-video.ts'
import type { VideoJob } from '../../modalities/videos/video-job.ts'
import { runAudit } from './audit.ts'
import { LeaseObserver } from './lease-observer.ts'
import { type OrphanDeps, sweepOrphans } from './orphans.ts'

describeEachEngine('the audit of jobs', (engine) => {
  let stage: VideoStage
  let caller: Caller
  let open: VideoJob
  let done: VideoJob
  beforeEach(async () => {
    stage = await openVideoStage(engine)
    caller = await stage.createCaller(10_000n)
    open = await stage.submit(caller)
    done = await stage.submit(caller)
    stage.stub.complete(stage.upstreamJob(done))
    await readVideo(stage.deps, caller, done.jobId)
  })
  afterEach(async () => stage.closeUnsound())

  const broken = async (now = stage.clock.now()): Promise<string[]> => {
    const report = await runAudit(stage.money.test.database, { now: () => now })
    return report.rows.filter((row) => row.breaches > 0).map((row) => row.name)
  }
  const change = async (jobId: string, set: Record<string, unknown>): Promise<void> => {
    const { database } = stage.money.test
    await database.write([database.read.updateTable('video_job').set(set).where('job_id', '=', jobId).compile()])
  }

  test('keeps silent about sound jobs, however old an open one is', async () => {
    expect(await broken()).toEqual([])
    expect(await broken(stage.clock.now() + 6 * 86_400_000)).toEqual([])
  })

  test('finds a job that says another charge than was taken', async () => {
    await change(done.jobId, { charge: credits(719) })
    expect(await broken()).toEqual(['job charges'])
  })

  test('finds a job that was charged and says that it failed', async () => {
    await change(done.jobId, { state: 'failed', error_code: 'expired', charge: 0n, first_read_at: null })
    expect(await broken()).toEqual(['job charges'])
  })

  test('finds a job that is settled while its hold is open', async () => {
    const settled = { state: 'failed', error_code: 'expired', ended_at: 1, settled_at: 1, charge: 0n }
    await change(open.jobId, settled)
    expect(await broken()).toEqual(['job holds'])
  })

  test('finds a hold of a job that there is not', async () => {
    const { database } = stage.money.test
    const hold = database.read.deleteFrom('video_job').where('job_id', '=', open.jobId)
    await database.write([hold.compile()])
    expect(await broken()).toEqual(['job holds'])
  })

  test('no sweep of orphans touches the hold of a job, however long its process is gone', async () => {
    stage.clock.moved += 3 * 86_400_000
    const elapsed = (): number => stage.clock.now()
    const leases = new LeaseObserver({ clock: { elapsed }, leaseMs: 1 })
    const deps: OrphanDeps = {
      ...{ database: stage.money.test.database, ledger: stage.money.ledger, clock: stage.clock },
      processId: 'another-process',
      isOpenHere: () => false,
      onBroken: () => undefined,
      findCost: () => Promise.resolve(null),
      chargeForCost: () => {
        throw new Error('there is nothing to charge')
      },
    }
    await sweepOrphans(deps, leases)
    stage.clock.moved += 1_000
    const result = await sweepOrphans(deps, leases)
    expect(result).toEqual({ looked: 0, estimated: 0, expired: 0, postponed: 0 })
    expect(await stage.balance(caller)).toMatchObject({ held: credits(600) })
  })
})
