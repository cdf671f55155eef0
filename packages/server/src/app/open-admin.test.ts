import { afterAll, beforeAll, expect, test } from 'vitest'
import { createId } from '../platform/runtime/ids.ts'
import { capture, grant, placeHold, release, TEST_NOW } from '../../testing/ledger-operations.ts'
import { seedCaller } from '../../testing/seed-caller.ts'
import { describeEachEngine, openTestDatabase, type TestDatabase } from '../../testing/test-database.ts'
import { nanocreditsOf } from '@svc/contract'
import { createLedgerEngine } from '../money/ledger/create-ledger-engine.ts'
import { Ledger } from '../money/ledger/ledger.ts'
import { runAdmin } from '../operations/commands/admin-program.ts'
import type { OperatorConfig } from '../config/load-operator-config.ts'
import { limitsSchema } from '../config/limits-config.ts'
import { createKeyAuthenticator } from '../access/keys/authenticate-key.ts'
import { createKeyStore } from '../access/keys/key-store.ts'
import type { Peppers } from '../access/keys/pepper.ts'
import { migrateConfigured } from './migrate-configured.ts'
import { openAdmin } from './open-admin.ts'
import { createJournalStore } from '../access/operators/journal-store.ts'
import { systemClock } from '../platform/runtime/clock.ts'

const peppers: Peppers = [{ version: 1, secret: 'a pepper' }]
const oneTarget = { weight: 1, others: [], isWeighted: false, fallback: true } as const
const plain = {
  peppers,
  limits: limitsSchema.parse({}),
  limitsOfFile: new Set<never>(),
  routes: new Map([
    [
      'own-model',
      { upstream: 'default', model: null, price: null, mediaPrice: null, billsOnCancel: true, ...oneTarget },
    ],
  ]),
}

// The test's own database stays open meanwhile, as a running gateway's would.
describeEachEngine('operator commands', (engine) => {
  let open: TestDatabase
  beforeAll(async () => {
    open = await openTestDatabase(engine)
  })
  afterAll(() => open.close())

  interface Outcome {
    readonly code: number
    readonly output: string
    readonly errors: string
  }

  const run = (...words: string[]): Promise<Outcome> => runWith({}, ...words)

  async function runWith(over: Partial<OperatorConfig>, ...words: string[]): Promise<Outcome> {
    const [output, errors]: string[][] = [[], []]
    const place = { databaseUrl: open.url, databaseWaitMs: 0, dataDir: open.dataDir }
    const code = await runAdmin(
      {
        open: () => openAdmin({ ...plain, ...place, ...over }),
        migrate: (isDryRun) => migrateConfigured({ ...place, ...over }, { isDryRun, onWaiting: () => undefined }),
        print: (text) => output?.push(text),
        printError: (text) => errors?.push(text),
      },
      words,
    )
    return { code, output: output?.join('\n') ?? '', errors: errors?.join('\n') ?? '' }
  }

  async function runJson(...words: string[]): Promise<Record<string, unknown>> {
    const { code, output, errors } = await run(...words, '--json')
    expect([code, errors]).toEqual([0, ''])
    return JSON.parse(output) as Record<string, unknown>
  }

  async function makeAccount(): Promise<string> {
    return String((await runJson('account', 'create', '--name', 'Acme'))['account_id'])
  }

  test('a key that was made works at once, and no more once it was revoked', async () => {
    const account = await makeAccount()
    const limits = [
      '--budget',
      '12.5',
      '--period',
      'monthly',
      '--models',
      'svc-gpt, svc-llama',
      '--rights',
      'inference',
    ]
    const key = await runJson('key', 'create', '--account', account, '--name', 'laptop', ...limits)
    const store = createKeyStore(open.database)
    const authenticator = createKeyAuthenticator({ store, peppers, clock: systemClock, gatewayLimits: plain.limits })
    const caller = await authenticator.authenticate(`Bearer ${String(key['key'])}`, 'fresh')
    expect(caller).toMatchObject({ accountId: account, models: ['svc-gpt', 'svc-llama'] })

    const listed = await run('key', 'list', '--account', account)
    expect(listed.output).toContain('12.5 monthly')
    expect(listed.output).not.toContain(String(key['key']))
    expect((await run('key', 'revoke', String(key['key_id']))).output).toContain('is revoked')
    expect((await run('key', 'revoke', String(key['key_id']))).output).toContain('was revoked before')
    await expect(authenticator.authenticate(`Bearer ${String(key['key'])}`, 'fresh')).rejects.toThrow('Invalid API key')
  })

  test('a key repeats what it may do, and the list shows it', async () => {
    const to = ['--account', await makeAccount(), '--name', 'x']
    const made = await run('key', 'create', ...to, '--budget', '5', '--period', 'daily', '--expires', '2099-12-31')
    expect(made.errors).toBe('')
    expect(made.output).toMatch(
      /Budget +5 daily\nExpires +2099-12-31T00:00:00.000Z\nModels +all\nLimit +as the team\nRights +inf/,
    )
    const listed = await run('key', 'list', '--account', String(to[1]))
    expect(listed.output).toMatch(/MODELS +EXPIRES/)
    expect(listed.output).toMatch(/all +2099-12-31/)
    const json = await runJson('key', 'create', ...to, '--models', 'svc-gpt', '--rights', 'keys')
    expect(json).toMatchObject({ models: ['svc-gpt'], rights: ['keys'], budget_credits: null, expires: null })
  })

  test('limits of an account and of its keys are set, shown, taken back and kept in the journal', async () => {
    const account = await makeAccount()
    expect((await run('account', 'limits', account)).output.split('\n')).toEqual([
      expect.stringMatching(/^Requests a minute of each key +600 \(default\)$/),
      expect.stringMatching(/^Requests a minute of all keys +6000 \(default\)$/),
      expect.stringMatching(/^Streams at once of each key +20 \(default\)$/),
    ])
    const change = ['--requests-per-minute', '90', '--streams-at-once', '3', '--reason', 'a trial']
    expect(await runJson('account', 'limits', account, ...change)).toMatchObject({
      requests_per_minute: { most: 90, set_for: 'team' },
      account_requests_per_minute: { most: 900, set_for: 'team' },
      streams_at_once: { most: 3, set_for: 'team' },
    })
    expect((await run('account', 'show', account)).output).toMatch(
      /each key +90\nRequests a minute of all keys +900\nStreams at once of each key +3$/,
    )
    expect(await runJson('account', 'show', account)).toMatchObject({
      limits: { requests_per_minute: { most: 90, set_for: 'team' } },
    })
    const key = await runJson('key', 'create', '--account', account, '--name', 'x', '--requests-per-minute', '30')
    expect(key).toMatchObject({ requests_per_minute: 30 })
    const keyId = String(key['key_id'])
    const raised = await run('key', 'limit', keyId, '--requests-per-minute', '91')
    expect(raised.errors).toContain(
      'may have 1 to 90 requests a minute. ' +
        `To allow more, first raise its account: "account limits ${account} --requests-per-minute COUNT".`,
    )
    const made = await run('key', 'create', '--account', account, '--name', 'y', '--requests-per-minute', '91')
    expect(made.errors).toContain(`first raise its account: "account limits ${account}`)
    expect(raised.code).toBe(1)
    expect((await run('key', 'limit', keyId, '--requests-per-minute', '90')).output).toContain('90 requests a minute.')
    await run('account', 'limits', account, '--requests-per-minute', 'default', '--reason', 'paid')
    expect((await run('key', 'list', '--account', account)).output).toContain('90 a minute')
    await run('key', 'limit', keyId, '--requests-per-minute', 'team')
    const [listed] = (await runJson('key', 'list', '--account', account)) as unknown as [Record<string, unknown>]
    expect(listed).toMatchObject({ requests_per_minute: null, requests_per_minute_in_force: 600 })

    const entries = await createJournalStore(open.database).list({ accountId: account, limit: 50 })
    const told = entries.map(({ action, outcome, reason, details }) => [action, outcome, reason, JSON.parse(details)])
    const rate = (from: unknown, to: unknown) => ({ requests_per_minute: { from, to } })
    expect(told).toEqual([
      ['key.change', 'done', null, rate(90, 'as the team')],
      ['account.limits', 'done', 'paid', rate(90, 'default')],
      ['key.change', 'done', null, rate(30, 90)],
      ['key.create', 'refused', null, {}],
      ['key.change', 'refused', null, rate(30, 91)],
      ['key.create', 'done', null, {}],
      ['account.limits', 'done', 'a trial', { ...rate('default', 90), streams_at_once: { from: 'default', to: 3 } }],
      ['account.create', 'done', null, {}],
    ])
  })

  test.each([
    [['account', 'limits', 'x', '--requests-per-minute', '0'], 2, 'from 1 to 10000000, or "default"'],
    [['account', 'limits', 'x', '--account-requests-per-minute', '1e3'], 2, 'or "default"'],
    [['account', 'limits', 'x', '--reason', 'none'], 2, '--reason needs a limit to set'],
    [['account', 'limits', 'nobody'], 1, 'There is no account nobody'],
    [['account', 'limits', 'nobody', '--streams-at-once', '2'], 1, 'There is no account nobody'],
    [['key', 'limit', 'nothing', '--requests-per-minute', '5'], 1, 'There is no key with this id'],
    [['key', 'limit', 'nothing', '--requests-per-minute', 'default'], 2, 'or "team"'],
    [['key', 'limit', 'nothing'], 2, '--requests-per-minute'],
  ] as const)('a limit that cannot be set is reported: %j', async (words, code, said) => {
    const outcome = await run(...words)
    expect([outcome.code, outcome.errors]).toEqual([code, expect.stringContaining(said)])
  })

  test('an unknown model is a warning with the name that was meant', async () => {
    const to = ['--account', await makeAccount(), '--name', 'x']
    const made = await run('key', 'create', ...to, '--models', 'svc-gtp,svc-gpt,own-model,something-else-entirely')
    expect(made.code).toBe(0)
    expect(made.errors.split('\n')).toEqual([
      expect.stringContaining('warning: No model "svc-gtp" is known here. Did you mean svc-gpt?'),
      expect.stringContaining('"something-else-entirely" is known here. The key was made'),
    ])
  })

  test('without a pepper everything works but making a key', async () => {
    const account = await makeAccount()
    expect((await runWith({ peppers: null }, 'account', 'show', account)).code).toBe(0)
    const made = await runWith({ peppers: null }, 'key', 'create', '--account', account, '--name', 'x')
    expect(made).toMatchObject({ code: 1, output: '' })
    expect(made.errors).toContain('SVC_KEY_PEPPER is missing')
  })

  test('credits are granted and corrected exactly, each named effect once', async () => {
    const account = await makeAccount()
    const to = ['--account', account, '--reason', 'a gift']
    expect((await run('credits', 'grant', ...to, '--amount', '1000.000000001', '--id', 'gift-1')).code).toBe(0)
    const again = await runJson('credits', 'grant', ...to, '--amount', '1000.000000001', '--id', 'gift-1')
    expect(again).toMatchObject({ repeated: true, credits_moved: 0 })
    const other = await makeAccount()
    const elsewhere = ['--account', other, '--reason', 'a gift', '--amount', '7', '--id', 'gift-1']
    const refused = await run('credits', 'grant', ...elsewhere)
    expect(refused).toMatchObject({ code: 1, output: '' })
    expect(refused.errors).toContain(
      `The id gift-1 was used before for account ${account} (not ${other}) and for 1000.000000001 credits (not 7). ` +
        'Nothing was recorded. Repeat that credit unchanged, or give this one an id of its own.',
    )
    expect((await run('account', 'show', other, '--json')).output).toContain('"credits": 0,')
    const taken = await run('credits', 'adjust', ...to, '--amount', '-0.000000001')
    expect(taken.output).toContain('The balance of')
    expect(taken.output).toContain(' is 1000.')
    const tooMuch = await run('credits', 'adjust', ...to, '--amount', '-1000.5')
    expect(tooMuch).toMatchObject({ code: 1, output: '' })
    expect(tooMuch.errors).toContain('Only 1000 credits are available')
    expect((await run('account', 'show', account, '--json')).output).toContain('"credits": 1000,')
  })

  test('a closed account has no keys and is never opened again, and the journal has every action', async () => {
    const account = await makeAccount()
    const key = await runJson('key', 'create', '--account', account, '--name', 'secret laptop')
    expect((await run('account', 'suspend', account, '--reason', 'unpaid')).code).toBe(0)
    expect((await run('credits', 'grant', '--account', account, '--amount', '5', '--reason', 'a gift')).code).toBe(0)
    expect((await run('account', 'close', account, '--reason', 'asked for it')).output).toContain('is now closed')
    expect((await run('account', 'close', account, '--reason', 'again')).output).toContain('was already closed')
    const resumed = await run('account', 'resume', account)
    expect([resumed.code, resumed.errors]).toEqual([1, `error: Account ${account} was closed for good.`])
    expect(await runJson('account', 'show', account)).toMatchObject({ status: 'closed', credits: 5 })
    expect((await run('key', 'list', '--account', account)).output).toContain('revoked')

    const journal = await createJournalStore(open.database).list({ accountId: account, limit: 50 })
    expect(journal.map(({ action, reason, outcome }) => [action, reason, outcome]).toReversed()).toEqual([
      ['account.create', null, 'done'],
      ['key.create', null, 'done'],
      ['account.suspend', 'unpaid', 'done'],
      ['credits.grant', 'a gift', 'done'],
      ['account.close', 'asked for it', 'done'],
      ['account.close', 'again', 'unchanged'],
      ['account.resume', null, 'refused'],
    ])
    expect(new Set(journal.map(({ way, operatorId }) => `${way} ${operatorId}`))).toEqual(new Set(['command null']))
    expect(JSON.stringify(journal)).not.toContain(String(key['key']))
  })

  test('an account is suspended, resumed and listed', async () => {
    const account = await makeAccount()
    expect((await run('account', 'suspend', account)).output).toContain('is now suspended')
    expect((await run('account', 'list')).output).toMatch(new RegExp(`${account}.*Acme.*suspended`))
    expect((await run('account', 'resume', account)).output).toContain('is now active')
  })

  test('a request of any account is found by its id, with what it was charged for and what it cost', async () => {
    const caller = await seedCaller(open.database)
    const ledger = new Ledger({ engine: createLedgerEngine(open.database) })
    await ledger.submit(grant(caller.accountId, 1_000_000n))
    const hold = placeHold(caller, { fixed: 500_000n })
    await ledger.submit(hold)
    expect(await runJson('usage', 'show', hold.holdId)).toMatchObject({
      ...{ state: 'pending', credits_reserved: 0.0005 },
      operator: { key_id: caller.keyId, credits_cost: null },
    })
    await ledger.submit(capture(hold.holdId, 300_000n, { cost: nanocreditsOf(250_000n) }))
    await ledger.close()
    expect(await runJson('usage', 'show', hold.holdId.toUpperCase())).toMatchObject({
      ...{ state: 'final', credits_charged: 0.0003, basis: 'card', pricing: { basis: 'card' } },
      operator: { account_id: caller.accountId, upstream: 'test', credits_cost: 0.00025, credits_written_off: 0 },
    })
    expect(await runJson('request', 'show', hold.holdId)).toMatchObject({
      hold: { state: 'captured', credits: 0.0005, credits_at_first: 0.0005, extensions: [] },
      transfers: [{ id: hold.holdId, kind: 'capture', credits_charged: 0.0003, credits_cost: 0.00025 }],
    })
    const shown = await run('usage', 'show', hold.holdId)
    expect(shown.output).toMatch(/credits_charged +0\.0003\n/)
    expect(shown.output).toMatch(/pricing +\{"basis":"card"/)
    expect(shown.output).toMatch(/held +0\.0005\n/)
    const none = await run('usage', 'show', 'nothing')
    expect([none.code, none.errors]).toEqual([1, 'error: There is no request nothing.'])
  })

  test('a request is refunded once, whole or in part, and never beyond its charge', async () => {
    const caller = await seedCaller(open.database)
    const ledger = new Ledger({ engine: createLedgerEngine(open.database) })
    await ledger.submit(grant(caller.accountId, 1_000_000n))
    const [first, second, free] = [0, 1, 2].map(() => placeHold(caller, { fixed: 200_000n, perUnit: 10_000n }))
    if (first === undefined || second === undefined || free === undefined) throw new Error('three holds are placed')
    for (const hold of [first, second, free]) await ledger.submit(hold)
    const extension = { kind: 'extend', holdId: first.holdId, fixed: first.fixed, perUnit: first.perUnit } as const
    await ledger.submit({ ...extension, targetUnits: 5, now: first.now })
    const running = await run('request', 'refund', first.holdId, '--reason', 'x')
    expect([running.code, running.errors]).toEqual([1, expect.stringContaining('still runs')])
    for (const hold of [first, second]) await ledger.submit(capture(hold.holdId, 150_000n))
    await ledger.submit(release(free.holdId))
    await ledger.close()

    expect(await runJson('request', 'refund', first.holdId, '--reason', 'a wrong answer')).toMatchObject({
      ...{ account_id: caller.accountId, credits_refunded: 0.00015, repeated: false },
    })
    const again = await run('request', 'refund', first.holdId, '--reason', 'a wrong answer')
    const transfer = `adjustment:refund.${first.holdId}`
    expect([again.code, again.output]).toEqual([0, expect.stringContaining('nothing has changed')])
    expect(again.output).toMatch(new RegExp(`refunded before, at \\d{4}-\\S+Z by the transfer ${transfer};`))
    for (const [words, refusal] of [
      [[first.holdId, '--reason', 'a wrong answer', '--amount', '0.00001'], 'was refunded before: 0.00015 credits at'],
      [[first.holdId, '--reason', 'another reason'], `by the transfer ${transfer} (Refund of request`],
      [[second.holdId, '--reason', 'x', '--amount', '0.000151'], 'at most the 0.00015 credits'],
      [[free.holdId, '--reason', 'x'], 'was free'],
      [['nothing', '--reason', 'x'], 'There is no request nothing'],
      [[second.holdId, '--reason', ' '], 'Give a reason'],
    ] as const) {
      const refused = await run('request', 'refund', ...words)
      expect([refused.code, refused.errors]).toEqual([1, expect.stringContaining(refusal)])
    }
    expect(await runJson('request', 'refund', second.holdId, '--reason', 'late', '--amount', '0.00005')).toMatchObject({
      credits_refunded: 0.00005,
    })
    expect(await runJson('account', 'show', caller.accountId)).toMatchObject({ credits: 0.0009 })
    expect(await runJson('request', 'show', first.holdId)).toMatchObject({
      hold: { credits: 0.00025, credits_at_first: 0.00021, extensions: [{ credits: 0.00004 }] },
      transfers: [
        { kind: 'capture', credits_charged: 0.00015 },
        { kind: 'adjustment', credits_funded: 0.00015, reason: expect.stringContaining('a wrong answer') },
      ],
    })
  })

  test('an overview shows what was earned in a span of days', async () => {
    const caller = await seedCaller(open.database)
    const ledger = new Ledger({ engine: createLedgerEngine(open.database) })
    await ledger.submit(grant(caller.accountId, 1_000_000n))
    const hold = placeHold(caller, { fixed: 500_000n, holdId: createId(TEST_NOW) })
    await ledger.submit(hold)
    await ledger.submit(capture(hold.holdId, 300_000n, { cost: nanocreditsOf(250_000n) }))
    await ledger.close()
    const everything = ['--from', '2026-05-14', '--to', '2026-05-15']
    const overview = await runJson('overview', ...everything)
    expect(overview).toMatchObject({
      from: '2026-05-14T00:00:00.000Z',
      total: { name: 'all', credits_charged: 0.0003, credits_cost: 0.00025, credits_left: 0.00005 },
      days: [{ name: '2026-05-14', requests: 1 }],
      accounts: [{ name: caller.accountId }],
    })
    expect((await run('overview', ...everything)).output).toMatch(/^days +requests +failed +charged/m)
    expect((await run('overview')).output).toContain('written off')
    for (const [words, refusal] of [
      [['--from', '2026-05-15', '--to', '2026-05-14'], 'before the end'],
      [['--from', '2020-01-01'], 'At most 366 days'],
    ] as const) {
      const refused = await run('overview', ...words)
      expect([refused.code, refused.errors]).toEqual([1, expect.stringContaining(refusal)])
    }
  })

  test('the audit prints every promise and finds the books in order', async () => {
    const account = await makeAccount()
    await run('credits', 'grant', '--account', account, '--amount', '5', '--reason', 'x')
    const { code, output } = await run('audit')
    expect(output).toContain('All ')
    expect(output).not.toContain('BROKEN')
    expect(code).toBe(0)
  })

  test('the audit fails when the books are not in order', async () => {
    const broken = open.database.read
      .updateTable('balance')
      .set({ posted: 123n })
      .where('account_id', '=', await makeAccount())
    await open.database.write([broken.compile()])
    const { code, output } = await run('audit')
    expect(output).toContain('BROKEN')
    expect(code).toBe(1)
  })

  test.each([
    ['account', 'show', 'nobody'],
    ['account', 'suspend', 'nobody'],
    ['account', 'create', '--name', ' '],
    ['key', 'create', '--account', 'nobody', '--name', 'x'],
    ['key', 'revoke', 'nobody'],
    ['credits', 'grant', '--account', 'nobody', '--amount', '1', '--reason', 'x'],
    ['credits', 'grant', '--account', 'nobody', '--amount', '1', '--reason', ' '],
    ['credits', 'grant', '--account', 'nobody', '--amount', '1000000001', '--reason', 'x'],
  ])('what cannot be done exits with 1: %s %s %s', async (...words) => {
    const { code, output, errors } = await run(...words)
    expect([code, output]).toEqual([1, ''])
    expect(errors).toMatch(/^error: .+\.$/)
  })

  test.each([
    ['acount', 'list'],
    ['account', 'list', '--limit', '0'],
    ['credits', 'grant', '--account', 'a', '--amount', '1e3', '--reason', 'x'],
    ['credits', 'grant', '--account', 'a', '--amount', '-1', '--reason', 'x'],
    ['credits', 'adjust', '--account', 'a', '--amount', '0', '--reason', 'x'],
    ['credits', 'adjust', '--account', 'a', '--amount', '0.0000000001', '--reason', 'x'],
    ['credits', 'adjust', '--account', 'a', '--amount', '-9000000001', '--reason', 'x'],
    ['key', 'create', '--account', 'a', '--name', 'x', '--budget', '9000000001'],
    ['account', 'create', '--name', 'x', '--team-cap', '9000000001'],
    ['key', 'create', '--name', 'x'],
    ['key', 'create', '--account', 'a', '--name', 'x', '--rights', 'everything'],
    ['key', 'create', '--account', 'a', '--name', 'x', '--expires', 'soon'],
    ['key', 'create', '--account', 'a', '--name', 'x', '--expires', '2020-01-01'],
    ['key', 'create', '--account', 'a', '--name', 'x', '--period', 'daily'],
    ['account', 'create', '--name', 'x', '--period', 'daily'],
  ])('a wrong command line exits with 2 and opens no database: %s %s %s', async (...words) => {
    const { code, output, errors } = await run(...words)
    expect([code, output]).toEqual([2, ''])
    expect(errors).toMatch(/^error: /)
  })

  test('help is an answer, not an error', async () => {
    expect(await run('--help')).toMatchObject({ code: 0, errors: '' })
    expect((await run('credits', 'adjust', '--help')).output).toContain('--amount')
  })
})
