import { afterAll, beforeAll, expect, test } from 'vitest'
import { describeEachEngine, openTestDatabase, type TestDatabase } from '../../../testing/test-database.ts'
import type { AuditReport } from './audit.ts'
import { createAuditRunStore } from './audit-run-store.ts'
import { AUDIT_MAX_MS, type AuditRuns, createAuditRuns } from './audit-runs.ts'
import { eventually } from '../../../testing/eventually.ts'

const report: AuditReport = { takenAt: 1, rows: [], breaches: 0 }

describeEachEngine('audits that are asked for', (engine) => {
  let open: TestDatabase
  let now = 1_000_000
  beforeAll(async () => {
    open = await openTestDatabase(engine)
  })
  afterAll(() => open.close())

  function runsOf(run: (signal: AbortSignal) => Promise<AuditReport>): AuditRuns & { readonly errors: unknown[] } {
    const errors: unknown[] = []
    const store = createAuditRunStore(open.database)
    const runs = createAuditRuns({ store, clock: { now: () => now++ }, run, onError: (error) => errors.push(error) })
    return { ...runs, errors }
  }
  const never = (signal: AbortSignal): Promise<AuditReport> =>
    new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(signal.reason as Error)))

  test('run one at a time over all processes, and a stop ends them', async () => {
    const [one, other] = [runsOf(never), runsOf(() => Promise.resolve(report))]
    expect(await one.start('Ada')).toBe(true)
    expect(await other.start('Bob')).toBe(false)
    expect((await other.state()).running).toMatchObject({ startedBy: 'Ada' })
    await one.close()
    expect(await other.state()).toMatchObject({ running: null, failure: 'The gateway stopped meanwhile.' })
    expect(one.errors).toEqual([])
    expect(await other.start('Bob')).toBe(true)
    await eventually(async () => expect((await other.state()).last).toMatchObject({ startedBy: 'Bob', report }))
  })

  test('of a process that is gone are ended once they would have ended', async () => {
    const gone = runsOf(never)
    await gone.start('Ada')
    const after = runsOf(() => Promise.reject(new Error('no database')))
    now += AUDIT_MAX_MS
    expect(await after.start('Bob')).toBe(false)
    now += AUDIT_MAX_MS
    expect(await after.start('Bob')).toBe(true)
    await eventually(async () => expect((await after.state()).failure).toContain('The log says why'))
    expect(after.errors).toEqual([new Error('no database')])
    // The last one that came to an end is still there.
    expect((await after.state()).last?.report).toEqual(report)
    await gone.close()
  })

  test('are begun by themselves once the newest of any process is old enough, whatever came of it', async () => {
    const day = 86_400_000
    const [one, other] = [runsOf(() => Promise.resolve({ ...report, breaches: 3 })), runsOf(never)]
    now += day
    expect(await one.startIfOlder('schedule', day)).toBe(true)
    await eventually(async () => expect((await other.glance()).last?.breaches).toBe(3))
    expect(await other.startIfOlder('schedule', day)).toBe(false)
    now += day
    expect(await other.startIfOlder('schedule', day)).toBe(true)
    // While it runs it says nothing yet, and no other begins.
    expect(await one.glance()).toMatchObject({ last: { breaches: 3 }, isUnfinished: false })
    expect(await one.startIfOlder('schedule', 0)).toBe(false)
    await other.close()
    expect(await one.glance()).toMatchObject({ last: { breaches: 3 }, isUnfinished: true })
    expect(await one.startIfOlder('schedule', day)).toBe(false)
  })
})
