import { AsyncLocalStorage } from 'node:async_hooks'
import type { DatabaseUnavailableError } from '../../platform/errors/database-unavailable-error.ts'
import type { SignIn } from './sign-in.ts'

/**
 * Failures of the database that the sign-in library hides: it answers 401 or 500, or says that there is no session.
 *
 * Whatever the library makes of it, a call has failed when the database has failed during it, unless the library has
 * answered with a successful `Response`: then the failure was of something beside the answer.
 */
export class HiddenFailures {
  readonly #calls = new AsyncLocalStorage<{ failure: DatabaseUnavailableError | null }>()

  /** Called with each failure, where it happens. */
  note(failure: DatabaseUnavailableError): void {
    const call = this.#calls.getStore()
    if (call !== undefined) call.failure = failure
  }

  /** Sign-in whose methods throw what the library has hidden. */
  reveal(signIn: SignIn): SignIn {
    const revealed = Object.entries(signIn).map(([name, method]) => {
      const call = method as (...args: readonly unknown[]) => unknown
      return [name, (...args: readonly unknown[]) => this.#watch(async () => call(...args))]
    })
    return Object.fromEntries(revealed) as SignIn
  }

  #watch(work: () => Promise<unknown>): Promise<unknown> {
    const call: { failure: DatabaseUnavailableError | null } = { failure: null }
    return this.#calls.run(call, async () => {
      try {
        const result = await work()
        const isSuccessResponse = result instanceof Response && result.ok
        if (call.failure !== null && !isSuccessResponse) throw call.failure
        return result
      } catch (error) {
        throw call.failure ?? error
      }
    })
  }
}
