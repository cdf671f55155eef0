import { nanocreditsOf } from '@svc/contract'
import { expect, test } from 'vitest'
import { renderInvitationEmail } from './invitation-email.ts'
import { plainName } from './email.ts'
import { renderLowBalanceEmail } from './low-balance-email.ts'
import { renderSignInEmail } from './sign-in-email.ts'

const invitation = {
  brand: 'SVC',
  teamName: 'Crew <b>',
  inviterName: 'Ada "the" Countess',
  role: 'member',
  link: 'https://ai.example.com/console/invitation#secret',
  expiresAt: Date.UTC(2026, 10, 30, 8, 5),
}

test('names become words: no program makes a link or markup of them', () => {
  expect(plainName('Acme & Sons (R+D)', 'a team')).toBe('Acme & Sons (R+D)')
  expect(plainName('Ünïcode 会社 ٣', 'a team')).toBe('Ünïcode 会社 ٣')
  expect(plainName('win at https://evil.example/now', 'a team')).toBe('win at https evil example now')
  expect(plainName('mail me@evil.example', 'a team')).toBe('mail me evil example')
  expect(plainName('\u202e://', 'a team')).toBe('a team')
})

test('what people have written is in no subject, and is only words in the email', () => {
  const hostile = { ...invitation, teamName: 'evil.example\r\nBcc: x', inviterName: '<script>alert(1)</script>' }
  const email = renderInvitationEmail(hostile)
  expect(email.subject).toBe('You are invited to a team on SVC')
  for (const text of [email.text, email.html]) {
    expect(text).toContain('evil example Bcc x')
    expect(text).not.toMatch(/evil\.example|<script>/)
  }
})

test('both forms of an email say the same and hold its link', () => {
  const emails = [
    renderInvitationEmail(invitation),
    renderSignInEmail({ brand: 'SVC', link: invitation.link, minutes: 15 }),
    renderLowBalanceEmail({
      teamName: 'Crew',
      balance: nanocreditsOf(1_234_500_000_000n),
      threshold: nanocreditsOf(2_000_000_000_000n),
      link: invitation.link,
    }),
  ]
  for (const { text, html } of emails) {
    expect(text).toContain(invitation.link)
    expect(html).toContain(`href="${invitation.link}"`)
  }
  expect(emails[2]?.subject).toBe('Low balance: 1,234.5 credits left')
  expect(emails[2]?.text).toContain('2,000 credits')
  expect(emails[0]?.text).toContain('2026-11-30 08:05 UTC')
})
