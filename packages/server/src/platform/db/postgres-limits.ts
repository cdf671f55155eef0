/** How long what is asked of PostgreSQL may take. Nothing is asked without a limit. Source: own choice. */

/** Limits of one way of use, in milliseconds. */
export interface PostgresLimits {
  /** To connect, and to get a connection of the pool where all are in use. */
  readonly checkoutMs: number
  /** A statement: the server ends it. */
  readonly statementMs: number
  /** A statement waits for a lock of another session. */
  readonly lockMs: number
  /** A transaction waits for its next statement: the server ends the session. */
  readonly idleInTransactionMs: number
  /** A statement has no answer: the connection counts as lost. Longer than the server's own limits. */
  readonly answerMs: number
}

/** A caller waits for the answer: a request, or work that comes again by itself. */
export const REQUEST_LIMITS: PostgresLimits = {
  checkoutMs: 5_000,
  statementMs: 5_000,
  lockMs: 4_000,
  idleInTransactionMs: 10_000,
  answerMs: 6_500,
}

/** An audit reads every row in one transaction, and a migration rewrites tables; others wait for neither. */
export const PATIENT_LIMITS: PostgresLimits = {
  checkoutMs: 10_000,
  statementMs: 3_600_000,
  lockMs: 60_000,
  idleInTransactionMs: 600_000,
  answerMs: 3_610_000,
}

/** The server's limits for a transaction, as it takes them beside `begin`: through a transaction pooler, too. */
export function beginWithin({ statementMs, lockMs, idleInTransactionMs }: PostgresLimits): string {
  return (
    `begin; set local statement_timeout = ${statementMs}; set local lock_timeout = ${lockMs}; ` +
    `set local idle_in_transaction_session_timeout = ${idleInTransactionMs}`
  )
}
