import { ServiceError } from '../../platform/errors/service-error.ts'

/** For a response that is not stored, or not any more, or for another team. */
export function responseNotFound(): ServiceError {
  const message = 'No such response is stored for the team of this key, or not any more.'
  return new ServiceError('response_not_found', message, { param: 'response_id' })
}
