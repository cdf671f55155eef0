import type { Caller } from '../../access/keys/caller.ts'
import { ServiceError } from '../../platform/errors/service-error.ts'
import type { FormRoutesDeps } from '../form-routes-deps.ts'
import type { Referred, ResponseCall } from './parse-response.ts'

function notFound(): ServiceError {
  const message = 'There is no such response, or not any more: responses are stored for thirty days, for their team.'
  return new ServiceError('invalid_value', message, { param: 'previous_response_id' })
}

/**
 * Finds what a request refers to.
 *
 * @throws {ServiceError} 400 for a response that is not there; 413 for more than one request can refer to.
 */
export async function findReferred(
  { keptItems, storedResponses }: Pick<FormRoutesDeps, 'keptItems' | 'storedResponses'>,
  { keyId, teamId }: Pick<Caller, 'keyId' | 'teamId'>,
  { seeds, previous }: Pick<ResponseCall, 'seeds' | 'previous'>,
): Promise<Referred> {
  const [outputs, turns] = await Promise.all([
    keptItems.find(keyId, seeds),
    previous === null ? [] : storedResponses.findTurns(teamId, previous),
  ])
  if (turns === null) throw notFound()
  return { outputs, turns }
}
