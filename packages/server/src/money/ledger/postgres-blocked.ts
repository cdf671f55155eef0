/** What of a batch can go on while another session has locked rows that the rest of it needs. */
import type { LedgerOperation } from './operations.ts'

/** Ids of what is locked. A hold is where its account, its key or one of its budgets is. */
export interface Blocked {
  readonly accounts: ReadonlySet<string>
  readonly keys: ReadonlySet<string>
  readonly budgets: ReadonlySet<string>
  readonly holds: ReadonlySet<string>
  /** Holds that can be extended, and cannot end: the total of their day is locked. */
  readonly ends: ReadonlySet<string>
}

/** Reads the result of the function `ledger_blocked`. */
export function parseBlocked(text: string): Blocked {
  // The function is part of our own schema; its answer has this form or the deployment is broken.
  const ids = JSON.parse(text) as Readonly<Record<keyof Blocked, readonly string[]>>
  return {
    accounts: new Set(ids.accounts),
    keys: new Set(ids.keys),
    budgets: new Set(ids.budgets),
    holds: new Set(ids.holds),
    ends: new Set(ids.ends),
  }
}

/**
 * The operations that need nothing of it; null in the place of each that does. The progress of holds is left out for
 * those alone: it comes again, and the lease of the process must not wait.
 */
export function withoutBlocked(
  operations: readonly LedgerOperation[],
  blocked: Blocked,
): readonly (LedgerOperation | null)[] {
  return operations.map((operation) => {
    if (operation.kind !== 'journal') return isBlocked(operation, blocked) ? null : operation
    return { ...operation, entries: operation.entries.filter(({ holdId }) => !blocked.holds.has(holdId)) }
  })
}

function isBlocked(operation: Exclude<LedgerOperation, { kind: 'journal' }>, blocked: Blocked): boolean {
  switch (operation.kind) {
    case 'place': {
      const { holdId, accountId, keyId, teamBudgetId, keyBudgetId } = operation
      const isOfBudgets = blocked.budgets.has(teamBudgetId ?? '') || blocked.budgets.has(keyBudgetId ?? '')
      return blocked.holds.has(holdId) || blocked.accounts.has(accountId) || blocked.keys.has(keyId) || isOfBudgets
    }
    case 'extend':
      return blocked.holds.has(operation.holdId)
    case 'settle':
      return blocked.holds.has(operation.holdId) || blocked.ends.has(operation.holdId)
    case 'credit':
      return blocked.accounts.has(operation.accountId)
    case 'deposit':
      return false
  }
}
