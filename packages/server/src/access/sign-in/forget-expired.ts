import { sql } from 'kysely'
import type { Database } from '../../platform/db/database.ts'

/**
 * Removes sessions, links and messages for wallets whose time was over by `before`. The library removes those that are
 * asked for again, and no one asks for most: a session's address and browser would be kept for good, and any stranger
 * can ask for a message.
 *
 * @param before milliseconds since the epoch.
 */
export async function forgetExpired({ read, write }: Pick<Database, 'read' | 'write'>, before: number): Promise<void> {
  // Times are ISO 8601 text in the one engine, and are read from it by the other.
  const time = new Date(before).toISOString()
  await write([
    sql`delete from sign_in_session where expires_at < ${time}`.compile(read),
    sql`delete from sign_in_verification where expires_at < ${time}`.compile(read),
  ])
}
