/** Lets the browser fetch the document that has all of an account. */
import { ApiError, consoleEndpoints } from '@svc/contract'
import { consoleApi } from './client.ts'

/**
 * Lets the browser save the document while it comes: however long the account's history is, none of it is kept in the
 * page. Refusals that a page can explain are found out first; a file that breaks off is marked so by the browser.
 *
 * @param place below `/api`.
 * @throws {ApiError} where the sign-in is too long ago.
 */
export async function startExport(place: string): Promise<void> {
  const { user } = await consoleApi.call(consoleEndpoints.getConsoleSession, {})
  if (user === null || user.fresh_until * 1_000 <= Date.now()) throw signInAgain()
  const link = document.createElement('a')
  link.href = `/api${place}`
  link.download = ''
  link.click()
}

function signInAgain(): ApiError {
  const nothing = { type: null, param: null, details: {}, requestId: null, retryAfterMs: null }
  const message = 'Sign in again to do this: your last sign-in is too long ago.'
  return new ApiError({ ...nothing, status: 401, code: 'sign_in_again', message })
}
