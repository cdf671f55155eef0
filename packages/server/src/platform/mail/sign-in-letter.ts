import { renderLetter } from './letter.ts'
import type { MailContent } from './mailer.ts'

export interface SignInLetter {
  /** What the gateway is called. Set by its operator. */
  readonly brand: string
  readonly link: string
  readonly minutes: number
}

/** The letter with a link that signs its reader in, once. */
export function renderSignInLetter({ brand, link, minutes }: SignInLetter): MailContent {
  return renderLetter({
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
