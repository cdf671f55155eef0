import type { ErrorCode } from '@svc/contract'
import { ServiceError } from './service-error.ts'

/**
 * The code under which a client sees an error: its own, or `internal_error` for everything that a client need not know.
 */
export function codeOf(error: unknown): ErrorCode {
  return error instanceof ServiceError ? error.code : 'internal_error'
}
