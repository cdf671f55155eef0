/** What an operator finds: a deposit that waits for them, and an email that waits for the mail server. */
import type { Database } from '../src/platform/db/database.ts'
import { createDepositStore } from '../src/deposits/deposit-store.ts'
import type { Deposit } from '../src/deposits/deposit.ts'
import type { SeenDeposit } from '../src/deposits/record-statement.ts'
import { createOutboxStore } from '../src/platform/mail/outbox-store.ts'
import { createId } from '../src/platform/runtime/ids.ts'
import { randomHash } from './credited-deposit.ts'
import { seedReadyDeposit, seenDeposit } from './seed-deposit.ts'

/** Records a deposit that is under review. */
export async function heldBackDeposit(
  database: Database,
  accountId: string,
  overrides: Partial<SeenDeposit> & { readonly isUnpriced?: boolean } = {},
): Promise<Deposit> {
  const { isUnpriced = false, ...seen } = overrides
  const deposit = await seedReadyDeposit(database, seenDeposit(accountId, { txHash: randomHash(), ...seen }))
  const store = createDepositStore(database)
  const worthless = isUnpriced ? { credits: null, price: null, priceRound: null, priceTime: null } : {}
  const change = { state: 'under_review', reason: 'under_review', note: 'It is large.', ...worthless } as const
  await store.change(deposit, ['confirming'], change, 3)
  const held = await store.find(deposit.depositId)
  if (held === null) throw new Error('the deposit was recorded')
  return held
}

/** Puts an email into the outbox whose next attempt is far away. @returns its id. */
export async function waitingMail(database: Database, accountId: string): Promise<string> {
  const mailId = createId(Date.now())
  const store = createOutboxStore(database)
  const content = JSON.stringify({ subject: 'Funding receipt', text: 'text', html: '<p>text</p>' })
  const email = {
    kind: 'funding_receipt',
    topic: mailId,
    recipient: 'ada@example.com',
    recipientHash: mailId,
    expiresAt: null,
  } as const
  const now = Date.now()
  await store.insert({ mailId, accountId, content, ...email, now, firstAttemptAt: now }, [])
  await store.postpone(mailId, Date.now() + 3_600_000, 'ESOCKET')
  return mailId
}
