import { sql } from 'kysely'
import type { Database } from '../db/database.ts'

/** Emails that wait, over all processes on the database. */
export interface WaitingMail {
  readonly emails: number
  /** When the oldest was made, in milliseconds since the epoch; null when none waits. */
  readonly oldest: number | null
}

export async function readWaitingMail({ read }: Database): Promise<WaitingMail> {
  const result = await sql<{ emails: number; oldest: number | null }>`
    select count(*) as emails, min(created_at) as oldest from mail_outbox where state = 'queued'
  `.execute(read)
  const [row] = result.rows
  return { emails: row?.emails ?? 0, oldest: row?.oldest ?? null }
}
