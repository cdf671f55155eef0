/**
 * Records of old requests leave the database: the books are whole without them, and with the files all of it can be
 * proved again. Source: decision 0163 (records are archived, transfers stay).
 */
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { formatCheckpoint } from '@svc/contract/log/checkpoint'
import { archiveDeps } from '../packages/server/src/app/archive-actions.ts'
import { moreInvariants } from '../packages/server/src/app/audit-sources.ts'
import {
  digestOf,
  encodeFile,
  nameOfFile,
  readRequests,
  writeFileWhole,
} from '../packages/server/src/money/archive/archive-file.ts'
import {
  ARCHIVE_DAYS_MIN,
  archiveRequests,
  type ArchiveDeps,
} from '../packages/server/src/money/archive/archive-requests.ts'
import { ArchiveRuns } from '../packages/server/src/money/archive/archive-runs.ts'
import { ArchivedRecords } from '../packages/server/src/money/archive/archived-records.ts'
import { readWaiting } from '../packages/server/src/money/ledger-log/audit-log-store.ts'
import { readLogKeyFile } from '../packages/server/src/money/ledger-log/log-key-file.ts'
import { signNote } from '../packages/server/src/money/ledger-log/log-key.ts'
import { openLogStore } from '../packages/server/src/money/ledger-log/open-log-store.ts'
import { beginNewLog } from '../packages/server/src/money/ledger-log/recover-log.ts'
import { createArchiveStore } from '../packages/server/src/money/ledger/archive-store.ts'
import { runAudit } from '../packages/server/src/money/ledger/audit.ts'
import { systemClock } from '../packages/server/src/platform/runtime/clock.ts'
import { eventually } from '../packages/server/testing/eventually.ts'
import { capture } from '../packages/server/testing/ledger-operations.ts'
import { sendCompletion } from '../packages/server/testing/stub-upstream.ts'
import { describeEachEngine } from '../packages/server/testing/test-database.ts'
import { useGatewayPerTest } from '../packages/server/testing/use-gateway.ts'
import { useStubUpstream } from '../packages/server/testing/use-stub-upstream.ts'

const DAY_MS = 86_400_000
const body = { model: 'svc-gpt', messages: [{ role: 'user', content: 'Hello' }] }

describeEachEngine('an archive', (engine) => {
  const stub = useStubUpstream()
  const gateway = useGatewayPerTest(() => ({ engine, upstreamUrl: stub.url }))
  let folder = ''
  let ids: string[] = []
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'svc-archive-'))
    ids = []
    stub.onChat = (_call, response) => sendCompletion(response)
    await ask(3)
    stub.onChat = (_call, response) => void response.writeHead(400).end('{"error":{"message":"no"}}')
    await ask(2)
    stub.onChat = (_call, response) => sendCompletion(response)
    await ask(2)
    await putDown()
  })
  afterEach(() => rm(folder, { recursive: true }))

  const database = () => gateway.gateway.database
  const ask = async (count: number): Promise<void> => {
    for (let at = 0; at < count; at++) {
      const response = await gateway.chat(body)
      await response.text()
      ids.push(response.headers.get('x-request-id') ?? '')
    }
  }
  /** Waits until the ledger log has put down all that was booked. */
  const putDown = () => eventually(async () => expect(await Array.fromAsync(readWaiting(database().read))).toEqual([]))
  /** What a command has, so many days from now. */
  const deps = (days = ARCHIVE_DAYS_MIN + 1): ArchiveDeps =>
    archiveDeps(database(), { clock: { now: () => Date.now() + days * DAY_MS }, holder: 'this one' })
  const archive = (before = Date.now() + 1_000) => archiveRequests(deps(), { folder, before, isDryRun: false })
  const audit = async (withFolder: boolean) => {
    const files = await createArchiveStore(database()).listFiles()
    const keyFile = join(gateway.dataDir, 'ledger-log-key')
    const sources = { keyFile, dataDir: gateway.dataDir, archive: withFolder ? { folder, files } : null }
    const { rows } = await runAudit(database(), systemClock, moreInvariants(sources))
    return { rows, broken: rows.filter((row) => row.breaches > 0).map(({ name, examples }) => [name, ...examples]) }
  }
  const records = async () =>
    (await database().read.selectFrom('usage_record').select('usage_id').orderBy('usage_id').execute()).map(
      (row) => row.usage_id,
    )

  test('takes the records and leaves balance, totals, transfers and the log as they were', async () => {
    const totals = async () => ((await (await gateway.fetch('/v1/usage')).json()) as { totals: unknown }).totals
    const before = { balance: await gateway.balance(), totals: await totals() }
    const transfers = () => database().read.selectFrom('transfer').selectAll().orderBy('transfer_id').execute()
    const booked = await transfers()

    expect(await archiveRequests(deps(), { folder, before: Date.now() + 1_000, isDryRun: true })).toEqual({
      ...{ files: 1, requests: 7, bytes: 0 },
    })
    expect(await records()).toHaveLength(7)
    expect(await archive()).toMatchObject({ files: 1, requests: 7 })
    expect(await records()).toEqual([])
    expect(await database().read.selectFrom('hold').selectAll().execute()).toEqual([])

    expect(await transfers()).toEqual(booked)
    expect({ balance: await gateway.balance(), totals: await totals() }).toEqual(before)
    const without = await audit(false)
    expect(without.broken).toEqual([])
    expect(without.rows.find(({ name }) => name === 'ledger log')?.figures).toMatchObject({
      'leaves known by their seal': 7,
    })
    const whole = await audit(true)
    expect(whole.broken).toEqual([])
    expect(whole.rows.find(({ name }) => name === 'archive files')?.figures).toEqual({ files: 1, records: 7 })
    expect(whole.rows.find(({ name }) => name === 'ledger log')?.figures).not.toHaveProperty(
      'leaves known by their seal',
    )
  })

  test('goes on where it ended, and takes nothing twice', async () => {
    await archive()
    await ask(2)
    await putDown()
    expect((await audit(true)).broken).toEqual([])
    expect(await archive()).toMatchObject({ files: 1, requests: 2 })
    expect(await archive()).toEqual({ files: 0, requests: 0, bytes: 0 })
    expect((await audit(false)).broken).toEqual([])
    expect((await audit(true)).broken).toEqual([])
    const files = await createArchiveStore(database()).listFiles()
    const found = await new ArchivedRecords(folder, files).find(ids.at(-1) ?? '')
    expect(found?.record).toMatchObject({ usage_id: ids.at(-1), status: 'ok' })
    expect(typeof found?.record.charge).toBe('bigint')
  })

  test('says of a request that it is archived, and never charges one again', async () => {
    await archive()
    for (const path of ['/v1/usage/', '/v1/receipts/', '/v1/generation?id=']) {
      const response = await gateway.fetch(`${path}${ids[0]}`)
      expect(response.status).toBe(404)
      expect(await response.text()).toContain('Requests as old as this one are archived')
    }
    // A volume that comes back after months has its settlements: the charged and the free ones.
    const balance = await gateway.balance()
    const { accountId, keyId } = gateway
    const placed = {
      accountId,
      keyId,
      processId: 'gone',
      type: 'chat',
      model: 'svc-gpt',
      stream: false,
      placedAt: 1,
    } as const
    for (const id of ids) {
      const settlement = capture(id, 1_000n, { placed, now: Date.now() })
      expect(await gateway.gateway.ledger.submit(settlement)).toMatchObject({ kind: 'already_settled' })
    }
    expect(await gateway.balance()).toEqual(balance)
    expect((await audit(true)).broken).toEqual([])
  })

  test('is made by itself at night, by one process, of months that are old enough', async () => {
    const at = (month: number, hour: number): number => Date.UTC(new Date().getUTCFullYear(), month, 2, hour)
    const month = new Date().getUTCMonth()
    let now = at(month + 3, 2)
    const told: unknown[] = []
    const runs = (holder: string): ArchiveRuns =>
      new ArchiveRuns({
        ...archiveDeps(database(), { clock: { now: () => now }, holder }),
        ...{ folder, months: 2, onArchived: (result) => told.push(result), onFailed: (error) => told.push(error) },
      })
    const [one, other] = [runs('one'), runs('other')]
    // Due from the beginning of the month on, and only at night.
    expect(await one.overdueMs()).toBe(now - Date.UTC(new Date().getUTCFullYear(), month + 3, 1))
    now = at(month + 3, 6)
    await one.tick()
    now = at(month + 2, 2)
    expect(await one.overdueMs()).toBe(0)
    await one.tick()
    expect([told, (await records()).length]).toEqual([[], 7])
    now = at(month + 3, 2)
    await archiveDeps(database(), { clock: { now: () => now }, holder: 'a command' }).mayGoOn()
    await one.tick()
    expect([told, (await records()).length]).toEqual([[], 7])
    await archiveDeps(database(), { clock: { now: () => now }, holder: 'a command' }).release()
    await Promise.all([one.tick(), other.tick(), one.tick()])
    expect(told).toMatchObject([{ files: 1, requests: 7 }])
    expect([await records(), await one.overdueMs()]).toEqual([[], 0])
    expect((await audit(true)).broken).toEqual([])
    // A folder without the files is no archive of this database.
    stub.onChat = (_call, response) => sendCompletion(response)
    await ask(1)
    await putDown()
    await new ArchiveRuns({
      ...archiveDeps(database(), { clock: { now: () => now }, holder: 'lost' }),
      ...{ folder: join(folder, 'other'), months: 2 },
      ...{ onArchived: (result) => told.push(result), onFailed: (error) => told.push(error) },
    }).tick()
    expect(String(told.at(-1))).toContain('is not the folder of this archive')
    expect(await records()).toHaveLength(1)
  })

  test('leaves what a process that was overtaken has written apart from what is noted', async () => {
    await archive()
    const [noted] = await createArchiveStore(database()).listFiles()
    const whole = await readFile(join(folder, noted!.name))
    const requests = await readRequests(folder, noted!)
    const range = { file_id: noted!.file_id, first_id: noted!.first_id, last_id: noted!.last_id, requests: 6 }
    const bytes = encodeFile(range, requests.slice(0, 6))
    const name = nameOfFile({ fileId: noted!.file_id, sha256: digestOf(bytes) }, requests[0]!.record.started_at)
    await writeFileWhole(folder, name, bytes)
    expect(await readFile(join(folder, noted!.name))).toEqual(whole)
    expect((await audit(true)).broken).toEqual([])
  })

  test('is whole under a log that was begun anew', async () => {
    await archive()
    const keyFile = join(gateway.dataDir, 'ledger-log-key')
    const [signer] = readLogKeyFile(keyFile).signers
    const store = openLogStore(database())
    const log = await store.readLog()
    const beyond = { origin: log!.origin, size: log!.size + 5, root: new Uint8Array(32), extensions: [] }
    const note = signNote([signer!], formatCheckpoint(beyond))
    const recovery = { store, clock: systemClock, keyFile, newKeyFile: keyFile }
    expect(await beginNewLog(recovery, [note], 'The disk was lost.')).toMatchObject({ kind: 'done', size: log!.size })
    for (const withFolder of [false, true]) expect((await audit(withFolder)).broken).toEqual([])
  })

  test('finds a file that was changed or lost', async () => {
    await archive()
    const [file] = await createArchiveStore(database()).listFiles()
    const path = join(folder, file!.name)
    const whole = await readFile(path)
    await writeFile(path, Buffer.concat([whole.subarray(0, -1), Buffer.from([1])]))
    const changed = (await audit(true)).broken
    expect(changed.map(([name]) => name)).toContain('archive files')
    expect(String(changed)).toContain('has another content than when it was written')
    await rm(path)
    expect(String((await audit(true)).broken)).toContain(`is not in ${folder}`)
    await writeFile(path, whole)
    expect((await audit(true)).broken).toEqual([])
  })

  test('is refused for what is young, for another folder, and before the log has it', async () => {
    const before = Date.now() + 1_000
    const young = archiveRequests(deps(ARCHIVE_DAYS_MIN - 1), { folder, before, isDryRun: false })
    await expect(young).rejects.toThrow(`Requests of the last ${ARCHIVE_DAYS_MIN} days stay`)
    const early = { ...deps(), listWaiting: () => [`r${ids[0]}`] }
    const waiting = archiveRequests(early, { folder, before, isDryRun: false })
    await expect(waiting).rejects.toThrow('The ledger log has not put down all of these requests yet')
    expect(await records()).toHaveLength(7)
    await archive()
    await ask(1)
    await putDown()
    const other = join(folder, 'other')
    const mistyped = archiveRequests(deps(), { folder: other, before: Date.now() + 1_000, isDryRun: false })
    await expect(mistyped).rejects.toThrow(`${other} is not the folder of this archive`)
    expect(await records()).toHaveLength(1)
  })
})
