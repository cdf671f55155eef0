import { afterAll, beforeAll, expect, test } from 'vitest'
import { describeEachEngine, openTestDatabase, type TestDatabase } from '../../../testing/test-database.ts'
import { ServiceError } from '../../platform/errors/service-error.ts'
import { keepJournal, type JournalDeps, type Operator } from './journal.ts'
import { createJournalStore } from './journal-store.ts'

const by: Operator = { operatorId: 'ada', name: 'Ada', way: 'command' }

describeEachEngine('the journal', (engine) => {
  let open: TestDatabase
  let deps: JournalDeps
  beforeAll(async () => {
    open = await openTestDatabase(engine)
    deps = { journal: createJournalStore(open.database), clock: { now: () => Date.now() } }
  })
  afterAll(() => open.close())

  const newest = async () => (await deps.journal.list({ limit: 1 }))[0]
  const action = { action: 'account.suspend', accountId: 'one', reason: 'unpaid' } as const

  test('has the entry before the action is done', async () => {
    let seen: unknown = null
    const work = async (): Promise<string> => {
      seen = await newest()
      return 'result'
    }
    expect(await keepJournal(deps, by, action, { work, outcomeOf: () => 'done' })).toBe('result')
    expect(seen).toMatchObject({ action: 'account.suspend', accountId: 'one', reason: 'unpaid', outcome: null })
    expect(await newest()).toMatchObject({ operatorName: 'Ada', outcome: 'done' })
  })

  test('has no entry of a person in the console who is no operator, and nothing is done', async () => {
    const before = await newest()
    const work = (): Promise<string> => Promise.reject(new Error('was done'))
    const done = keepJournal(deps, { ...by, way: 'console' }, action, { work, outcomeOf: () => 'done' })
    await expect(done).rejects.toMatchObject({ code: 'role_denied' })
    expect(await newest()).toEqual(before)
  })

  test('says what was refused, and what is unknown', async () => {
    const refuse = () => Promise.reject(new ServiceError('invalid_value', 'no'))
    await expect(keepJournal(deps, by, action, { work: refuse, outcomeOf: () => 'done' })).rejects.toThrow('no')
    expect((await newest())?.outcome).toBe('refused')
    const fail = () => Promise.reject(new Error('the database is gone'))
    await expect(keepJournal(deps, by, action, { work: fail, outcomeOf: () => 'done' })).rejects.toThrow('gone')
    expect((await newest())?.outcome).toBe('failed')
  })

  test('is never changed and never emptied', async () => {
    const { database } = open
    const entry = await newest()
    const { read } = database
    const change = read.updateTable('operator_action').set({ reason: 'another' })
    await expect(database.write([change.compile()])).rejects.toThrow('never changed')
    await expect(database.write([read.deleteFrom('operator_action').compile()])).rejects.toThrow(
      /never (changed or )?deleted/,
    )
    await deps.journal.end(entry?.actionId ?? '', 'done', 1)
    expect(await newest()).toEqual(entry)
  })
})
