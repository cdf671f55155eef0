/** What the settings of mail are written as. */
import { isPlainEmailAddress } from '@svc/contract'

/** Tells whether a text is the address of a mail server: no path, no options, a password only with a user. */
export function isSmtpUrl(text: string): boolean {
  const url = URL.parse(text)
  if (url === null || !['smtp:', 'smtps:'].includes(url.protocol) || url.hostname === '') return false
  const isBare = (url.pathname === '' || url.pathname === '/') && url.search === '' && url.hash === ''
  return isBare && (url.username !== '' || url.password === '') && isDecodable(url.username + url.password)
}

function isDecodable(text: string): boolean {
  try {
    decodeURIComponent(text)
    return true
  } catch {
    return false
  }
}

const SENDER = /^(?:"?([^"<>@,;:\\\p{Cc}]{1,100}?)"?\s{0,8}<([^<>]{1,254})>|([^<>\s]{1,254}))$/u

/**
 * Reads who mail is from: an address, or a name with the address in angle brackets.
 *
 * @returns null when the text is neither.
 */
export function parseMailSender(text: string): { readonly name: string; readonly address: string } | null {
  const [, name = '', inner, bare] = SENDER.exec(text) ?? []
  const address = inner ?? bare ?? ''
  return isPlainEmailAddress(address) ? { name: name.trim(), address } : null
}
