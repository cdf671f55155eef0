import { execFile } from 'node:child_process'
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { HDKey } from '@scure/bip32'
import { CompiledQuery } from 'kysely'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { childEnvironment } from '../../testing/child-environment.ts'
import { findProgram } from '../../testing/find-program.ts'
import { makePostgresDatabase } from '../../testing/fresh-database.ts'
import { describeEachEngine, findPostgres, openTestDatabase, type TestDatabase } from '../../testing/test-database.ts'

let workingDir = ''
beforeEach(() => {
  workingDir = mkdtempSync(join(tmpdir(), 'svc-operate-'))
})
afterEach(() => rmSync(workingDir, { recursive: true }))

interface Ended {
  readonly code: number
  readonly output: string
  readonly errors: string
}

async function runProgram(program: 'admin' | 'audit' | 'fund' | 'sweeper', words: readonly string[], env: object = {}) {
  const path = await findProgram(program)
  const options = { cwd: workingDir, env: { ...childEnvironment(), ...env } }
  return new Promise<Ended>((resolve) => {
    execFile(process.execPath, [path, ...words], options, (error, output, errors) =>
      resolve({ code: Number(error?.code ?? 0), output, errors }),
    )
  })
}

/** Keys of no chain: what they open does not matter here. @returns the file's name. */
function writeKeys(): string {
  const { privateExtendedKey: xprv } = HDKey.fromMasterSeed(new Uint8Array(32).fill(7)).derive("m/44'/60'/0'")
  const [relayer, treasury] = [`0x${'11'.repeat(32)}`, `0x${'22'.repeat(20)}`]
  writeFileSync(join(workingDir, 'keys.json'), JSON.stringify({ 4663: { xprv, relayer, treasury } }), { mode: 0o600 })
  return 'keys.json'
}

describe('without a store', () => {
  test.each([
    ['audit', [], {}, '.svc'],
    ['audit', ['--json'], { SVC_DATA_DIR: 'mistyped' }, 'mistyped'],
    ['admin', ['account', 'create', '--name', 'Acme'], {}, '.svc'],
    ['admin', ['account', 'list'], { SVC_UPSTREAM: 'openrouter' }, '.svc-live'],
    ['sweeper', ['--keys', 'keys.json', '--dry-run'], {}, '.svc'],
    ['admin', ['migrate'], {}, '.svc'],
  ] as const)('%s %j %j names the folder and makes nothing', async (program, words, env, folder) => {
    const files = program === 'sweeper' ? [writeKeys()] : []
    const { code, output, errors } = await runProgram(program, words, env)
    expect([code, output]).toEqual([1, ''])
    expect(errors).toContain(`error: The data folder ${join(workingDir, folder)} holds no store. `)
    expect(errors).toContain('SVC_DATA_DIR')
    expect(readdirSync(workingDir)).toEqual(files)
  })

  test.each([
    ['admin', ['account', 'list']],
    ['audit', []],
    ['fund', []],
    ['sweeper', ['--keys', 'keys.json', '--dry-run']],
  ] as const)('%s reads secrets from files, and says which one it cannot read', async (program, words) => {
    writeKeys()
    const env = { SVC_DATABASE_URL_FILE: 'nowhere', SVC_KEY_PEPPER: 'canary'.repeat(6), SVC_KEY_PEPPER_FILE: 'nowhere' }
    const { code, output, errors } = await runProgram(program, words, env)
    expect([code, output]).toEqual([1, ''])
    expect(errors).toContain('SVC_DATABASE_URL_FILE names a file that does not exist.')
    expect(errors).toContain('SVC_KEY_PEPPER and SVC_KEY_PEPPER_FILE are both set. Give one of them.')
    expect(errors).not.toContain('canary')
  })

  test.skipIf(findPostgres() === null)('an empty PostgreSQL database stays empty', async () => {
    const { place, remove } = await makePostgresDatabase(findPostgres() ?? '')
    const url = place.url ?? ''
    for (const words of [['audit'], ['account', 'create', '--name', 'Acme']]) {
      const { code, errors } = await runProgram('admin', words, { SVC_DATABASE_URL: url })
      expect(code).toBe(1)
      expect(errors).toContain(`The PostgreSQL database ${addressOf(url)} holds no store. `)
    }
    expect(readdirSync(workingDir)).toEqual([])
    // The one command that makes a store, for gateways that start at once.
    const [first, second] = await Promise.all(
      ['', ''].map(() => runProgram('admin', ['migrate'], { SVC_DATABASE_URL: url })),
    )
    expect([first?.code, second?.code]).toEqual([0, 0])
    expect((await runProgram('audit', [], { SVC_DATABASE_URL: url })).code).toBe(0)
    await remove()
  })
})

describeEachEngine('on a store that a gateway has made', (engine) => {
  let open: TestDatabase
  beforeEach(async () => {
    open = await openTestDatabase(engine)
  })
  afterEach(() => open.close())

  const placeEnv = () => (open.url === null ? { SVC_DATA_DIR: open.dataDir } : { SVC_DATABASE_URL: open.url })

  test('the audit says which store it has read, and makes no secret', async () => {
    const files = readdirSync(open.dataDir)
    const { code, output } = await runProgram('audit', ['--json'], placeEnv())
    const { store, breaches } = JSON.parse(output) as Record<string, unknown>
    expect([code, breaches]).toEqual([0, 0])
    expect(store).toBe(open.url === null ? open.dataDir : addressOf(open.url))
    expect((await runProgram('audit', [], placeEnv())).output).toMatch(new RegExp(`^Store: ${String(store)}\n`))
    expect(readdirSync(open.dataDir)).toEqual(files)
    expect(readdirSync(workingDir)).toEqual([])
  })

  test('a key is made under the pepper of the gateway or not at all', async () => {
    const account = await runProgram('admin', ['account', 'create', '--name', 'Acme', '--json'], placeEnv())
    const { account_id } = JSON.parse(account.output) as { readonly account_id: string }
    const create = ['key', 'create', '--account', account_id, '--name', 'laptop']
    const refused = await runProgram('admin', create, placeEnv())
    expect([refused.code, refused.output]).toEqual([1, ''])
    expect(refused.errors).toContain('SVC_KEY_PEPPER is missing')
    expect([...readdirSync(open.dataDir), ...readdirSync(workingDir)]).not.toContain('key-pepper')
    writeFileSync(join(workingDir, 'pepper'), `${'f00d'.repeat(8)}\n`)
    const made = await runProgram('admin', create, { ...placeEnv(), SVC_KEY_PEPPER_FILE: 'pepper' })
    expect([made.code, made.errors]).toEqual([0, ''])
  })

  test('a store of an earlier version is brought up to date by a command, which says what it applies', async () => {
    const drop = "drop table stored_response; delete from schema_migration where name like '0015%'"
    for (const sql of drop.split('; ')) await open.database.write([CompiledQuery.raw(sql)])
    const migrate = async (...words: string[]) => {
      const { code, output, errors } = await runProgram('admin', ['migrate', ...words, '--json'], placeEnv())
      expect([code, errors]).toEqual([0, ''])
      return JSON.parse(output) as Record<string, unknown>
    }
    const store = open.url === null ? open.dataDir : addressOf(open.url)
    expect(await migrate('--dry-run')).toEqual({ store, pending: ['0015-stored-responses.sql'] })
    expect((await runProgram('audit', [], placeEnv())).code).toBe(1)
    expect(await migrate()).toEqual({ store, applied: ['0015-stored-responses.sql'] })
    expect(await migrate()).toEqual({ store, applied: [] })
    expect((await runProgram('audit', [], placeEnv())).code).toBe(0)
  })

  test('one of an earlier version is left as it is', async () => {
    await open.database.write([CompiledQuery.raw("delete from schema_migration where name like '0012%'")])
    const versions = async () =>
      (await open.database.read.executeQuery(CompiledQuery.raw('select name from schema_migration'))).rows
    const before = await versions()
    const { code, errors } = await runProgram('audit', [], placeEnv())
    expect([code, errors]).toEqual([1, expect.stringContaining('was made by an earlier version. Nothing was changed')])
    expect(await versions()).toEqual(before)
  })
})

function addressOf(url: string): string {
  const address = new URL(url)
  address.password = ''
  address.search = ''
  return address.href
}
