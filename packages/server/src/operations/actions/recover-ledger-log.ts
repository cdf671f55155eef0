import { STATEMENT_REASON_MAX } from '@svc/contract/log/log-statement'
import { type JournalDeps, keepJournal, type Operator, type OperatorAction } from '../../access/operators/journal.ts'
import { beginNewLog, type Recovery, type RecoveryDeps, replaceLogKey } from '../../money/ledger-log/recover-log.ts'
import { ServiceError } from '../../platform/errors/service-error.ts'

export interface LogRecovery {
  /** For everybody who reads a checkpoint or a receipt, for ever. */
  readonly reason: string
}

/**
 * Makes a key in place of one that is lost, with an entry in the journal.
 *
 * @throws {ServiceError} `invalid_value` for a reason that a checkpoint cannot state.
 * @throws {ConfigError} when the file of the key cannot be read or written.
 */
export function replaceLedgerLogKey(
  deps: RecoveryDeps & JournalDeps,
  by: Operator,
  { reason }: LogRecovery,
): Promise<Recovery> {
  const stated = parseStatedReason(reason)
  return journaled(deps, by, { action: 'log.replace_key', reason: stated }, () => replaceLogKey(deps, stated))
}

/**
 * Lets another log go on with the leaves that are left, with an entry in the journal.
 *
 * @param notes checkpoints that were published.
 * @throws as `replaceLedgerLogKey`.
 */
export function beginNewLedgerLog(
  deps: RecoveryDeps & JournalDeps,
  by: Operator,
  { reason, notes }: LogRecovery & { readonly notes: readonly string[] },
): Promise<Recovery> {
  const stated = parseStatedReason(reason)
  return journaled(deps, by, { action: 'log.begin_anew', reason: stated }, () => beginNewLog(deps, notes, stated))
}

/** One line of ordinary characters: a checkpoint takes no other. */
function parseStatedReason(text: string): string {
  const reason = text.trim()
  const isLine = reason !== '' && reason.isWellFormed() && !/[\p{Cc}\p{Zl}\p{Zp}]/u.test(reason)
  if (isLine && [...reason].length <= STATEMENT_REASON_MAX) return reason
  const rule = `Give a reason of 1 to ${STATEMENT_REASON_MAX} characters on one line: each checkpoint states it.`
  throw new ServiceError('invalid_value', rule, { param: 'reason' })
}

function journaled(
  deps: JournalDeps,
  by: Operator,
  action: { readonly action: OperatorAction; readonly reason: string },
  work: () => Promise<Recovery>,
): Promise<Recovery> {
  return keepJournal(deps, by, action, { work, outcomeOf: ({ kind }) => (kind === 'done' ? 'done' : 'refused') })
}
