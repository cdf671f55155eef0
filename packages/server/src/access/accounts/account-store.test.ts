import { chmodSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { nanocreditsOf } from '@svc/contract'
import { testLimits } from '../../../testing/gateway-limits.ts'
import { describeEachEngine, openTestDatabase, type TestDatabase } from '../../../testing/test-database.ts'
import { createKeyAuthenticator } from '../keys/authenticate-key.ts'
import { createKey } from '../keys/create-key.ts'
import { createKeyStore } from '../keys/key-store.ts'
import { createAccountLimitStore } from '../keys/account-limit-store.ts'
import { RIGHTS } from '../keys/key-permissions.ts'
import type { Peppers } from '../keys/pepper.ts'
import { revokeKey } from '../keys/revoke-key.ts'
import { createLedgerEngine } from '../../money/ledger/create-ledger-engine.ts'
import { Ledger } from '../../money/ledger/ledger.ts'
import { createAccountStore, type AccountStore } from './account-store.ts'
import { createAccount } from './create-account.ts'
import { findAccount, listAccounts } from './list-accounts.ts'
import { DEMO_CREDITS, seedDemo, type SeedDemoDeps } from './seed-demo.ts'
import { setAccountStatus } from './set-account-status.ts'

const peppers: Peppers = [{ version: 1, secret: 'a pepper' }]
const clock = { now: () => Date.UTC(2026, 4, 14, 12), elapsed: () => 0 }

describeEachEngine('accounts', (engine) => {
  let open: TestDatabase
  let store: AccountStore
  beforeAll(async () => {
    open = await openTestDatabase(engine)
    store = createAccountStore(open.database)
  })
  afterAll(() => open.close())

  test('an account comes with a balance of 0 and a team of its name', async () => {
    const made = await createAccount({ store, clock }, { name: ' Acme ' })
    const account = await findAccount(store, made?.accountId ?? '')
    expect(account).toMatchObject({ name: 'Acme', status: 'active', posted: 0n, held: 0n })
    expect(account?.teams).toEqual([{ teamId: made?.teamId, name: 'Acme', budgetId: null }])
  })

  test('a team cap is a budget of the team', async () => {
    const teamCap = { limit: nanocreditsOf(5n), period: 'weekly' as const }
    const made = await createAccount({ store, clock }, { name: 'Acme', teamCap })
    const budgetId = (await store.listTeams(made?.accountId ?? ''))[0]?.budgetId ?? ''
    const budget = await open.database.read.selectFrom('budget').selectAll().where('budget_id', '=', budgetId).execute()
    expect(budget).toMatchObject([{ limit_nanocredits: 5n, period: 'weekly' }])
  })

  test('an id that is taken makes nothing', async () => {
    const first = await createAccount({ store, clock }, { name: 'Acme' })
    const again = { name: 'Other', accountId: first?.accountId ?? '' }
    expect(await createAccount({ store, clock }, again)).toBeNull()
    expect(await store.listTeams(again.accountId)).toHaveLength(1)
  })

  test('accounts are listed newest first, page by page', async () => {
    const older = await createAccount({ store, clock }, { name: 'Older' })
    const newer = await createAccount({ store, clock }, { name: 'Newer' })
    const [first] = await listAccounts(store, { limit: 1 })
    expect(first?.accountId).toBe(newer?.accountId)
    const [second] = await listAccounts(store, { limit: 1, after: first?.accountId ?? '' })
    expect(second?.accountId).toBe(older?.accountId)
  })

  test('an account is suspended and resumed', async () => {
    const { accountId } = (await createAccount({ store, clock }, { name: 'Acme' })) ?? { accountId: '' }
    expect(await setAccountStatus(store, accountId, 'suspended')).toBe('changed')
    expect(await setAccountStatus(store, accountId, 'suspended')).toBe('unchanged')
    expect((await findAccount(store, accountId))?.status).toBe('suspended')
    expect(await setAccountStatus(store, accountId, 'active')).toBe('changed')
    expect(await setAccountStatus(store, 'nobody', 'active')).toBe('unknown_account')
  })

  test('any number of starts makes one demo account with one grant and one key', async () => {
    const keyStore = createKeyStore(open.database)
    const accountLimitStore = createAccountLimitStore(open.database)
    const keyDeps = { store: keyStore, peppers, clock, accountLimitStore, gatewayLimits: testLimits }
    const authenticator = createKeyAuthenticator(keyDeps)
    const ledger = new Ledger({ engine: createLedgerEngine(open.database) })
    const deps: SeedDemoDeps = {
      store,
      clock,
      dataDir: open.dataDir,
      createKey: (request) => createKey(keyDeps, { ...request, rights: RIGHTS }),
      isValidKey: async (rawKey) => (await keyIdOf(rawKey)) !== null,
      credit: (credit) => ledger.submit({ kind: 'credit', source: 'grant', now: clock.now(), ...credit }),
    }
    const keyIdOf = async (rawKey: string): Promise<string | null> => {
      try {
        return (await authenticator.authenticate(`Bearer ${rawKey}`, 'fresh')).keyId
      } catch {
        return null
      }
    }

    const first = await seedDemo(deps)
    expect(first.isNew).toBe(true)
    expect(readFileSync(first.keyPath, 'utf8').trim()).toBe(first.rawKey)
    expect(statSync(first.keyPath).mode & 0o777).toBe(0o600)
    const caller = await authenticator.authenticate(`Bearer ${first.rawKey}`, 'fresh')
    expect([...caller.rights]).toEqual([...RIGHTS])

    chmodSync(first.keyPath, 0o644)
    expect(await seedDemo(deps)).toEqual({ ...first, isNew: false })
    expect(statSync(first.keyPath).mode & 0o777).toBe(0o600)
    expect((await findAccount(store, caller.accountId))?.posted).toBe(DEMO_CREDITS)

    await revokeKey({ store: keyStore, clock }, caller.keyId)
    const third = await seedDemo(deps)
    expect(third.isNew).toBe(true)
    expect(third.rawKey).not.toBe(first.rawKey)
    writeFileSync(third.keyPath, 'nonsense')
    expect((await seedDemo(deps)).isNew).toBe(true)
    expect((await findAccount(store, caller.accountId))?.posted).toBe(DEMO_CREDITS)
    await ledger.close()
  })
})
