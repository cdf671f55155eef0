import { afterEach, beforeEach, expect, test } from 'vitest'
import { heldBackDeposit, waitingMail } from '../../testing/operator-scene.ts'
import { seedReadyDeposit, seenDeposit } from '../../testing/seed-deposit.ts'
import { seedCaller } from '../../testing/seed-caller.ts'
import { describeEachEngine, openTestDatabase, type TestDatabase } from '../../testing/test-database.ts'
import { runAdmin } from '../operations/commands/admin-program.ts'
import { loadOperatorConfig } from '../config/load-operator-config.ts'
import { limitsSchema } from '../config/limits-config.ts'
import { creditDeposit } from '../deposits/credit-deposit.ts'
import { createDepositStore } from '../deposits/deposit-store.ts'
import { createLedgerEngine } from '../money/ledger/create-ledger-engine.ts'
import { Ledger } from '../money/ledger/ledger.ts'
import { migrateConfigured } from './migrate-configured.ts'
import { openAdmin } from './open-admin.ts'
import { findAnvil } from '@svc/sandbox'
import { systemClock } from '../platform/runtime/clock.ts'

const CREDITS = 25_000_000_000_000n

describeEachEngine('operator commands of deposits', (engine) => {
  let opened: TestDatabase
  let accountId: string
  beforeEach(async () => {
    opened = await openTestDatabase(engine)
    accountId = (await seedCaller(opened.database)).accountId
  })
  afterEach(() => opened.close())

  const admin = (...words: readonly string[]) => adminOn({}, words)

  async function adminOn(more: Partial<Parameters<typeof openAdmin>[0]>, words: readonly string[]) {
    const printed: string[] = []
    const errors: string[] = []
    const limits = limitsSchema.parse({})
    const place = {
      databaseUrl: opened.url,
      dataDir: opened.dataDir,
      limits,
      limitsOfFile: new Set<never>(),
      peppers: null,
      sessionSecret: 'a secret',
    }
    const exitCode = await runAdmin(
      {
        open: () => openAdmin({ ...place, ...more }),
        migrate: (isDryRun) =>
          migrateConfigured({ ...place, databaseWaitMs: 0 }, { isDryRun, onWaiting: () => undefined }),
        print: (text) => void printed.push(text),
        printError: (text) => void errors.push(text),
      },
      words,
    )
    return { exitCode, text: printed.join('\n'), errors: errors.join('\n') }
  }
  const adminJson = async (...words: readonly string[]) => JSON.parse((await admin(...words, '--json')).text)

  test('lists deposits newest first, by state and by account, page by page', async () => {
    const other = (await seedCaller(opened.database)).accountId
    const first = await heldBackDeposit(opened.database, accountId)
    const second = await heldBackDeposit(opened.database, other)
    const ready = await seedReadyDeposit(opened.database, seenDeposit(accountId))
    const idsOf = (rows: readonly { deposit_id: string }[]) => rows.map((row) => row.deposit_id.slice(4))
    expect(idsOf(await adminJson('deposits', 'list'))).toEqual([ready.depositId, second.depositId, first.depositId])
    expect(idsOf(await adminJson('deposits', 'list', '--state', 'under_review'))).toEqual([
      second.depositId,
      first.depositId,
    ])
    expect(idsOf(await adminJson('deposits', 'list', '--account', other))).toEqual([second.depositId])
    const page = await adminJson('deposits', 'list', '--limit', '1', '--after', `dep_${ready.depositId}`)
    expect(idsOf(page)).toEqual([second.depositId])
    expect((await admin('deposits', 'list')).text).toContain('25.000000 USDG')
  })

  test.skipIf(findAnvil() === null)(
    'lists and shows test money of the sandbox’s own chains as what it is',
    async () => {
      const source = { env: { SVC_DATA_DIR: opened.dataDir }, workingDir: opened.dataDir }
      const { upstreams, isProduction, deposits } = loadOperatorConfig(source)
      const { depositId } = await seedReadyDeposit(opened.database, seenDeposit(accountId))
      for (const words of [['list'], ['show', depositId]]) {
        expect((await admin('deposits', ...words)).text).not.toContain('test money')
        const sandbox = await adminOn({ isProduction, deposits, upstreams }, ['deposits', ...words])
        expect(sandbox.text).toContain('4663 (local chain, test money)')
      }
    },
  )

  test('a released deposit may be credited, once, and the reason is kept', async () => {
    const { depositId } = await heldBackDeposit(opened.database, accountId)
    expect((await admin('deposits', 'release', `dep_${depositId}`, '--reason', 'The customer called.')).text).toBe(
      `Deposit dep_${depositId} is released.`,
    )
    const again = await admin('deposits', 'release', depositId, '--reason', 'Once more')
    expect(again.text).toContain('was released before; nothing has changed')
    const released = await createDepositStore(opened.database).find(depositId)
    expect(released).toMatchObject({ state: 'confirming', note: 'The customer called.', credits: CREDITS })
    const ledger = new Ledger({ engine: createLedgerEngine(opened.database) })
    await creditDeposit({ ledger, clock: systemClock }, released!, null)
    await ledger.close()
    const shown = await adminJson('deposits', 'show', depositId)
    expect(shown).toMatchObject({
      state: 'credited',
      decisions: [{ decision: 'release', reason: 'The customer called.', price_usd: null }],
    })
    expect(shown.decisions[0].by).not.toBe('')
    for (const decision of ['release', 'reject']) {
      const late = await admin('deposits', decision, depositId, '--reason', 'Too late')
      expect([late.exitCode, late.errors]).toEqual([1, expect.stringContaining('is credited')])
    }
  })

  test('a rejected deposit stays so however often the chain is looked at, and can be released all the same', async () => {
    const deposit = await heldBackDeposit(opened.database, accountId)
    const { depositId } = deposit
    await admin('deposits', 'reject', depositId, '--reason', 'Stolen')
    const repeated = await adminJson('deposits', 'reject', depositId, '--reason', 'Stolen')
    expect(repeated).toMatchObject({ repeated: true, state: 'rejected' })
    const store = createDepositStore(opened.database)
    await store.record([{ ...deposit, blockHash: `0x${'cd'.repeat(32)}` }], Date.now())
    expect(await store.find(depositId)).toMatchObject({ state: 'rejected', note: 'Stolen', reason: null })
    await admin('deposits', 'release', depositId, '--reason', 'It was not')
    const { decisions, state } = await adminJson('deposits', 'show', depositId)
    expect([state, decisions.map(({ decision }: { decision: string }) => decision)]).toEqual([
      'confirming',
      ['reject', 'release'],
    ])
    expect((await admin('deposits', 'show', depositId)).text).toMatch(
      /reject by .+: Stolen\n.+release by .+: It was not/,
    )
  })

  test('two operators at once decide once', async () => {
    const { depositId } = await heldBackDeposit(opened.database, accountId)
    const answers = await Promise.all([
      admin('deposits', 'release', depositId, '--reason', 'Good'),
      admin('deposits', 'reject', depositId, '--reason', 'Bad'),
    ])
    const { decisions, state } = await adminJson('deposits', 'show', depositId)
    const won = answers.filter(({ exitCode }) => exitCode === 0).length
    expect(decisions).toHaveLength(won)
    // An operator who read the deposit before the other's decision has to look again; one who came after it may undo
    // it.
    expect(answers.filter(({ errors }) => errors.includes('changed in this moment'))).toHaveLength(2 - won)
    expect(state).toBe(decisions.at(-1).decision === 'release' ? 'confirming' : 'rejected')
  })

  test('a deposit without a price is released with one', async () => {
    const { depositId } = await heldBackDeposit(opened.database, accountId, {
      ...{ asset: 'ETH', amount: 10n ** 16n, isUnpriced: true },
    })
    const without = await admin('deposits', 'release', depositId, '--reason', 'The feed was away')
    expect([without.exitCode, without.errors]).toEqual([1, expect.stringContaining('has no price')])
    await admin('deposits', 'release', depositId, '--price', '2500.5', '--reason', 'Price of that day')
    expect(await adminJson('deposits', 'show', depositId)).toMatchObject({
      ...{ credits: 25_005, price_usd: '2500.5', price_round: 'operator' },
      decisions: [{ price_usd: '2500.5' }],
    })
  })

  test('says what it cannot do, and leaves the deposit alone', async () => {
    const seen = seenDeposit(accountId)
    await createDepositStore(opened.database).record([seen], 1)
    const early = await admin('deposits', 'release', seen.depositId, '--reason', 'Soon')
    expect([early.exitCode, early.errors]).toEqual([1, expect.stringContaining('is seen')])
    const unknown = await admin('deposits', 'show', '01a22013-6a74-7004-ada2-079bf043e52a')
    expect([unknown.exitCode, unknown.errors]).toEqual([1, expect.stringContaining('There is no deposit')])
    const wrong = [
      ['deposits', 'show', 'nonsense'],
      ['deposits', 'release', seen.depositId],
      ['deposits', 'release', seen.depositId, '--reason', ' '],
      ['deposits', 'release', seen.depositId, '--reason', 'x', '--price', '0'],
      ['deposits', 'list', '--state', 'lost'],
    ]
    for (const words of wrong) expect([words, (await admin(...words)).exitCode]).toEqual([words, 2])
    expect(await createDepositStore(opened.database).find(seen.depositId)).toMatchObject({ state: 'seen', note: null })
  })

  test('a decision can be neither changed nor deleted', async () => {
    const { depositId } = await heldBackDeposit(opened.database, accountId)
    await admin('deposits', 'reject', depositId, '--reason', 'Stolen')
    const { read } = opened.database
    const update = read.updateTable('deposit_decision').set({ reason: 'Other' }).compile()
    await expect(opened.database.write([update])).rejects.toThrow('never changed')
    await expect(opened.database.write([read.deleteFrom('deposit_decision').compile()])).rejects.toThrow(/never/)
  })

  test('emails are listed without their recipients, tried at once, and ended for an address', async () => {
    const mailId = await waitingMail(opened.database, accountId)
    const listed = await admin('mail', 'list', '--state', 'queued')
    expect(listed.text).toContain(mailId)
    expect(listed.text).toContain('ESOCKET')
    expect(listed.text + JSON.stringify(await adminJson('mail', 'list'))).not.toContain('ada@')
    expect(await adminJson('mail', 'retry', mailId)).toEqual({ mail_id: mailId, state: 'queued' })
    expect((await admin('mail', 'retry', accountId)).exitCode).toBe(1)
    expect(await adminJson('mail', 'suppress', 'ada@example.com')).toEqual({ suppressed: true, repeated: false })
    expect(await adminJson('mail', 'suppress', 'Ada@example.com')).toEqual({ suppressed: true, repeated: true })
    expect((await admin('mail', 'suppress', 'ada@example.com,eve@example.com')).exitCode).toBe(2)
  })
})
