/** What a new connection to PostgreSQL is asked first: who is at the other end, and whether it may be written to. */
import type { ClientBase } from 'pg'
import { DatabaseUnavailableError } from '../errors/database-unavailable-error.ts'
import { SERVER_IDENTITY } from './server-identity.ts'

/** Who answers. */
export interface ServerGreeting {
  /** The server, in this life of it. */
  readonly identity: string
  /** How often its cluster has failed over, as PostgreSQL counts; null where the server does not say. */
  readonly timeline: ServerTimeline | null
}

export interface ServerTimeline {
  /** The cluster that it belongs to: servers that are copies of each other have one. */
  readonly system: string
  readonly number: number
}

/** A server that takes no writes: a standby, or a primary that was demoted or is made read-only by its operator. */
export class ReadOnlyServerError extends Error {
  constructor() {
    super('the server takes no writes: it is a standby, or it was set to read only')
    this.name = 'ReadOnlyServerError'
  }
}

/** A server that was the primary before a fail-over, and does not know of it. */
export class ReplacedServerError extends Error {
  constructor(timeline: number, newest: number) {
    super(`the server is on timeline ${timeline}: one on timeline ${newest} has taken its place`)
    this.name = 'ReplacedServerError'
  }
}

/** A new connection says within so long who it leads to. Source: own choice. */
const GREETING_MS = 3_000

const WHO = `select current_setting('transaction_read_only') as read_only, ${SERVER_IDENTITY} as identity`
/**
 * The timeline is the first part of the name of the file that is written to; the checkpoint's own tells it minutes later.
 * Source: PostgreSQL, "Backup Control Functions" and "Timelines".
 */
const TIMELINE =
  `case when pg_is_in_recovery() then null ` +
  `else ('x' || left(pg_walfile_name(pg_current_wal_lsn()), 8))::bit(32)::int end as timeline, ` +
  `(select system_identifier::text from pg_control_system()) as system`

interface Row {
  readonly read_only: string
  readonly identity: string
  readonly timeline?: number | bigint | null
  readonly system?: string
}

/**
 * Asks it.
 *
 * @throws {DatabaseUnavailableError} when it takes no writes, or does not answer.
 */
export async function greetServer(client: ClientBase): Promise<ServerGreeting> {
  const row = await askRow(client)
  if (row.read_only === 'on') throw new DatabaseUnavailableError('away', new ReadOnlyServerError())
  const { identity, timeline, system } = row
  const isTold = timeline !== undefined && timeline !== null && system !== undefined
  return { identity, timeline: isTold ? { system, number: Number(timeline) } : null }
}

/** Servers that are no PostgreSQL of their own, such as those of some clouds, refuse what asks for files of its log. */
async function askRow(client: ClientBase): Promise<Row> {
  try {
    return await askOnce(client, `${WHO}, ${TIMELINE}`)
  } catch (error) {
    if (error instanceof DatabaseUnavailableError) throw error
    return askOnce(client, WHO)
  }
}

async function askOnce(client: ClientBase, text: string): Promise<Row> {
  const { rows } = await client.query<Row>({ text, query_timeout: GREETING_MS } as { text: string })
  const [row] = rows
  if (row === undefined) throw new DatabaseUnavailableError('away', new Error('the server did not say who it is'))
  return row
}
