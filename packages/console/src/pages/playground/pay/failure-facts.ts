import { ApiError } from '@svc/contract'

/** What is shown of a request that was not done. */
export interface FailureFacts {
  readonly message: string
  readonly code: string | null
  /** The other fields of the error, as the gateway sent them. */
  readonly details: Readonly<Record<string, unknown>>
  readonly requestId: string | null
}

export function factsOf(error: Error): FailureFacts {
  if (!(error instanceof ApiError)) return { message: error.message, code: null, details: {}, requestId: null }
  const { message, code, details, requestId } = error
  return { message, code, details, requestId }
}
