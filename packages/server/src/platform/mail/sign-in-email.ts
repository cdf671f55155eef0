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
    summary: `Somebody, most likely you, wants to sign in to ${brand} with this address.`,
    rows: [],
    button: { text: 'Sign in', link },
    note: `The link works for ${minutes} minutes, once. Give it to nobody: whoever opens it is signed in as you.`,
    reason: 'If you did not ask for it, do nothing: without the link nobody gets in.',
  })
}
