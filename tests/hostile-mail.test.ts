/**
 * A thousand hostile addresses and bodies: no email leaves with another recipient, or with a word that a caller wrote.
 * A failure names its seed; `SVC_TEST_SEED` repeats it.
 */
import { isPlainEmailAddress } from '@svc/contract'
import { expect, test } from 'vitest'
import { creditedDeposit } from '../packages/server/testing/credited-deposit.ts'
import { createRandom, type Random } from '../packages/server/testing/random.ts'
import { useGateway } from '../packages/server/testing/use-gateway.ts'
import { useMailServer } from '../packages/server/testing/use-mail-server.ts'

const REQUESTS = 1_000
/** Is in everything that a hostile caller writes, and must be in no email. */
const CANARY = 'zqcanaryqz'
const VICTIM = 'victim@victim.example'

const limits = {
  receipts_per_recipient_hour: 1_000_000,
  receipts_per_recipient_day: 1_000_000,
  receipts_per_account_day: 1_000_000,
  receipts_per_hour: 1_000_000,
}

const server = useMailServer()
const gateway = useGateway(() => ({
  env: { SVC_SMTP_URL: server.url, SVC_MAIL_FROM: 'no-reply@gateway.example' },
  file: { limits },
}))

const separators = [',', ';', ' ', '\r\n', '\n', '\t', '%0d%0a', '\u0000', '\u2028', '\uff0c', ', ', '\r\nBcc: ']
const wrappers: readonly ((address: string) => string)[] = [
  (address) => `<${address}>`,
  (address) => `${CANARY} <${address}>`,
  (address) => `"${CANARY}\r\nBcc: ${VICTIM}" <${address}>`,
  (address) => `${CANARY}: ${address}, ${VICTIM};`,
  (address) => `"${VICTIM}"@${address.split('@')[1]}`,
  (address) => `${VICTIM.replace('@', '%')}@${address.split('@')[1]}`,
  (address) => `@relay.example:${address}`,
  (address) => `relay.example!${address}`,
  (address) => `${address}(${VICTIM})`,
  (address) => `(${VICTIM})${address}`,
  (address) => `${address}\r\n\r\n${CANARY}`,
  (address) => `=?utf-8?q?${VICTIM}?= <${address}>`,
  (address) => address.replace('@', '\u0000@'),
  (address) => address.replace('@', '\uff20'),
  (address) => address.replace('.', '\u3002'),
  (address) => `\u202e${address}`,
  (address) => `${address}\u200b`,
  (address) => `${'a'.repeat(70)}${address}`,
  (address) => `|mail ${VICTIM}@${address}`,
  (address) => `-oQ/tmp ${address}`,
  (address) => `${address}.`,
  (address) => address.replace('@', '@[127.0.0.1]'),
]

function hostileAddress(random: Random): unknown {
  const plain = `${CANARY}${random.below(1_000_000)}@example.com`
  switch (random.below(8)) {
    case 0:
      return `${plain}${random.pick(separators)}${VICTIM}`
    case 1:
      return `${VICTIM}${random.pick(separators)}${plain}`
    case 2:
      return random.pick<unknown>([[plain, VICTIM], { address: plain, cc: VICTIM }, { toString: VICTIM }, 7, true, ''])
    case 3:
      return random.pick(wrappers)(random.pick(wrappers)(plain))
    case 4:
      return plain
    default:
      return random.pick(wrappers)(plain)
  }
}

function hostileBody(random: Random, txHash: string): Record<string, unknown> {
  const more = [
    { subject: CANARY },
    { text: CANARY, html: `<b>${CANARY}</b>` },
    { to: VICTIM, cc: VICTIM, bcc: VICTIM },
    { headers: { bcc: VICTIM } },
    { from: `${CANARY} <${VICTIM}>`, replyTo: VICTIM },
    { name: CANARY, message: CANARY },
    { attachments: [{ path: '/etc/passwd' }] },
    { envelope: { from: VICTIM, to: [VICTIM] } },
    { __proto__: { email: VICTIM } },
    {},
  ]
  const body: Record<string, unknown> = {
    ...random.pick(more),
    ...{ email: hostileAddress(random), txHash, credits: 25_000, asset: 'USDG' },
  }
  const fields = ['txHash', 'asset', 'credits']
  if (random.below(10) === 0) body[random.pick(fields)] = `${CANARY}\r\nBcc: ${VICTIM}`
  return body
}

test(`emails go to the one plain address that was asked for, over ${REQUESTS} hostile requests`, async () => {
  const random = createRandom()
  const asked = new Set<string>()
  for (let at = 0; at < REQUESTS; at += 50) {
    // Once for each deposit and address, so that every request could send.
    const { txHash } = await creditedDeposit(gateway.gateway, gateway.accountId)
    const bodies = Array.from({ length: 50 }, () => hostileBody(random, txHash))
    const answers = await Promise.all(bodies.map(async (body) => ({ body, ...(await post(body)) })))
    for (const { body, status, sent } of answers) {
      const { email } = body
      const isPlain = typeof email === 'string' && isPlainEmailAddress(email)
      expect([200, 400], `seed ${random.seed}`).toContain(status)
      if (sent) expect(isPlain, `seed ${random.seed}: ${JSON.stringify(email)}`).toBe(true)
      if (isPlain) asked.add(email)
    }
  }
  expect(server.received.length, `seed ${random.seed}`).toBeGreaterThan(20)
  for (const { envelopeTo, envelopeFrom, source, parsed } of server.received) {
    const [recipient = '', ...others] = envelopeTo
    expect([others, envelopeFrom], `seed ${random.seed}`).toEqual([[], 'no-reply@gateway.example'])
    expect(asked.has(recipient), `seed ${random.seed}: ${recipient}`).toBe(true)
    expect(parsed).toMatchObject({ to: { text: recipient }, subject: 'Funding receipt: 25,000 credits added' })
    expect([parsed.cc, parsed.bcc, parsed.replyTo, parsed.attachments]).toEqual([undefined, undefined, undefined, []])
    // The address is in its own header and nowhere else.
    expect(source.replace(`To: ${recipient}`, ''), `seed ${random.seed}`).not.toMatch(/zqcanaryqz|victim/)
  }
}, 120_000)

async function post(body: object): Promise<{ readonly status: number; readonly sent: boolean }> {
  const response = await gateway.fetch('/notify/deposit', {
    ...{ method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) },
  })
  const answer = (await response.json()) as { readonly sent?: boolean }
  return { status: response.status, sent: answer.sent === true }
}
