/** The errors that name a field of a body by its path. */
import { ServiceError } from '../platform/errors/service-error.ts'

/** The path of a field as errors name it. */
function nameOf(path: readonly string[]): string {
  return path
    .map((part) => part.slice(0, 64))
    .join('.')
    .slice(0, 200)
}

/** @returns the 400 for a field that is not passed on. */
export function unsupportedField(path: readonly string[], reason: string): ServiceError {
  const param = nameOf(path)
  return new ServiceError('unsupported_parameter', `Unsupported parameter: '${param}' ${reason}`, { param })
}

/** @returns the 400 for a key that appears twice: of two values one would be looked at, and the other obeyed. */
export function doubledField(path: readonly string[], cause?: unknown): ServiceError {
  const param = nameOf(path)
  return new ServiceError('invalid_value', `The field '${param}' appears twice in the body.`, { param, cause })
}

/** @returns the 400 for a field with which the members that have to be looked at are too many. */
export function tooManyMembers([param = '']: readonly string[], most: number): ServiceError {
  const name = nameOf([param])
  const expected = `at most ${most.toLocaleString('en-US')} members in all fields that this API does not have`
  return new ServiceError('invalid_value', `Invalid value for '${name}': expected ${expected}.`, { param: name })
}
