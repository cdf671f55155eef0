import { openPostgresSession } from '../packages/server/testing/postgres-session.ts'

const SAMPLE_EVERY_MS = 10

/** Sessions of one database, on average over all moments that were looked at. */
export interface LockWait {
  /** Sessions that ran a statement. */
  readonly active: number
  /** Of these, the ones that waited for a lock of another transaction. */
  readonly waiting: number
  readonly samples: number
}

/** Looks at the sessions of a database again and again until the work is over. Source: pg_stat_activity. */
export async function sampleLockWait(url: string, work: Promise<unknown>): Promise<LockWait> {
  const session = await openPostgresSession(url)
  let isOver = false
  const over = work.finally(() => {
    isOver = true
  })
  let [active, waiting, samples] = [0, 0, 0]
  try {
    while (!isOver) {
      const [row] = await session.query(SESSIONS)
      active += Number(row?.['active'])
      waiting += Number(row?.['waiting'])
      samples++
      await new Promise((resolve) => setTimeout(resolve, SAMPLE_EVERY_MS))
    }
    await over
  } finally {
    await session.close()
  }
  return { active: active / samples, waiting: waiting / samples, samples }
}

const SESSIONS = `select
    count(*) filter (where state = 'active') as active,
    count(*) filter (where state = 'active' and wait_event_type = 'Lock') as waiting
  from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()`
