import { renderEmail } from './email.ts'
import type { MailContent } from './mailer.ts'

export interface NewDeviceEmail {
  readonly brand: string
  /** The page of the account. */
  readonly link: string
  /** As the browser says; null where it says nothing. */
  readonly userAgent: string | null
  readonly address: string | null
  /** Milliseconds since the epoch. */
  readonly at: number
}

/** Browsers say more than a person reads. */
const AGENT_LENGTH_MAX = 120

/** The email that tells a person of a sign-in from a browser that their account did not know. */
export function renderNewDeviceEmail({ brand, link, ...seen }: NewDeviceEmail): MailContent {
  return renderEmail({
    subject: `New sign-in to ${brand}`,
    kind: 'Sign-in',
    title: 'A new browser has signed in',
    preview: 'If it was you, there is nothing to do.',
    summary: `Your account of ${brand} was signed in to by a browser that it did not know.`,
    rows: seenRows(seen),
    button: { text: 'Look at your sessions', link },
    note: 'If it was not you, end that session, change your password, and turn on a second factor.',
    reason: 'If it was you, there is nothing to do.',
  })
}

/** When something was done in an account, and from where. */
export function seenRows({ at, address, userAgent }: Pick<NewDeviceEmail, 'at' | 'address' | 'userAgent'>) {
  return [
    { label: 'When', value: `${new Date(at).toISOString().slice(0, 16).replace('T', ' ')} UTC` },
    { label: 'From', value: address ?? 'unknown' },
    { label: 'Browser', value: (userAgent ?? 'unknown').slice(0, AGENT_LENGTH_MAX) },
  ]
}
