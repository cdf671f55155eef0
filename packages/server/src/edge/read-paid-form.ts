import type { Caller } from '../access/keys/caller.ts'
import { readAsCaller } from './read-as-caller.ts'
import { type Form, type FormLimits, readForm } from './read-form.ts'
import { admitBody, type PaidCall } from './read-json-body.ts'
import type { RouteCall } from './route.ts'
import type { RouteKit } from './route-kit.ts'

/**
 * Reads the form of a paid request: the balance where the form is large, then the form within its limits.
 *
 * @returns the caller as their key is then, and the form, which must be discarded once it is not needed any more.
 * @throws {ServiceError} 400, 401, 402, 403, 408, 413 or 503.
 */
export async function readPaidForm(
  deps: RouteKit,
  call: RouteCall,
  paid: PaidCall,
  limits: FormLimits,
): Promise<{ readonly caller: Caller; readonly form: Form }> {
  await admitBody(deps, call, paid)
  const { caller, body: form } = await readAsCaller(
    deps,
    call,
    { endpoint: paid.endpoint, known: paid.caller },
    { read: () => readForm(call.request.raw, deps.spool, limits), drop: (read) => read.discard() },
  )
  return { caller, form }
}
