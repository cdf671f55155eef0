import { SHOWN_NAME_LENGTH_MAX } from '@svc/contract'

const ADDRESS_SHOWN = 6

/**
 * What a person is called: what they typed, without what cannot be shown; else the first part of their email address; a
 * wallet's address is cut in its middle.
 */
export function displayName(typed: string, email: string): string {
  const [mailbox = ''] = email.split('@')
  const name = visible(typed) || visible(mailbox) || 'Somebody'
  if (!/^0x[0-9a-f]{40}$/i.test(name)) return [...name].slice(0, SHOWN_NAME_LENGTH_MAX).join('')
  return `${name.slice(0, ADDRESS_SHOWN)}…${name.slice(-4)}`
}

/** Also without marks that change the direction of the text around them. */
function visible(text: string): string {
  return text
    .replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]+/gu, ' ')
    .replaceAll(/ +/g, ' ')
    .trim()
}
