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
})
