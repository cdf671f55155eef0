import { nanocreditsOf, parseCredits, parseJsonExact, type Exact, type TeamInvoice } from '@svc/contract'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { capture, grant, placeHold } from '../../../testing/ledger-operations.ts'
import { createRandom } from '../../../testing/random.ts'
import type { SeededCaller } from '../../../testing/seed-caller.ts'
import { describeEachEngine } from '../../../testing/test-database.ts'
import { assertSound, openTestLedger, type TestLedger } from '../../../testing/test-ledger.ts'
import { BookedSums } from '../billing/booked-sums.ts'
import { createStatementStore } from '../billing/statement-store.ts'
import { createInvoiceStore, type InvoiceStore } from './invoice-store.ts'
import { type InvoiceDeps, issueInvoice, type Seller } from './issue-invoice.ts'
import { centsText, exportInvoice, getInvoice, listInvoices } from './read-invoices.ts'

const CREDIT = 1_000_000_000n
const FROM = Date.UTC(2026, 2)
const TO = Date.UTC(2026, 3)
const DAY_MS = 86_400_000
const BUYER = { name: 'Ada & Co.', address: '1 Loop\nLondon', tax_id: null }

describeEachEngine('an invoice', (engine) => {
  let money: TestLedger
  let now = TO + DAY_MS
  let deps: InvoiceDeps
  let store: InvoiceStore
  let seller: Seller | null = null
  beforeAll(async () => {
    money = await openTestLedger(engine)
    store = createInvoiceStore(money.test.database)
    const clock = { now: () => now }
    // Few rows at once, so that every sum takes several turns.
    const statements = { store: createStatementStore(money.test.database, 5), booked: new BookedSums(), clock }
    deps = {
      statements: { ...statements, hasLocalChains: false },
      store,
      readSeller: async () => seller,
      isTest: false,
    }
  })
  afterAll(async () => {
    await assertSound(money, now)
    await money.close()
  })

  const issue = (accountId: string, month = '2026-03') => issueInvoice(deps, store, { accountId, month })
  const read = async (accountId: string, number: number) =>
    parseJsonExact(JSON.stringify(await getInvoice(deps, accountId, number))) as Exact<TeamInvoice>
  const amountOf = (text: string): bigint => parseCredits(text) ?? expect.fail(`${text} is no amount`)

  async function charge(caller: SeededCaller, amount: bigint, at: number, model?: string): Promise<void> {
    const hold = placeHold(caller, { fixed: amount, now: at - 1, ...(model === undefined ? {} : { model }) })
    await money.ledger.submit(hold)
    await money.ledger.submit(capture(hold.holdId, amount, { now: at }))
  }

  async function openAccount(): Promise<SeededCaller> {
    const caller = await money.createCaller(0n)
    await money.ledger.submit(grant(caller.accountId, 1_000_000n * CREDIT, { now: FROM - 2 }))
    return caller
  }

  test('needs a month that is over for a day, both parties, and a charge; a refusal takes no number', async () => {
    const caller = await openAccount()
    const { accountId } = caller
    const refusal = async () =>
      String(
        await issue(accountId).then(
          () => 'issued',
          (error: unknown) => error,
        ),
      )
    now = TO + DAY_MS - 1
    expect(await refusal()).toContain('a day after the month has ended')
    now = TO + DAY_MS
    expect(await refusal()).toContain('has not given its business details')
    seller = { name: 'SVC Ltd', address: '2 Row\nParis', tax_id: 'FR 123', note: 'Reverse charge.' }
    expect(await refusal()).toContain('Give the billing details first')
    await store.setDetails(accountId, { ...BUYER, name: 'Ada' }, now)
    await store.setDetails(accountId, BUYER, now)
    expect(await refusal()).toContain('Nothing was charged in 2026-03')
    await charge(caller, 1n, FROM)
    expect(await issue(accountId)).toMatchObject({
      number: 1,
      month: '2026-03',
      seller: { name: 'SVC Ltd' },
      buyer: BUYER,
    })
    // It stays as it was issued.
    await store.setDetails(accountId, { ...BUYER, name: 'Other' }, now + 1)
    expect(await issue(accountId)).toMatchObject({ number: 1, buyer: BUYER })
    const { data, open_months: open } = await listInvoices(deps, accountId)
    expect([data.length, open.includes('2026-03')]).toEqual([1, false])
  })

  test('equals the ledger of its month to the nanocredit, whatever moved the balance', async () => {
    const random = createRandom()
    const caller = await openAccount()
    const { accountId } = caller
    await store.setDetails(accountId, BUYER, now)
    const amount = (): bigint => BigInt(1 + random.below(2 ** 31)) * BigInt(1 + random.below(1_000))
    let [charged, corrected] = [0n, 0n]
    // The ends of the month, two at once, and what is just outside of it.
    const inside = [FROM, FROM, TO - 1, ...Array.from({ length: 20 }, () => FROM + random.below(TO - FROM))]
    for (const at of inside) {
      const taken = amount()
      await charge(caller, taken, at, random.pick(['one', 'two', 'three']))
      charged += taken
      const given = random.pick([amount(), -1n])
      const correction = { source: 'adjustment', reason: 'a correction', now: at } as const
      await money.ledger.submit(grant(accountId, nanocreditsOf(given), correction))
      corrected += given
    }
    await charge(caller, amount(), FROM - 1)
    await charge(caller, amount(), TO)
    await money.ledger.submit(grant(accountId, nanocreditsOf(7n), { now: FROM + 1 }))

    const issued = await issue(accountId)
    expect([random.seed, issued.charge, issued.correction]).toEqual([random.seed, charged, corrected])
    const shown = await read(accountId, issued.number)
    const lines = shown.lines.map(({ credits }) => amountOf(credits))
    expect(lines.reduce((sum, line) => sum + line, 0n)).toBe(amountOf(shown.total_credits))
    expect(amountOf(shown.total_credits)).toBe(charged - corrected)
    const moved = shown.sums.reduce((sum, { credits }) => sum + amountOf(credits), amountOf(shown.opening_credits))
    expect(moved).toBe(amountOf(shown.closing_credits))
    expect(
      shown.lines
        .filter(({ kind }) => kind === 'usage')
        .map(({ model }) => model)
        .toSorted(),
    ).toEqual(['one', 'three', 'two'])
    expect(shown.booked_later_credits).toBe('0')
    const file = await exportInvoice(deps, accountId, issued.number)
    expect(file).toContain(
      `INV-00000${issued.number},2026-03,total,,,${inside.length * 2},${shown.total_credits},${shown.total_usd}`,
    )
    expect(file).toContain('seller,"SVC Ltd, 2 Row, Paris",FR 123,,,')

    // What was waiting for days and is booked by its own time changes no invoice; it is said beside it.
    await charge(caller, 5n, TO - 2)
    expect(await read(accountId, issued.number)).toEqual({ ...shown, booked_later_credits: '0.000000005' })
    expect(await getInvoice(deps, accountId, 1_000).catch((error: unknown) => error)).toMatchObject({
      code: 'invoice_not_found',
    })
  })

  test('numbers have no gap, however many are issued at once and however often', async () => {
    const callers = await Promise.all(Array.from({ length: 5 }, openAccount))
    for (const caller of callers) {
      await store.setDetails(caller.accountId, BUYER, now)
      await charge(caller, 3n, FROM)
    }
    const asked = callers.flatMap(({ accountId }) => [accountId, accountId, accountId])
    const numbers = await Promise.all(asked.map(async (accountId) => (await issue(accountId)).number))
    expect([...new Set(numbers)].toSorted((a, b) => a - b)).toEqual([3, 4, 5, 6, 7])
    const write = money.test.database.read.updateTable('invoice').set({ charge: 1n }).compile()
    await expect(money.test.database.write([write])).rejects.toThrow(/never|append|refuse|change/)
    const remove = money.test.database.read.deleteFrom('invoice').compile()
    await expect(money.test.database.write([remove])).rejects.toThrow(/never|append|refuse|change/)
  })
})

test.each([
  [0n, '0.00'],
  [4_999_999_999n, '0.00'],
  [5_000_000_000n, '0.01'],
  [-5_000_000_000n, '-0.01'],
  [-4_999_999_999n, '0.00'],
  [1_234_565_000_000_000n, '1234.57'],
])('%s nanocredits are %s USD to the cent', (amount, text) => {
  expect(centsText(amount)).toBe(text)
})
