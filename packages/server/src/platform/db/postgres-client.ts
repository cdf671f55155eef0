import { Socket } from 'node:net'
import { Client, type ClientConfig } from 'pg'
import { DatabaseUnavailableError } from '../errors/database-unavailable-error.ts'
import { endsConnection, postgresFailureOf } from './database-failure.ts'
import { storableParameters } from './storable-text.ts'

type Done = (error: unknown, result?: unknown) => void
type Query = (query: unknown, values?: unknown, done?: unknown) => unknown

/**
 * One connection to PostgreSQL.
 *
 * - It may break at any moment, also while no caller waits for an answer. That fails what was asked of it and what is
 * asked   later, and nothing else.
 * - Whatever fails on it is thrown as `postgresFailureOf` says. A connection that gave no answer in time, or whose
 * server   takes no writes any more, is closed at once: nothing else is ever asked of it.
 * - Its texts are storable, whichever caller writes the statement: a NUL that a client or an upstream sent cannot make
 * it fail.
 */
export class PostgresClient extends Client {
  readonly #socket: Socket
  #isDiscarded = false
  /** Called with each failure, in the context of the asker. */
  onFailure: (failure: DatabaseUnavailableError) => void = () => undefined
  /** Called when a failure has ended it: the other connections to its server may be lost, too. */
  onLost: () => void = () => undefined

  constructor(config: ClientConfig = {}) {
    const socket = new Socket()
    super({ ...config, stream: () => socket })
    this.#socket = socket
    // Without a listener the process would end. The user of the connection learns it from the driver's answer.
    this.on('error', () => undefined)
    // The driver's overloads differ in what they return, not in where the values are.
    const ask = this.query.bind(this) as Query
    const query: Query = (asked, values, done) => {
      if (typeof values === 'function') return query(asked, undefined, values)
      const storable = Array.isArray(values) ? storableParameters(values) : values
      if (typeof done === 'function') return ask(withStorableValues(asked), storable, this.#translating(done as Done))
      const answer = ask(withStorableValues(asked), storable)
      return answer instanceof Promise ? answer.catch((error: unknown) => this.#fail(error)) : answer
    }
    this.query = query as Client['query']
  }

  /** Whether it is closed, or about to be. */
  get isDiscarded(): boolean {
    return this.#isDiscarded
  }

  /** Closes it at once, whatever is under way. A pool takes it back and forgets it. */
  discard(): void {
    this.#isDiscarded = true
    void this.end()
    this.#socket.destroy()
  }

  #translating(done: Done): Done {
    return (error, result) => done(error == null ? error : this.#translate(error), result)
  }

  #fail(error: unknown): never {
    throw this.#translate(error)
  }

  #translate(error: unknown): unknown {
    const failure = postgresFailureOf(error)
    if (!(failure instanceof DatabaseUnavailableError)) return failure
    this.onFailure(failure)
    if (!endsConnection(failure)) return failure
    if (!this.#isDiscarded) this.onLost()
    this.discard()
    return failure
  }
}

function withStorableValues(query: unknown): unknown {
  if (typeof query !== 'object' || query === null || !('values' in query) || !Array.isArray(query.values)) return query
  return { ...query, values: storableParameters(query.values) }
}
