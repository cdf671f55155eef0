import { isPlainEmailAddress } from '@svc/contract'
import { InvariantError } from '../errors/invariant-error.ts'
import type { Mail, MailSender } from './mailer.ts'

/** The letter in the terms of the mail library, with the envelope fixed beside it. */
export interface Message {
  readonly from: { readonly name: string; readonly address: string }
  readonly to: { readonly name: string; readonly address: string }
  readonly envelope: { readonly from: string; readonly to: readonly [string] }
  readonly messageId: string
  readonly subject: string
  readonly text: string
  readonly html: string
  readonly headers: Readonly<Record<string, string>>
  readonly disableFileAccess: true
  readonly disableUrlAccess: true
}

/**
 * Writes a letter down for the mail library.
 *
 * The recipient is handed over as an address object and once more as the envelope: the library parses no list, and
 * what stands in a header can never add a recipient.
 *
 * @throws {InvariantError} when the recipient is not a plain address, or a header would have more than one line.
 */
export function composeMessage(mail: Mail, sender: MailSender): Message {
  if (!isPlainEmailAddress(mail.recipient)) throw new InvariantError('a letter has a recipient that was not checked')
  if (/\p{Cc}/u.test(mail.subject)) throw new InvariantError('a letter has a subject of more than one line')
  const host = sender.address.slice(sender.address.indexOf('@') + 1)
  return {
    from: { name: sender.name, address: sender.address },
    to: { name: '', address: mail.recipient },
    envelope: { from: sender.address, to: [mail.recipient] },
    messageId: `<${mail.mailId}@${host}>`,
    subject: mail.subject,
    text: mail.text,
    html: mail.html,
    // No answering machine is to answer. Source: RFC 3834 section 5.
    headers: { 'auto-submitted': 'auto-generated', 'x-auto-response-suppress': 'All' },
    disableFileAccess: true,
    disableUrlAccess: true,
  }
}
