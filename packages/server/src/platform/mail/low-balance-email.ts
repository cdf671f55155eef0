import { formatCredits, type Nanocredits, groupDigits } from '@svc/contract'
import { plainName, renderEmail } from './email.ts'
import type { MailContent } from './mailer.ts'

export interface LowBalanceEmail {
  /** As people have written it; the email shows its words alone. */
  readonly teamName: string
  readonly balance: Nanocredits
  readonly threshold: Nanocredits
  /** Page of the console where credits are added. */
  readonly link: string
}

/** The email that tells a team that its credits run low. */
export function renderLowBalanceEmail({ teamName, balance, threshold, link }: LowBalanceEmail): MailContent {
  const team = plainName(teamName, 'your team')
  const left = groupDigits(formatCredits(balance))
  const limit = groupDigits(formatCredits(threshold))
  return renderEmail({
    subject: `Low balance: ${left} credits left`,
    kind: 'Low balance',
    title: `${left} credits left`,
    preview: `The balance fell below ${limit} credits.`,
    summary: `The balance of ${team} fell below ${limit} credits. Requests are refused once it does not cover them.`,
    rows: [
      { label: 'Team', value: team },
      { label: 'Balance', value: `${left} credits` },
      { label: 'Told below', value: `${limit} credits` },
    ],
    button: { text: 'Add credits', link },
    note: 'You get this email again when the balance has risen above the limit and falls below it once more.',
    reason: 'Your team has set this limit on its page in the console; it can be changed or removed there.',
  })
}
