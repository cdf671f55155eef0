import { isPlainEmailAddress } from '@svc/contract'
import { InvariantError } from '../errors/invariant-error.ts'
import type { Mail, MailSender } from './mailer.ts'

/** The email in the terms of the mail library, with the envelope fixed beside it. */
export interface Message {
  readonly from: { readonly name: string; readonly address: string }
  readonly to: { readonly name: string; readonly address: string }
  readonly envelope: { readonly from: string; readonly to: readonly [string] }
  readonly messageId: string
  readonly subject: string
  readonly text: MessagePart
  readonly html: MessagePart
  readonly headers: Readonly<Record<string, string>>
  readonly disableFileAccess: true
  readonly disableUrlAccess: true
}

/** One form of the email: a text that the library encodes, or the part as it is sent. */
export type MessagePart = string | { raw: string }

/** Longest line of a message, in characters. Source: RFC 5322 section 2.1.1. */
const LINE_MAX = 998

/**
 * Leaves a text of ASCII as it is, so that a link stays whole for a reader who opens the message in an editor: the
 * library would break every line of more than 76 characters. What cannot go so is left to the library.
 */
function partOf(type: 'text/plain' | 'text/html', text: string): MessagePart {
  const lines = text.split('\n')
  const isPlain = /^[\t\n\x20-\x7e]*$/.test(text) && lines.every((line) => line.length <= LINE_MAX)
  if (!isPlain) return text
  const head = [`Content-Type: ${type}; charset=utf-8`, 'Content-Transfer-Encoding: 7bit', '']
  return { raw: [...head, ...lines].join('\r\n') }
}

/**
 * Writes an email down for the mail library.
 *
 * The recipient is handed over as an address object and once more as the envelope: the library parses no list, and what
 * is in a header can never add a recipient.
 *
 * @throws {InvariantError} when the recipient is not a plain address, or a header would have more than one line.
 */
export function composeMessage(mail: Mail, sender: MailSender): Message {
  if (!isPlainEmailAddress(mail.recipient)) throw new InvariantError('an email has a recipient that was not checked')
  if (/\p{Cc}/u.test(mail.subject)) throw new InvariantError('an email has a subject of more than one line')
  const host = sender.address.slice(sender.address.indexOf('@') + 1)
  return {
    from: { name: sender.name, address: sender.address },
    to: { name: '', address: mail.recipient },
    envelope: { from: sender.address, to: [mail.recipient] },
    messageId: `<${mail.mailId}@${host}>`,
    subject: mail.subject,
    text: partOf('text/plain', mail.text),
    html: partOf('text/html', mail.html),
    // No answering machine is to answer. Source: RFC 3834 section 5.
    headers: { 'auto-submitted': 'auto-generated', 'x-auto-response-suppress': 'All' },
    disableFileAccess: true,
    disableUrlAccess: true,
  }
}
