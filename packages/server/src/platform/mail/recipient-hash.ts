import { createHmac } from 'node:crypto'

/**
 * The form of a recipient that is kept: HMAC-SHA-256 under a secret of the gateway, as 64 hex digits. Who reads the
 * database cannot try addresses against it.
 *
 * One mailbox has many spellings: letter case, a tag after `+` or, at some hosts, dots. They count as one, so that no
 * spelling opens a new allowance.
 *
 * @param address a plain address.
 */
export function hashRecipient(address: string, secret: string): string {
  const [localPart = '', host = ''] = address.toLowerCase().split('@')
  const [mailbox = ''] = localPart.split('+')
  return createHmac('sha256', secret)
    .update(`recipient\n${mailbox.replaceAll('.', '')}@${host}`)
    .digest('hex')
}
