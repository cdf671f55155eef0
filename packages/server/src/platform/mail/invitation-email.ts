import { dateText, plainName, renderEmail } from './email.ts'
import type { MailContent } from './mailer.ts'

export interface InvitationEmail {
  /** What the gateway is called. Set by its operator. */
  readonly brand: string
  /** As people have written them; the email shows their words alone. */
  readonly teamName: string
  readonly inviterName: string
  readonly role: string
  readonly link: string
  /** Milliseconds since the epoch. */
  readonly expiresAt: number
}

/** The email that invites a person to a team. */
export function renderInvitationEmail(invitation: InvitationEmail): MailContent {
  const { brand, role, link, expiresAt } = invitation
  const team = plainName(invitation.teamName, 'a team')
  const inviter = plainName(invitation.inviterName, 'A member')
  return renderEmail({
    subject: `You are invited to a team on ${brand}`,
    kind: 'Invitation',
    title: 'Join a team',
    preview: `${inviter} asks you to join ${team}.`,
    summary: `${inviter} asks you to join the team ${team} on ${brand}. Its members spend from one pool of credits.`,
    rows: [
      { label: 'Team', value: team },
      { label: 'Your role', value: role },
      { label: 'Open until', value: dateText(expiresAt) },
    ],
    button: { text: 'See the invitation', link },
    note: 'You decide on the page that opens. The link is yours alone: do not pass it on.',
    reason: 'A member of the team has given this address. If you do not know the team, ignore this email.',
  })
}
