import { afterAll, beforeAll, expect, test } from 'vitest'
import { creditedDeposit } from '../../testing/credited-deposit.ts'
import { seedCaller } from '../../testing/seed-caller.ts'
import { openTestDatabase, type TestDatabase } from '../../testing/test-database.ts'
import type { ChainId } from '../chain/assets.ts'
import { createLedgerEngine } from '../money/ledger/create-ledger-engine.ts'
import { Ledger } from '../money/ledger/ledger.ts'
import type { Mail, MailOutcome } from '../platform/mail/mailer.ts'
import { createOutboxStore } from '../platform/mail/outbox-store.ts'
import { createLogger } from '../platform/runtime/log.ts'
import { createDepositStore } from './deposit-store.ts'
import { sendReceiptOf } from './send-receipt.ts'

const clock = { now: () => 1_795_000_000_000, elapsed: () => 0 }

let opened: TestDatabase
let ledger: Ledger
beforeAll(async () => {
  opened = await openTestDatabase('sqlite')
  ledger = new Ledger({ engine: createLedgerEngine(opened.database) })
})
afterAll(async () => {
  await ledger.close()
  await opened.close()
})

async function networkOf(chainId: ChainId, isLocal: boolean): Promise<string | undefined> {
  const sent: Mail[] = []
  const accept = async (mail: Mail): Promise<MailOutcome> => {
    sent.push(mail)
    return { kind: 'accepted' }
  }
  const outbox = {
    store: createOutboxStore(opened.database),
    mailer: { send: accept },
    ...{ clock, log: createLogger({ level: 'silent', sink: { write: () => undefined } }), secret: 'of this test' },
    windows: { funding_receipt: [], sign_in_link: [], invitation: [], low_balance: [] },
  }
  const { accountId } = await seedCaller(opened.database)
  const { database } = opened
  const deposit = await creditedDeposit({ database, ledger, clock }, accountId, { chainId })
  const credited = (await createDepositStore(database).find(deposit.depositId))!
  const deps = {
    store: createDepositStore(database),
    outbox,
    isLocal,
    linkOf: (teamId: string) => `/team/${teamId}`,
    brand: async () => 'SVC',
  }
  expect(await sendReceiptOf(deps, credited, { teamId: 'team-7', email: 'ada@example.com' })).toEqual({ sent: true })
  expect(sent[0]?.text).toContain('/team/team-7\n')
  return /^Network:? +(.*)$/m.exec(sent[0]?.text ?? '')?.[1]
}

test('the email says of test money what it is, and nothing of real money', async () => {
  expect(await networkOf(4663, false)).toBe('Robinhood Chain')
  expect(await networkOf(46630, false)).toBe('Robinhood Chain Testnet (test network)')
  expect(await networkOf(4663, true)).toBe('Robinhood Chain (local chain, test money)')
  expect(await networkOf(46630, true)).toBe('Robinhood Chain Testnet (local chain, test money)')
})
