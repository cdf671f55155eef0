import { ServiceError } from '../platform/errors/service-error.ts'

/** @returns the 503 while too many audio files wait to be measured: what is not measured must not become cheaper. */
export function measuringIsBusy(): ServiceError {
  return new ServiceError(
    'server_is_overloaded',
    'The gateway has reached its limit of simultaneous audio measurements.',
    { retryAfterSeconds: 1 },
  )
}
