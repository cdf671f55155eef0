import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { sql } from 'kysely'
import { limitsSchema } from '../config/limits-config.ts'
import { makeLogKeyFile, readLogKeyFile } from '../money/ledger-log/log-key-file.ts'
import { runAdmin } from '../operations/commands/admin-program.ts'
import { grant } from '../../testing/ledger-operations.ts'
import { seedCaller } from '../../testing/seed-caller.ts'
import { describeEachEngine, openTestDatabase, type TestDatabase } from '../../testing/test-database.ts'
import { LOG_NAME, openTestLog } from '../../testing/test-log.ts'
import { openAdmin } from './open-admin.ts'

describeEachEngine('the commands for the ledger log', (engine) => {
  let open: TestDatabase
  let keyFile = ''
  beforeEach(async () => {
    open = await openTestDatabase(engine)
    keyFile = join(open.dataDir, 'ledger-log-key')
    makeLogKeyFile(keyFile, LOG_NAME)
    const { accountId } = await seedCaller(open.database)
    const { ledger, log } = openTestLog(open.database, { signers: readLogKeyFile(keyFile).signers })
    await ledger.submit(grant(accountId, 7n))
    await log.close()
  })
  afterEach(() => open.close())

  async function run(...words: string[]) {
    const [output, errors]: [string[], string[]] = [[], []]
    const place = { databaseUrl: open.url, databaseWaitMs: 0, dataDir: open.dataDir }
    const code = await runAdmin(
      {
        open: () =>
          openAdmin({
            ...place,
            peppers: null,
            limits: limitsSchema.parse({}),
            limitsOfFile: new Set(),
            routes: new Map(),
          }),
        migrate: () => Promise.reject(new Error('nothing is migrated here')),
        print: (text) => output.push(text),
        printError: (text) => errors.push(text),
      },
      ['log', ...words],
    )
    return { code, output: output.join('\n'), errors: errors.join('\n') }
  }

  test('change nothing while the key and the log are there', async () => {
    expect(await run('replace-key', '--reason', 'x')).toMatchObject({
      code: 1,
      errors: expect.stringContaining('is in its file'),
    })
    expect(await run('begin-anew', '--reason', 'x')).toMatchObject({
      code: 1,
      errors: expect.stringContaining('leads to every checkpoint'),
    })
    for (const command of ['replace-key', 'begin-anew']) {
      expect(await run(command)).toMatchObject({ code: 2 })
      for (const reason of ['', ' ', 'two\nlines', 'x'.repeat(201)]) {
        expect(await run(command, '--reason', reason)).toMatchObject({
          code: 1,
          errors: expect.stringContaining('reason'),
        })
      }
    }
  })

  test('replace a lost key once, say what to do, and are in the journal', async () => {
    rmSync(keyFile)
    const { code, output } = await run('replace-key', '--reason', 'The disk was lost', '--json')
    expect(code).toBe(0)
    const { key, statement } = JSON.parse(output) as { key: string; statement: string }
    expect(statement).toMatch(/^new key [0-9a-f]{8} replaces [0-9a-f]{8} from 1 at .*: The disk was lost$/)
    expect(key).toContain(`${LOG_NAME}+`)
    const { read } = open.database
    const entries = await read.selectFrom('operator_action').select(['action', 'outcome', 'reason']).execute()
    expect(entries).toEqual([{ action: 'log.replace_key', outcome: 'done', reason: 'The disk was lost' }])
    expect(await run('replace-key', '--reason', 'again')).toMatchObject({ code: 1 })
  })

  test.each(['ledger_log', 'ledger_log_batch', 'ledger_log_tile', 'ledger_log_key'] as const)(
    'no program removes a row of %s',
    async (table) => {
      const removal = sql`delete from ${sql.table(table)}`.compile(open.database.read)
      await expect(open.database.write([removal])).rejects.toThrow('never')
    },
  )
})
