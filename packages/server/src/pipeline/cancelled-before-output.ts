import { ServiceError } from '../platform/errors/service-error.ts'

/**
 * Why a request is free and no failure: its caller left before anything was made, and no upstream works on for it or
 * bills it. Only the log reads it.
 */
export class CancelledBeforeOutput extends ServiceError {
  constructor(cause?: unknown) {
    super('upstream_error', 'The client left before the first content.', { cause })
  }
}
