import { simpleParser } from 'mailparser'
import { createTransport } from 'nodemailer'
import { expect, test } from 'vitest'
import { composeMessage } from './compose-message.ts'
import { renderInvitationEmail } from './invitation-email.ts'
import type { MailContent } from './mailer.ts'

const link = `https://ai.example.com/console/invitation?with=a&more=b#${'secret'.repeat(20)}`

function emailOf(teamName: string): MailContent {
  const expiresAt = Date.UTC(2026, 10, 30, 8, 5)
  return renderInvitationEmail({ brand: 'SVC', teamName, inviterName: 'Ada', role: 'member', link, expiresAt })
}

/** The message as it is in a file, and what a mail program reads in it. */
async function writtenOf(content: MailContent) {
  const mail = { ...content, mailId: 'm-1', recipient: 'ada@example.com' }
  const { envelope, ...email } = composeMessage(mail, { name: 'SVC', address: 'svc@example.com' })
  const transporter = createTransport({ streamTransport: true, buffer: true, newline: 'windows' })
  const sent = await transporter.sendMail({ ...email, envelope: { from: envelope.from, to: [...envelope.to] } })
  const message = sent.message as Buffer
  const source = message.toString('latin1')
  return { source, lines: source.split('\r\n'), parsed: await simpleParser(message) }
}

/** The forms of an email, with line ends as the parser gives them. */
function formsOf({ text, html }: { readonly text?: string | undefined; readonly html?: string | false }) {
  return [text, html].map((form) => String(form).replaceAll('\r\n', '\n').trimEnd())
}

test('a link is unbroken in the message, in the text and in the page', async () => {
  const email = emailOf('Crew')
  const { source, lines, parsed } = await writtenOf(email)
  expect(lines).toContain(`${email.text.split('\n').find((line) => line.includes(link))}`)
  expect(source).toContain(`href="${link.replaceAll('&', '&amp;')}"`)
  expect(source.match(/^Content-Transfer-Encoding: .*$/gm)).toEqual(Array(2).fill('Content-Transfer-Encoding: 7bit'))
  expect(formsOf(parsed)).toEqual(formsOf(email))
  expect(parsed).toMatchObject({ subject: email.subject, to: { text: 'ada@example.com' } })
})

test.each([
  ['letters beyond ASCII', 'Ünïcode 会社'],
  ['a line that is longer than a message may have', 'x'.repeat(1_000)],
])('%s arrive as they were written, within the limits of a line', async (_name, teamName) => {
  const email = emailOf(teamName)
  const { lines, parsed } = await writtenOf(email)
  expect(formsOf(parsed)).toEqual(formsOf(email))
  expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(998)
  expect(lines.join('')).toMatch(/^[\x20-\x7e\t]*$/)
})
