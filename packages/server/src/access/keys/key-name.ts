import { KEY_NAME_LENGTH_MAX } from '@svc/contract'
import { ServiceError } from '../../platform/errors/service-error.ts'

/**
 * Reads what people shall call a key.
 *
 * @param text from outside, unparsed; blanks around it do not count.
 * @throws {ServiceError} `invalid_value` when it is empty, too long, or has a control character.
 */
export function parseKeyName(text: string): string {
  const name = text.trim()
  if (name === '') throw invalidName('A key needs a name.')
  if ([...name].length > KEY_NAME_LENGTH_MAX) {
    throw invalidName(`A key’s name has at most ${KEY_NAME_LENGTH_MAX} characters.`)
  }
  // A control character in a name could forge a line of a log or a list.
  if (/\p{Cc}/u.test(name)) throw invalidName('A key’s name cannot contain control characters.')
  return name
}

function invalidName(message: string): ServiceError {
  return new ServiceError('invalid_value', message, { param: 'name' })
}
