/**
 * A gateway's past, written by SQL alone: ended requests with all the rows that the gateway itself writes for them, so
 * that its audit finds nothing. The ledger log is left to the next gateway, for which each request waits.
 */
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import type { DatabasePlace } from '../packages/server/testing/fresh-database.ts'
import { openPostgresSession } from '../packages/server/testing/postgres-session.ts'
import { type HistorySpan, historyStatements, prepareHistory, concludeHistory } from './history-statements.ts'

/** Requests of one transaction. */
const AT_ONCE = 100_000
/** SQLite has one writer. */
const SESSIONS = { postgres: 3, sqlite: 1 } as const

/**
 * Writes requests of keys whose account has credits enough. A twelfth of all keys makes nearly half of the requests.
 *
 * Rules that a database checks row by row are switched off meanwhile: PostgreSQL asks for a superuser.
 *
 * @param onRequests told of so many more.
 * @throws {Error} where there are requests already, or when an account has too few credits.
 */
export async function fillHistory(
  place: DatabasePlace,
  keyIds: readonly string[],
  span: HistorySpan,
  onRequests: (requests: number) => void = () => undefined,
): Promise<void> {
  const { engine } = place
  const sessions: Session[] = []
  try {
    const open = async (): Promise<Session> => {
      const session = await openSession(place)
      sessions.push(session)
      for (const statement of prepareHistory(engine, keyIds)) await session.run(statement)
      return session
    }
    const last = await open()
    const others = await Promise.all(Array.from({ length: SESSIONS[engine] - 1 }, open))
    await Promise.all(
      [last, ...others].map((session, at, all) => fillPart(session, at / all.length, (at + 1) / all.length)),
    )
    for (const statement of concludeHistory(engine)) await last.run(statement)
  } finally {
    for (const session of sessions) await session.close()
  }

  /** A session has a time of its own: only where two meet do they add to the same rows, which they take in one order. */
  async function fillPart(session: Session, from: number, until: number): Promise<void> {
    const end = Math.floor(span.requests * until)
    for (let first = Math.floor(span.requests * from) + 1; first <= end; first += AT_ONCE) {
      const part = { ...span, keys: keyIds.length, first, last: Math.min(first + AT_ONCE - 1, end) }
      await session.run('begin')
      for (const statement of historyStatements(engine, part)) await session.run(statement)
      await session.run('commit')
      onRequests(part.last - first + 1)
    }
  }
}

/**
 * Leaves what was written out of the ledger log, as if it had been put down long ago: a gateway that takes in a million
 * entries beside its requests is another measurement.
 */
export async function dropBacklog(place: DatabasePlace): Promise<void> {
  const session = await openSession(place)
  await session.run('delete from ledger_log_pending')
  await session.close()
}

interface Session {
  run(statement: string): Promise<unknown>
  close(): Promise<void>
}

async function openSession({ url, dataDir }: DatabasePlace): Promise<Session> {
  if (url !== null) {
    const session = await openPostgresSession(url)
    return { run: (statement) => session.query(statement), close: () => session.close() }
  }
  const database = new DatabaseSync(join(dataDir, 'svc.db'))
  return {
    run: (statement) => Promise.resolve(database.exec(statement)),
    close: () => Promise.resolve(database.close()),
  }
}
