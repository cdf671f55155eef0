import { renderEmail } from './email.ts'
import type { MailContent } from './mailer.ts'
import type { SignInEmail } from './sign-in-email.ts'

/** The email whose link adds the reader's address to the account that asked for it. */
export function renderAddressEmail({ brand, link, minutes }: SignInEmail): MailContent {
  return renderEmail({
    subject: `Confirm your email address for ${brand}`,
    kind: 'Email address',
    title: 'Confirm your email address',
    preview: `The link works for ${minutes} minutes, once.`,
    summary: `Someone, most likely you, asked to add this address to an account of ${brand} as a way to sign in.`,
    rows: [],
    button: { text: 'Confirm the address', link },
    note: `The link works for ${minutes} minutes, once, in the browser in which it was asked for.`,
    reason: 'If you did not ask for it, do nothing: without the link the address is added to nothing.',
  })
}

/** The email to the owner of an address that another person wanted to add to their account. */
export function renderAddressTakenEmail({ brand, link }: Pick<SignInEmail, 'brand' | 'link'>): MailContent {
  return renderEmail({
    subject: `Your email address signs in to ${brand} already`,
    kind: 'Email address',
    title: 'This address is in use',
    preview: 'It was not added to another account.',
    summary:
      `Someone, perhaps you, asked to add this address to another account of ${brand}. ` +
      'It signs you in to yours, so nothing was changed.',
    rows: [],
    button: { text: 'Sign in', link },
    note: 'To sign in by a wallet as well, sign in with this address and add the wallet on the page of your account.',
    reason: 'If it was not you, do nothing: they have learned nothing, not even that there is an account.',
  })
}
