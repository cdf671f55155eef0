import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { nanocreditsOf } from '@svc/contract'
import { CompiledQuery } from 'kysely'
import { expect, test } from 'vitest'
import { createBrowserSession } from '../../testing/browser-session.ts'
import { describeEachEngine, openTestDatabase, type TestDatabase } from '../../testing/test-database.ts'
import { createTestAccount } from '../../testing/test-gateway.ts'
import { runAdmin } from '../operations/commands/admin-program.ts'
import { loadConfig } from '../config/load-config.ts'
import { loadOperatorConfig } from '../config/load-operator-config.ts'
import { createDepositAddressStore } from '../deposits/deposit-address-store.ts'
import { describeStartFailure } from './describe-start-failure.ts'
import { createGateway, type Gateway } from './gateway.ts'
import { runAudit } from '../money/ledger/audit.ts'
import { migrateConfigured } from './migrate-configured.ts'
import { openAdmin } from './open-admin.ts'
import { WrongStoreKindError } from '../access/operators/store-kind.ts'
import { systemClock } from '../platform/runtime/clock.ts'
import { createLogger } from '../platform/runtime/log.ts'

const REAL = { SVC_UPSTREAM: 'openai-compatible', SVC_UPSTREAM_URL: 'http://127.0.0.1:9/v1' }

describeEachEngine('test and live money', (engine) => {
  const configOf = ({ dataDir, url }: TestDatabase, env: Record<string, string> = {}) => {
    const storage = { SVC_DATA_DIR: dataDir, ...(url === null ? {} : { SVC_DATABASE_URL: url }) }
    const source = { env: { SVC_PORT: '0', SVC_DEFAULT_PRICE: '1/1', ...storage, ...env }, workingDir: dataDir }
    return { config: loadConfig(source).config, operator: loadOperatorConfig(source) }
  }
  const open = (store: TestDatabase, env?: Record<string, string>): Promise<Gateway> => {
    const log = createLogger({ level: 'silent', sink: { write: () => undefined } })
    return createGateway({ config: configOf(store, env).config, log })
  }
  /** Lets a gateway serve a store once, which stamps it. */
  const serve = async (store: TestDatabase, env?: Record<string, string>): Promise<void> => {
    const gateway = await open(store, env)
    await gateway.start()
    await gateway.stop()
  }
  const admin = async (store: TestDatabase, words: readonly string[], answer: string | null = null) => {
    const printed: string[] = []
    const code = await runAdmin(
      {
        open: () => openAdmin(configOf(store).operator),
        migrate: (isDryRun) => migrateConfigured(configOf(store).operator, { isDryRun, onWaiting: () => undefined }),
        print: (text) => void printed.push(text),
        printError: (text) => void printed.push(text),
        ask: answer === null ? null : () => Promise.resolve(answer),
      },
      words,
    )
    return { code, text: printed.join('\n') }
  }

  test('a store of the sandbox is not served with a real upstream, nor the other way round', async () => {
    for (const [first, second, kind] of [
      [{}, REAL, 'test'],
      [REAL, {}, 'live'],
    ] as const) {
      const store = await openTestDatabase(engine)
      await serve(store, first)
      const refused = await open(store, second).catch((error: unknown) => error)
      expect(refused).toBeInstanceOf(WrongStoreKindError)
      const text = describeStartFailure(refused, configOf(store, second).config)
      expect(text).toContain(kind === 'test' ? 'npm run admin -- go-live' : 'holds live credits')
      expect(text).toContain(engine === 'sqlite' ? 'SVC_DATA_DIR' : 'SVC_DATABASE_URL')
      // The store is at rest, and its own kind serves it again.
      await serve(store, first)
      await store.close()
    }
  })

  test('going live ends everything that the sandbox has given, and keeps accounts, teams and people', async () => {
    const store = await openTestDatabase(engine)
    const gateway = await open(store)
    const origin = await gateway.start()
    const demo = createBrowserSession(`${origin}/api`)
    await demo.json('POST', '/auth/sign-in/demo', {})
    const { accountId, teamId } = await createTestAccount(gateway, '12.5')
    // More than one operation of the ledger moves.
    const much = { kind: 'credit', source: 'grant', accountId, amount: nanocreditsOf(10n ** 18n), reason: 'x' } as const
    for (const transferId of ['much', 'more']) await gateway.ledger.submit({ ...much, transferId, now: Date.now() })
    await store.database.write([
      CompiledQuery.raw(
        `insert into deposit_address values ('a1', '${accountId}', 4663, 'x', 0, '0x${'11'.repeat(20)}', 1)`,
      ),
    ])
    expect(await admin(store, ['go-live', '--yes'])).toMatchObject({ code: 1, text: expect.stringMatching(/gateway/i) })
    await gateway.stop()

    expect(await admin(store, ['go-live'])).toMatchObject({ code: 2, text: expect.stringContaining('--yes') })
    expect(await admin(store, ['go-live'], 'yes')).toMatchObject({ code: 1, text: 'error: Nothing was changed.' })
    const done = await admin(store, ['go-live'], 'go live')
    expect(done).toMatchObject({ code: 0, text: expect.stringContaining('2000000012.5 test credits of 1 accounts') })
    expect(await admin(store, ['go-live', '--yes'])).toMatchObject({
      code: 1,
      text: expect.stringContaining('no test money'),
    })

    const { read } = store.database
    const balances = await read.selectFrom('balance').select(['posted', 'held']).execute()
    expect(balances.every(({ posted, held }) => posted === 0n && held === 0n)).toBe(true)
    expect(await read.selectFrom('api_key').select('key_id').where('revoked_at', 'is', null).execute()).toEqual([])
    expect(await read.selectFrom('operator').selectAll().execute()).toEqual([])
    expect(await read.selectFrom('sign_in_user').selectAll().execute()).toEqual([])
    expect(await createDepositAddressStore(store.database).listAddresses(4663, { limit: 10 })).toEqual([])
    expect(await read.selectFrom('team').select('team_id').where('team_id', '=', teamId).execute()).toHaveLength(1)
    expect(existsSync(join(store.dataDir, 'demo-key'))).toBe(false)
    const report = await runAudit(store.database, systemClock)
    expect(report.rows.filter(({ breaches }) => breaches > 0)).toEqual([])

    const live = await open(store, REAL)
    const liveOrigin = await live.start()
    const stale = createBrowserSession(`${liveOrigin}/api`)
    for (const [name, value] of demo.cookies) stale.cookies.set(name, value)
    expect((await stale.call('GET', '/console/sessions')).status).toBe(401)
    expect(await live.console.firstRunAddress()).not.toBeNull()
    await live.stop()
    await store.close()
  })
})
