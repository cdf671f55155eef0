import { ServiceError } from './service-error.ts'

/**
 * Why the database did not do its work.
 *
 * - `away`: it cannot be reached, is starting or stopping, or takes no writes because it is a standby.
 * - `slow`: it did not answer within the limit, or another session kept a lock for longer than that.
 * - `conflict`: it undid a transaction that collided with another one; nothing was changed.
 * - `storage`: its disk is full, damaged or failing.
 */
export type DatabaseTrouble = 'away' | 'slow' | 'conflict' | 'storage'

const RETRY_AFTER_SECONDS: Readonly<Record<DatabaseTrouble, number>> = { away: 2, slow: 2, conflict: 1, storage: 5 }

/**
 * The database could not do its work, and nothing that was asked of it is at fault: the same may be asked again.
 *
 * A write may have been done all the same, unless the trouble is `conflict`: what is asked again has to be harmless the
 * second time. A client gets 503 with `retry-after`, wherever this surfaces. `cause` is the driver's own error.
 */
export class DatabaseUnavailableError extends ServiceError {
  readonly trouble: DatabaseTrouble

  constructor(trouble: DatabaseTrouble, cause: Error) {
    super('server_is_overloaded', 'The database does not answer at the moment. Try again shortly.', {
      cause,
      retryAfterSeconds: RETRY_AFTER_SECONDS[trouble],
      internal: { database: trouble, database_error: cause.message },
    })
    this.trouble = trouble
  }
}
