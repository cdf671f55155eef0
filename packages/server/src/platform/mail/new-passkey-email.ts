import { renderEmail } from './email.ts'
import type { MailContent } from './mailer.ts'
import { type NewDeviceEmail, seenRows } from './new-device-email.ts'

export interface NewPasskeyEmail extends NewDeviceEmail {
  /** As the person calls it. */
  readonly name: string
}

/** The email that tells a person of a passkey that was added to their account. */
export function renderNewPasskeyEmail({ brand, link, name, ...seen }: NewPasskeyEmail): MailContent {
  return renderEmail({
    subject: `New passkey for ${brand}`,
    kind: 'Sign-in',
    title: 'A passkey was added',
    preview: 'If it was you, there is nothing to do.',
    summary: `A passkey was added to your account of ${brand}. It signs in without a password and without a code.`,
    rows: [{ label: 'Passkey', value: name }, ...seenRows(seen)],
    button: { text: 'Look at your passkeys', link },
    note: 'If it was not you, remove that passkey, sign out all other sessions, and change your password.',
    reason: 'If it was you, there is nothing to do.',
  })
}
