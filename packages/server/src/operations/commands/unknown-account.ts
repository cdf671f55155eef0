import { AdminError } from './admin-error.ts'

/** The error for an id that no account has. */
export function unknownAccount(accountId: string): AdminError {
  return new AdminError(`There is no account ${accountId}. "account list" shows all.`)
}
