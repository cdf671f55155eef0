import type { Nanocredits } from '@svc/contract'
import { isUniqueViolation } from '../../platform/db/database-failure.ts'
import type { Database } from '../../platform/db/database.ts'
import type { ReconciliationStore } from './reconciliation.ts'
import type { ReconciliationReport } from './report.ts'

/** Runs that are kept: some months of several upstreams. Source: own choice. */
const KEPT = 1_000

/** Makes it. */
export function createReconciliationStore(database: Database): ReconciliationStore {
  const { read } = database
  return {
    async begin({ runId, upstream, day, startedAt, startedBy, leaseUntil }) {
      const abandon = read
        .updateTable('reconciliation')
        .set({ ended_at: startedAt, failure: 'It took too long, or its process ended.' })
        .where('ended_at', 'is', null)
        .where('lease_until', '<', startedAt)
      const oldest = await read
        .selectFrom('reconciliation')
        .select('run_id')
        .orderBy('run_id', 'desc')
        .limit(1)
        .offset(KEPT - 1)
        .executeTakeFirst()
      const forget = read
        .deleteFrom('reconciliation')
        .where('run_id', '<', oldest?.run_id ?? '')
        .where('ended_at', 'is not', null)
      const insert = read.insertInto('reconciliation').values({
        ...{ run_id: runId, upstream, day, started_at: startedAt, started_by: startedBy, lease_until: leaseUntil },
      })
      try {
        await database.write([abandon.compile(), forget.compile(), insert.compile()])
        return true
      } catch (error) {
        if (isUniqueViolation(error)) return false
        throw error
      }
    },
    async end(runId, end, at) {
      const ended =
        'report' in end
          ? { report: JSON.stringify(end.report, writeAmounts), differences: end.differences, failure: null }
          : { report: null, differences: null, failure: end.failure }
      const statement = read
        .updateTable('reconciliation')
        .set({ ended_at: at, ...ended })
        .where('run_id', '=', runId)
        .where('ended_at', 'is', null)
      await database.write([statement.compile()])
    },
    async list(limit, { upstream, day } = {}) {
      let query = read
        .selectFrom('reconciliation')
        .select(['run_id as runId', 'upstream', 'day', 'started_at as startedAt', 'started_by as startedBy'])
        .select(['ended_at as endedAt', 'differences', 'failure'])
        .orderBy('run_id', 'desc')
        .limit(limit)
      if (upstream !== undefined) query = query.where('upstream', '=', upstream)
      if (day !== undefined) query = query.where('day', '=', day)
      return await query.execute()
    },
    async findReport(runId) {
      const row = await read
        .selectFrom('reconciliation')
        .select('report')
        .where('run_id', '=', runId)
        .executeTakeFirst()
      return row?.report == null ? null : (JSON.parse(row.report, readAmounts) as ReconciliationReport)
    },
  }
}

const writeAmounts = (_name: string, value: unknown): unknown => (typeof value === 'bigint' ? String(value) : value)

const readAmounts = (name: string, value: unknown): unknown =>
  name === 'cost' && typeof value === 'string' ? (BigInt(value) as Nanocredits) : value
