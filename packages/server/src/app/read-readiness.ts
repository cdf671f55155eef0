/** Whether the gateway can take requests: what `/ready` says. Part of the composition, as it looks at several rooms. */
import { sql } from 'kysely'
import type { QueryConfig } from 'pg'
import type { OpenDatabase } from '../platform/db/open-database.ts'
import type { Readiness } from '../edge/admin-server.ts'

/** Where a gateway is in its life. */
export type Phase = 'starting' | 'serving' | 'stopping'

/** The database counts as gone when it does not answer for so long, in milliseconds. */
export const DATABASE_ANSWER_MS = 1_000

/** Money operations that may wait before the gateway asks to be left alone: twenty full batches. Source: own choice. */
export const LEDGER_QUEUE_READY_MAX = 5_000

/** A question that has gone unanswered for so many times its limit is lost, and asked anew. Source: own choice. */
const GIVE_UP_LIMITS = 10

export interface ReadinessSources {
  readonly phase: () => Phase
  /** Null when the database does not answer in time. */
  readonly pingDatabase: () => Promise<true | null>
  /** Money operations that wait. */
  readonly ledgerQueue: () => number
}

const READY: Readiness = { ready: true, reason: null }

/** Says whether requests should come here, and the first reason why not. */
export async function readReadiness(sources: ReadinessSources): Promise<Readiness> {
  const phase = sources.phase()
  if (phase !== 'serving') return { ready: false, reason: phase }
  if (sources.ledgerQueue() > LEDGER_QUEUE_READY_MAX) return { ready: false, reason: 'ledger_queue' }
  return (await sources.pingDatabase()) === null ? { ready: false, reason: 'database' } : READY
}

/**
 * Asks something of the database for at most a second. While an earlier question is unanswered none is asked again, so
 * that probes do not pile up before a database that hangs.
 *
 * @returns a function that answers null when the database fails or does not answer in time.
 */
export function askInTime<Answer>(
  ask: () => Promise<Answer>,
  limitMs = DATABASE_ANSWER_MS,
): () => Promise<Answer | null> {
  let asked: { readonly answer: Promise<Answer | null>; readonly atMs: number } | null = null
  const askAgain = () => {
    const question = { answer: ask().catch(() => null), atMs: performance.now() }
    void question.answer.then(() => {
      if (asked === question) asked = null
    })
    return question
  }
  return async () => {
    if (asked !== null && performance.now() - asked.atMs > limitMs * GIVE_UP_LIMITS) asked = null
    asked ??= askAgain()
    const { answer } = asked
    const late = Promise.withResolvers<null>()
    const timer = setTimeout(late.resolve, limitMs, null)
    try {
      return await Promise.race([answer, late.promise])
    } finally {
      clearTimeout(timer)
    }
  }
}

/**
 * Resolves when the database has answered anything. A connection that does not answer in time is closed, so that it
 * heals.
 */
export async function ping(database: OpenDatabase): Promise<true> {
  if (database.engine === 'sqlite') await sql`select 1`.execute(database.read)
  else {
    const question: QueryConfig & { readonly query_timeout: number } = {
      text: 'select 1',
      query_timeout: DATABASE_ANSWER_MS,
    }
    await database.pool.query(question)
  }
  return true
}
