import { renderEmail } from './email.ts'
import type { MailContent } from './mailer.ts'

export interface SignInEmail {
  /** What the gateway is called. Set by its operator. */
  readonly brand: string
  readonly link: string
  readonly minutes: number
}

/** The email with a link that signs its reader in, once. */
export function renderSignInEmail({ brand, link, minutes }: SignInEmail): MailContent {
  return renderEmail({
    subject: `Your link to sign in to ${brand}`,
    kind: 'Sign in',
    title: `Sign in to ${brand}`,
    preview: `The link works for ${minutes} minutes, once.`,
    summary: `Someone, most likely you, asked to sign in to ${brand} with this address.`,
    rows: [],
    button: { text: 'Sign in', link },
    note: `The link works for ${minutes} minutes, once. Do not share it: it signs in as you.`,
    reason: 'If you did not ask for it, ignore this email: without the link no one can sign in.',
  })
}
