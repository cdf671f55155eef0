/**
 * Room `mail`: emails that leave the gateway. It knows how an email is written down, kept until it is delivered, and
 * handed to a mail server; who may cause one is decided above. Invariant: an email has one recipient, a plain address
 * that was checked. What people have written is in it as plain names only, never in its subject. No address is ever
 * logged.
 */

/** What an email says. */
export interface MailContent {
  /** One line. */
  readonly subject: string
  readonly text: string
  readonly html: string
}

/** One email to one recipient. */
export interface Mail extends MailContent {
  /** Becomes part of the `Message-ID`, so that an email that went out twice is recognised as one. */
  readonly mailId: string
  /** A plain address: `isPlainEmailAddress` holds. */
  readonly recipient: string
}

/** Who an email says it is from. */
export interface MailSender {
  /** Empty for none. */
  readonly name: string
  readonly address: string
}

/** What became of one attempt. `code` is for operators and never holds an address. */
export type MailOutcome =
  | { readonly kind: 'accepted' }
  /** The mail server will never take it. */
  | { readonly kind: 'refused'; readonly code: string }
  /** It may take it later. */
  | { readonly kind: 'failed'; readonly code: string }

/** Hands emails over. */
export interface Mailer {
  send(mail: Mail): Promise<MailOutcome>
}
