import { Pool, type ClientBase, type PoolClient, type PoolConfig } from 'pg'
import { DatabaseUnavailableError } from '../errors/database-unavailable-error.ts'
import { postgresFailureOf } from './database-failure.ts'
import { PostgresClient } from './postgres-client.ts'
import { type PostgresLimits, REQUEST_LIMITS } from './postgres-limits.ts'
import { greetServer, ReplacedServerError, type ServerTimeline } from './server-greeting.ts'

export interface PostgresPoolOptions extends Pick<PoolConfig, 'max' | 'types'> {
  readonly url: string
  readonly limits?: PostgresLimits
  /**
   * Whether the server takes its limits when a session begins. A transaction pooler takes none, as its sessions are
   * shared: then transactions set them, and `answerMs` bounds the rest.
   */
  readonly takesSettings: boolean
  /** How long a server on an older timeline is refused after the newest was reached, in milliseconds. */
  readonly refusedMs?: number
  /** Called with each failure, in the context of the asker. */
  readonly onFailure?: ((failure: DatabaseUnavailableError) => void) | undefined
}

/** An idle connection is closed after so long, and probed by the system after a part of it. Source: own choice. */
const IDLE_MS = 30_000
const KEEP_ALIVE_MS = 10_000

/**
 * A server on an older timeline is refused for so long after the newest was reached, and while a connection to that one
 * works. It may be all that is left: the newer one can be gone, and what it had confirmed with it. Source: own choice,
 * three looks.
 */
const REFUSED_MS = 15_000

/**
 * A pool of connections to PostgreSQL, of which none is without a limit and none ends the process.
 *
 * A connection that breaks leaves the pool by itself, in use or not. One that is made is asked whether it takes writes:
 * a standby counts as no database. Where it reaches another server than those before it, these are replaced: after a
 * fail-over none stays with a primary that was not stopped. That one counts as no database while the other is there.
 *
 * Source: decision 0144 (the newest timeline is the database).
 */
export class PostgresPool extends Pool {
  readonly limits: PostgresLimits
  readonly #clients = new Set<PostgresClient>()
  readonly #lost = new WeakSet<ClientBase>()
  readonly #onFailure: (failure: DatabaseUnavailableError) => void
  /** The server that the newest connection has reached, in this life of it; empty before the first. */
  #server = ''
  #newest: ServerTimeline | null = null
  /** When that was reached last, by the monotonic clock. */
  #newestAt = 0
  readonly #refusedMs: number
  readonly #timelines = new WeakMap<ClientBase, number>()
  readonly #clientConfig: ReturnType<typeof clientConfig>

  constructor({
    url,
    limits = REQUEST_LIMITS,
    takesSettings,
    refusedMs = REFUSED_MS,
    onFailure = () => undefined,
    ...config
  }: PostgresPoolOptions) {
    const ofClients = clientConfig(url, limits, takesSettings)
    super({
      ...config,
      ...ofClients,
      idleTimeoutMillis: IDLE_MS,
      Client: PostgresClient,
      // The pool waits for what this answers, which its type does not say.
      onConnect: ((client: ClientBase) => this.#greet(client)) as (client: ClientBase) => void,
    })
    this.limits = limits
    this.#clientConfig = ofClients
    this.#refusedMs = refusedMs
    this.#onFailure = onFailure
    this.on('error', () => undefined)
    this.on('connect', (client) => this.#watch(client as unknown as PostgresClient))
    this.on('remove', (client) => this.#clients.delete(client as unknown as PostgresClient))
    // The driver's overloads differ in what they return, not in where the values are.
    this.query = ((asked: unknown, values?: unknown) => this.#ask(asked, values)) as Pool['query']
  }

  /** Lends a connection. @throws {DatabaseUnavailableError} when none can be had in time. */
  override connect(): Promise<PoolClient> {
    return this.#checkOut()
  }

  async #checkOut(): Promise<PoolClient> {
    for (;;) {
      const client = await super.connect().catch((error: unknown) => this.#fail(error))
      if (!this.#lost.has(client)) return client
      client.release(true)
    }
  }

  #fail(error: unknown): never {
    const failure = postgresFailureOf(error)
    if (failure instanceof DatabaseUnavailableError) this.#onFailure(failure)
    throw failure
  }

  /** Keeps the connection where the statement alone was refused, which the driver's own pool does not. */
  async #ask(asked: unknown, values: unknown): Promise<unknown> {
    const client = await this.#checkOut()
    const query = client.query.bind(client) as (asked: unknown, values: unknown) => Promise<unknown>
    try {
      return await query(asked, values)
    } finally {
      client.release()
    }
  }

  /**
   * Asks by a connection of its own who the address leads to now. Where that is another server, the connections of this
   * pool are replaced before they are lent again. Connections that work stay with a primary that was replaced and not
   * stopped: nothing else tells.
   *
   * @throws {DatabaseUnavailableError} when nothing answers there that takes writes.
   */
  async lookAgain(): Promise<void> {
    const client = new PostgresClient(this.#clientConfig)
    try {
      await client.connect()
      await this.#greet(client)
      await client.end()
    } catch (error) {
      client.discard()
      throw postgresFailureOf(error)
    }
  }

  /** @throws {DatabaseUnavailableError} when what is at the other end takes no writes, or was replaced. */
  async #greet(client: ClientBase): Promise<void> {
    const { identity, timeline } = await greetServer(client)
    if (timeline !== null) this.#followTimeline(client, timeline)
    if (this.#server !== '' && identity !== this.#server) {
      for (const each of this.#clients) if (each !== client) this.#lost.add(each)
    }
    this.#server = identity
  }

  /** @throws {DatabaseUnavailableError} where another server has taken this one's place, as far as is known. */
  #followTimeline(client: ClientBase, timeline: ServerTimeline): void {
    const newest = this.#newest
    const isOlder = newest?.system === timeline.system && timeline.number < newest.number
    if (isOlder && (this.#leadsTo(newest.number) || performance.now() - this.#newestAt < this.#refusedMs)) {
      throw new DatabaseUnavailableError('away', new ReplacedServerError(timeline.number, newest.number))
    }
    this.#newest = timeline
    this.#newestAt = performance.now()
    this.#timelines.set(client, timeline.number)
  }

  /** Whether a connection to a server on that timeline works. */
  #leadsTo(timeline: number): boolean {
    const isKept = (each: PostgresClient): boolean => !each.isDiscarded && !this.#lost.has(each)
    return [...this.#clients].some((each) => isKept(each) && this.#timelines.get(each) === timeline)
  }

  /** When one connection is lost, the others are replaced before they are leased again: what they do now goes on. */
  #watch(client: PostgresClient): void {
    this.#clients.add(client)
    client.onFailure = this.#onFailure
    client.onLost = () => {
      for (const each of this.#clients) this.#lost.add(each)
    }
  }
}

/** What a connection is made with. */
function clientConfig(url: string, limits: PostgresLimits, takesSettings: boolean) {
  const settings = {
    statement_timeout: limits.statementMs,
    lock_timeout: limits.lockMs,
    idle_in_transaction_session_timeout: limits.idleInTransactionMs,
  }
  return {
    connectionString: url,
    connectionTimeoutMillis: limits.checkoutMs,
    query_timeout: limits.answerMs,
    keepAlive: true,
    keepAliveInitialDelayMillis: KEEP_ALIVE_MS,
    fallback_application_name: 'svc',
    ...(takesSettings ? settings : {}),
  }
}
