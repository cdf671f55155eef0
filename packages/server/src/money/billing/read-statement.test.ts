import {
  nanocreditsOf,
  parseCredits,
  parseJsonExact,
  teamStatementEntriesQuery,
  type Exact,
  type TeamStatement,
  type TeamStatementEntries,
} from '@svc/contract'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { capture, grant, placeHold, release } from '../../../testing/ledger-operations.ts'
import { createRandom } from '../../../testing/random.ts'
import { creditedDeposit } from '../../../testing/credited-deposit.ts'
import { seedOnceLinkedWallet, seedReadyDeposit, seenDeposit } from '../../../testing/seed-deposit.ts'
import { describeEachEngine } from '../../../testing/test-database.ts'
import { assertSound, openTestLedger, type TestLedger } from '../../../testing/test-ledger.ts'
import { creditDeposit } from '../../deposits/credit-deposit.ts'
import { createId } from '../../platform/runtime/ids.ts'
import type { SeededCaller } from '../../../testing/seed-caller.ts'
import { BookedSums } from './booked-sums.ts'
import { exportStatement } from './export-statement.ts'
import { listStatement, readStatement, type ReadStatementDeps } from './read-statement.ts'
import { createStatementStore } from './statement-store.ts'

const MONTHS = ['2026-03', '2026-04', '2026-05'] as const
const FROM = Date.UTC(2026, 2)
const TO = Date.UTC(2026, 5)
const CREDIT = 1_000_000_000n

describeEachEngine('a statement', (engine) => {
  let money: TestLedger
  let now = Date.UTC(2026, 4, 20)
  let deps: ReadStatementDeps
  beforeAll(async () => {
    money = await openTestLedger(engine)
    // Few rows at once, so that every sum takes several turns.
    const store = createStatementStore(money.test.database, 5)
    deps = { store, booked: new BookedSums(), clock: { now: () => now }, hasLocalChains: false }
  })
  afterAll(async () => {
    await assertSound(money, now)
    await money.close()
  })

  const exact = <T>(reply: object): T => parseJsonExact(JSON.stringify(reply)) as T
  const read = async (accountId: string, month: string) =>
    exact<Exact<TeamStatement>>(await readStatement(deps, accountId, month))
  const page = async (accountId: string, query: Record<string, string>) =>
    exact<Exact<TeamStatementEntries>>(await listStatement(deps, accountId, teamStatementEntriesQuery.parse(query)))
  const amountOf = (text: string): bigint => parseCredits(text) ?? expect.fail(`${text} is no amount`)

  async function pagesOf(accountId: string, month: string, limit: number) {
    const entries: Exact<TeamStatementEntries>['data'] = []
    for (let after: string | null = null; ;) {
      const found = await page(accountId, { month, limit: String(limit), ...(after === null ? {} : { after }) })
      expect(amountOf(found.opening_credits)).toBe(
        entries.length === 0
          ? amountOf((await read(accountId, month)).opening_credits)
          : amountOf(entries.at(-1)?.balance_credits ?? ''),
      )
      entries.push(...found.data)
      if (!found.has_more) return entries
      after = found.last_id
    }
  }

  async function charge(caller: SeededCaller, amount: bigint, at: number): Promise<string> {
    const hold = placeHold(caller, { fixed: amount, now: at - 1_000 })
    await money.ledger.submit(hold)
    await money.ledger.submit(capture(hold.holdId, amount, { now: at }))
    return hold.holdId
  }

  test('adds up in every month, whatever moved the balance, and begins where the month before ended', async () => {
    const random = createRandom()
    const caller = await money.createCaller(0n)
    const { accountId } = caller
    await money.ledger.submit(grant(accountId, 1_000_000n * CREDIT, { now: FROM - 1 }))
    const times = Array.from({ length: 60 }, () => FROM + random.below(TO - FROM)).toSorted((a, b) => a - b)
    // Two at once, and the very ends of months.
    times.push(times[3] ?? FROM, FROM, Date.UTC(2026, 3) - 1, Date.UTC(2026, 3), TO - 1)
    for (const at of times) {
      const amount = BigInt(1 + random.below(2 ** 31)) * BigInt(1 + random.below(1_000))
      const kind = random.pick(['charge', 'charge', 'charge', 'grant', 'add', 'take', 'free'])
      if (kind === 'charge') await charge(caller, amount, at)
      if (kind === 'grant') await money.ledger.submit(grant(accountId, amount, { now: at }))
      if (kind === 'add' || kind === 'take') {
        const signed = nanocreditsOf(kind === 'add' ? amount : -amount)
        await money.ledger.submit(grant(accountId, signed, { source: 'adjustment', reason: 'a correction', now: at }))
      }
      if (kind === 'free') {
        const hold = placeHold(caller, { fixed: amount, now: at })
        await money.ledger.submit(hold)
        await money.ledger.submit(release(hold.holdId, { now: at }))
      }
    }
    now = TO + 2 * 86_400_000
    let before = 1_000_000n * CREDIT
    for (const month of MONTHS) {
      const statement = await read(accountId, month)
      expect([random.seed, amountOf(statement.opening_credits)]).toEqual([random.seed, before])
      const sum = statement.sums.reduce((total, { credits }) => total + amountOf(credits), before)
      expect([random.seed, amountOf(statement.closing_credits)]).toEqual([random.seed, sum])
      const entries = await pagesOf(accountId, month, 7)
      expect(entries).toEqual(await pagesOf(accountId, month, 200))
      expect(amountOf(entries.at(-1)?.balance_credits ?? '')).toBe(sum)
      for (const { kind, credits, entries: count } of statement.sums) {
        const own = entries.filter((entry) => entry.kind === kind)
        const total = own.reduce((part, entry) => part + amountOf(entry.credits), 0n)
        expect([random.seed, kind, own.length, total]).toEqual([random.seed, kind, count, amountOf(credits)])
      }
      expect(statement.is_over).toBe(true)
      before = sum
    }
    expect(before).toBe((await money.findBalance(accountId)).posted)
    // What is kept of months that are over changes nothing.
    const anew = { ...deps, booked: new BookedSums() }
    for (const month of MONTHS) {
      expect(exact(await readStatement(anew, accountId, month))).toEqual(await read(accountId, month))
    }
  })

  test('says of each movement where it comes from, and nothing of another account', async () => {
    now = Date.UTC(2026, 4, 20)
    const caller = await money.createCaller(0n)
    const { accountId } = caller
    const other = await money.createCaller(500n)
    const given = grant(accountId, 5n * CREDIT, { reason: 'welcome', now: Date.UTC(2026, 4, 1) })
    await money.ledger.submit(given)
    const seen = seenDeposit(accountId, { txHash: `0x${createId(now).replaceAll('-', '').repeat(2)}` })
    await seedOnceLinkedWallet(money.test.database, seen)
    const deposit = await seedReadyDeposit(money.test.database, seen, 25_000n * CREDIT)
    await creditDeposit({ ledger: money.ledger, clock: { now: () => Date.UTC(2026, 4, 2) } }, deposit, null)
    const requestId = await charge(caller, CREDIT, Date.UTC(2026, 4, 3))
    const { data } = await page(accountId, { month: '2026-05' })
    expect(data).toMatchObject([
      { id: given.transferId, kind: 'grant', credits: '5', balance_credits: '5', reason: 'welcome', deposit: null },
      {
        ...{ id: deposit.depositId, kind: 'deposit', credits: '25000', balance_credits: '25005', reason: null },
        deposit: { id: `dep_${deposit.depositId}`, asset: 'USDG', amount: '25.000000', txHash: deposit.txHash },
      },
      { id: requestId, kind: 'charge', credits: '-1', balance_credits: '25004', model: 'svc-test', type: 'chat' },
    ])
    expect((await read(accountId, '2026-05')).is_over).toBe(false)
    await expect(page(accountId, { month: '2026-04', after: requestId })).rejects.toMatchObject({ param: 'after' })
    await expect(page(other.accountId, { month: '2026-05', after: requestId })).rejects.toMatchObject({
      param: 'after',
    })
  })

  test('has what was booked late, by a process that read the clock before it wrote', async () => {
    now = Date.UTC(2026, 4, 20, 12, 30)
    const { accountId } = await money.createCaller(0n)
    await money.ledger.submit(grant(accountId, CREDIT, { now: Date.UTC(2026, 4, 20, 12, 25) }))
    expect(await read(accountId, '2026-05')).toMatchObject({ closing_credits: '1' })
    await money.ledger.submit(grant(accountId, CREDIT, { now: Date.UTC(2026, 4, 20, 11, 40) }))
    expect(await read(accountId, '2026-05')).toMatchObject({ closing_credits: '2' })
    const entries = await pagesOf(accountId, '2026-05', 1)
    expect(entries.map(({ balance_credits: balance }) => balance)).toEqual(['1', '2'])
    now += 86_400_000
    expect(await read(accountId, '2026-05')).toMatchObject({ closing_credits: '2' })
  })

  // Source: decision 0170: what a database could not take for hours is booked by its own time.
  test('has what was booked hours late, also where it was read before', async () => {
    now = Date.UTC(2026, 4, 1, 12, 30)
    const caller = await money.createCaller(0n)
    const { accountId } = caller
    await money.ledger.submit(grant(accountId, 5n * CREDIT, { now: Date.UTC(2026, 3, 30) }))
    expect(await read(accountId, '2026-05')).toMatchObject({ opening_credits: '5', closing_credits: '5' })
    await charge(caller, CREDIT, Date.UTC(2026, 3, 30, 18))
    now += 60_000
    expect(await read(accountId, '2026-04')).toMatchObject({ closing_credits: '4', is_over: false })
    expect(await read(accountId, '2026-05')).toMatchObject({ opening_credits: '4', closing_credits: '4' })
    const entries = await pagesOf(accountId, '2026-04', 1)
    expect(entries.map(({ balance_credits: balance }) => balance)).toEqual(['5', '4'])
    // Later than anybody thinks of.
    now = Date.UTC(2026, 4, 20)
    expect(await read(accountId, '2026-05')).toMatchObject({ opening_credits: '4', closing_credits: '4' })
    await charge(caller, CREDIT, Date.UTC(2026, 3, 30, 18))
    now += 3_600_000
    expect(await read(accountId, '2026-04')).toMatchObject({ closing_credits: '3', is_over: true })
    expect(await read(accountId, '2026-05')).toMatchObject({ opening_credits: '3', closing_credits: '3' })
    now = Date.UTC(2026, 5, 20)
    expect(await read(accountId, '2026-05')).toMatchObject({ opening_credits: '3', closing_credits: '3' })
    await charge(caller, CREDIT, Date.UTC(2026, 3, 30, 18))
    now += 86_400_000
    expect(await read(accountId, '2026-05')).toMatchObject({ opening_credits: '2', closing_credits: '2' })
  })

  test('is there from the first month of an account to the present one', async () => {
    now = Date.UTC(2026, 4, 20)
    const { accountId } = await money.createCaller(CREDIT)
    for (const month of ['2023-10', '2026-06']) {
      await expect(read(accountId, month)).rejects.toMatchObject({ code: 'invalid_value', param: 'month' })
    }
    expect(await read(accountId, '2023-11')).toMatchObject({ opening_credits: '0', closing_credits: '0' })
    expect(await read(accountId, '2026-05')).toMatchObject({ opening_credits: '0', closing_credits: '1' })
  })

  async function exported(accountId: string, more: Partial<ReadStatementDeps> = {}): Promise<string> {
    let csv = ''
    for await (const part of await exportStatement({ ...deps, ...more }, accountId, '2026-05')) csv += part
    return csv
  }

  test('says in its file of a deposit whether it was test money', async () => {
    now = Date.UTC(2026, 4, 20)
    const clock = { now: () => Date.UTC(2026, 4, 2), elapsed: () => 0 }
    const { accountId } = await money.createCaller(0n)
    const { database } = money.test
    for (const chainId of [4663, 46630] as const) {
      await creditedDeposit({ database, ledger: money.ledger, clock }, accountId, { chainId })
    }
    const chainsIn = (csv: string) => csv.match(/(?<=USDG on ).*(?=, transaction)/g)
    expect(chainsIn(await exported(accountId))).toEqual(['chain 4663', 'chain 46630 (test network)'])
    expect(chainsIn(await exported(accountId, { hasLocalChains: true }))).toEqual([
      'chain 4663 (local chain, test money)',
      'chain 46630 (local chain, test money)',
    ])
  })

  test('can be had as a file, in which no text becomes a formula and every line adds up', async () => {
    now = Date.UTC(2026, 4, 20)
    const caller = await money.createCaller(0n)
    const reason = '=HYPERLINK("http://evil.example","x"), and\nmore; -1'
    await money.ledger.submit(grant(caller.accountId, 3n * CREDIT, { reason, now: Date.UTC(2026, 4, 1) }))
    await charge(caller, 1n, Date.UTC(2026, 4, 2))
    const csv = await exported(caller.accountId)
    expect(csv.split('\r\n').map((line) => line.replace(/[0-9a-f]{8}-[0-9a-f-]{27}/, 'ID'))).toEqual([
      'booked_at,kind,description,reference,credits,balance_credits,usd,balance_usd',
      '2026-05-01T00:00:00.000Z,opening,,,,0,,0',
      `2026-05-01T00:00:00.000Z,grant,"'=HYPERLINK(""http://evil.example"",""x""), and\nmore; '-1",ID,3,3,0.003,0.003`,
      '2026-05-02T00:00:00.000Z,charge,"chat svc-test, key test",ID,' +
        '-0.000000001,2.999999999,-0.000000000001,0.002999999999',
      '2026-05-20T00:00:00.000Z,closing,,,,2.999999999,,0.002999999999',
      '',
    ])
  })
})
