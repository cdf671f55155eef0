import { ServiceError } from '../../platform/errors/service-error.ts'

/**
 * The one answer for every key that is not valid: which of the reasons it was would tell a stranger which keys exist.
 */
export function invalidApiKey(): ServiceError {
  return new ServiceError(
    'invalid_api_key',
    'Invalid API key. Send a key that is valid here as "Authorization: Bearer sk-svc-…".',
    { headers: { 'www-authenticate': 'Bearer' } },
  )
}
