/** A key that is lost, and a log of which a part is lost: what an operator does, and what everybody can check then. */
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { formatCheckpoint } from '@svc/contract/log/checkpoint'
import { EMPTY_EDGE, growTree } from '@svc/contract/log/merkle-tree'
import { nodeCrypto } from '@svc/contract/log/node-crypto'
import { watchLog } from '@svc/contract/log/watch-log'
import { formatVerifierKey } from '@svc/contract/log/signed-note'
import { openBreakableDatabase } from '../../../testing/breakable-database.ts'
import { capture, grant, placeHold, release } from '../../../testing/ledger-operations.ts'
import { seedCaller, type SeededCaller } from '../../../testing/seed-caller.ts'
import { describeEachEngine, openTestDatabase, type TestDatabase } from '../../../testing/test-database.ts'
import { checkpointFile, LOG_NAME, openTestLog } from '../../../testing/test-log.ts'
import { createId } from '../../platform/runtime/ids.ts'
import { archiveRequests } from '../archive/archive-requests.ts'
import { ArchivedRecords } from '../archive/archived-records.ts'
import { createArchiveStore } from '../ledger/archive-store.ts'
import { runAudit } from '../ledger/audit.ts'
import { logInvariant } from './audit-log.ts'
import type { CheckpointFile } from './checkpoint-file.ts'
import { packRoots } from './extend-log.ts'
import { makeLogKeyFile, readLogKeyFile } from './log-key-file.ts'
import { signNote } from './log-key.ts'
import { openLogStore } from './open-log-store.ts'
import { beginNewLog, replaceLogKey } from './recover-log.ts'

const NOW = Date.UTC(2026, 10, 30, 16, 20, 1, 500)
const REASON = 'The disk of the gateway was lost.'

describeEachEngine('a ledger log after a loss', (engine) => {
  let open: TestDatabase
  let caller: SeededCaller
  let folder = ''
  let keyFile = ''
  beforeEach(async () => {
    open = await openTestDatabase(engine)
    caller = await seedCaller(open.database)
    folder = mkdtempSync(join(tmpdir(), 'svc-log-key-'))
    keyFile = join(folder, 'ledger-log-key')
    makeLogKeyFile(keyFile, LOG_NAME)
  })
  afterEach(async () => {
    await open.close()
    rmSync(folder, { recursive: true, force: true })
  })

  const recovery = (newKeyFile = keyFile) => ({
    ...{ store: openLogStore(open.database), clock: { now: () => NOW } },
    ...{ keyFile, newKeyFile },
  })

  /** A gateway that starts, books so many grants one by one, and stops. */
  async function run(grants: number, file: CheckpointFile = checkpointFile()) {
    const { signers } = readLogKeyFile(keyFile)
    const log = openTestLog(open.database, { signers, file, forgets: true })
    for (let n = 0; n < grants; n++) await log.ledger.submit(grant(caller.accountId, 7n))
    await log.log.close()
    const published = await log.log.published()
    return { ...log, note: published?.note ?? '', size: published?.size ?? 0 }
  }

  const audit = async (notes: readonly string[], keys = readLogKeyFile(keyFile)) => {
    const checkpoints = notes.map((note, at) => ({ name: `kept ${at}`, note }))
    const report = await runAudit(open.database, undefined, [logInvariant({ ...keys, checkpoints })])
    return report.rows.find(({ name }) => name === 'ledger log')!
  }

  /** What someone finds who has kept checkpoints, and believes these keys. */
  async function watch(note: string, kept: readonly string[], keys: readonly ReturnType<typeof keyOf>[]) {
    const store = openLogStore(open.database)
    const readTile = async (tile: Parameters<typeof store.readTile>[0]) =>
      new Uint8Array((await store.readTile(tile)) ?? new Uint8Array())
    const named = kept.map((each, at) => ({ name: `kept ${at}`, note: each }))
    return (await watchLog(nodeCrypto, { keys, kept: named, note, readTile })).finding
  }
  const keyOf = () => readLogKeyFile(keyFile).signers[0]!.key

  test('a new key goes on with the log, says so in each checkpoint, and what the old one has signed holds', async () => {
    const file = checkpointFile()
    const before = await run(3, file)
    const old = keyOf()
    expect(await replaceLogKey(recovery(), REASON)).toEqual({ kind: 'key_is_there' })
    rmSync(keyFile)
    expect((await run(2, file)).refusals).toEqual(['no_key'])

    const done = await replaceLogKey(recovery(), REASON)
    expect(done).toMatchObject({ kind: 'done', origin: LOG_NAME, size: 3 })
    expect(statSync(keyFile).mode & 0o777).toBe(0o600)
    expect(readFileSync(keyFile, 'utf8')).toContain(formatVerifierKey(old))
    const after = await run(1, file)
    expect([after.refusals, after.size]).toEqual([[], 6])
    const hex = (key: typeof old): string => Buffer.from(key.keyId).toString('hex')
    const statement = `new key ${hex(keyOf())} replaces ${hex(old)} from 3 at 2026-11-30T16:20:01Z: ${REASON}`
    expect(after.note.split('\n')[3]).toBe(statement)
    expect((await after.log.keys()).map(formatVerifierKey)).toEqual([keyOf(), old].map(formatVerifierKey))

    expect(await watch(after.note, [before.note], [old])).toBe('unknown_key')
    expect(await watch(after.note, [before.note], [old, keyOf()])).toBe('extended')
    const again = await run(1, file)
    expect(again.note).toContain(statement)
    expect(await audit([before.note, after.note, again.note])).toMatchObject({
      breaches: 0,
      figures: { leaves: 7, checkpoints: 4, 'leaves whose seal has no key here': 3 },
    })
  })

  test('a log whose backup was restored goes on as another one, which keeps what is left and names what it replaces', async () => {
    const file = checkpointFile()
    const early = await run(3, file)
    // The backup has the first three; two more were published.
    const lost = await run(2, file)
    const old = keyOf()
    const hand = await openBreakableDatabase(open)
    await restore(hand)
    await hand.close()
    const refused = await run(1, file)
    expect([refused.refusals, refused.note]).toEqual([['shorter'], ''])

    const done = await beginNewLog(recovery(), [file.note!], REASON)
    expect(done).toMatchObject({ kind: 'done', origin: `${LOG_NAME}/2`, size: 3 })
    expect(await beginNewLog(recovery(), [file.note!], REASON)).toEqual({ kind: 'in_order' })
    const after = await run(2, file)
    expect([after.refusals, after.size]).toEqual([[], 6])
    expect(after.note.split('\n')[3]).toMatch(
      new RegExp(`^new log replaces ${LOG_NAME} of 5 .{44} from 3 at 2026-11-30T16:20:01Z: ${REASON}$`),
    )
    const keys = [old, keyOf()]
    expect(await watch(after.note, [early.note], keys)).toBe('replaced')
    expect(await watch(after.note, [lost.note], keys)).toBe('replaced')
    expect(await watch(after.note, [lost.note], [old])).toBe('other_log')
    const later = await run(1, file)
    expect(await watch(later.note, [lost.note, after.note], keys)).toBe('extended')
    expect(await audit([early.note, lost.note, after.note])).toMatchObject({
      breaches: 0,
      // What was lost leads nowhere, and is no breach.
      figures: { leaves: 7, checkpoints: 3 },
    })
  })

  test('a log whose old records are archived goes on as another one, and is proved with the files and without', async () => {
    const file = checkpointFile()
    await run(2, file)
    const { signers } = readLogKeyFile(keyFile)
    const requests = openTestLog(open.database, { signers, file })
    for (const charge of [3n, 2n, 0n]) {
      const holdId = createId(NOW)
      await requests.ledger.submit(placeHold(caller, { holdId, fixed: 4n, now: NOW }))
      await requests.ledger.submit({ ...(charge === 0n ? release(holdId) : capture(holdId, charge)), now: NOW })
    }
    await requests.log.close()
    const archive = join(folder, 'archive')
    const store = createArchiveStore(open.database)
    const year = { now: () => NOW + 366 * 86_400_000 }
    const wish = { folder: archive, before: NOW + 1, isDryRun: false }
    const archived = await archiveRequests(
      {
        store,
        clock: year,
        listWaiting: () => [],
        mayGoOn: () => Promise.resolve(true),
        release: () => Promise.resolve(),
      },
      wish,
    )
    expect(archived.requests).toBe(3)

    // What a part that is lost had published.
    const lost = { origin: LOG_NAME, size: 9, root: new Uint8Array(32), extensions: [] }
    file.note = signNote(signers, formatCheckpoint(lost))
    expect((await run(1, file)).refusals).toEqual(['shorter'])
    expect(await beginNewLog(recovery(), [file.note], REASON)).toMatchObject({ kind: 'done', origin: `${LOG_NAME}/2` })
    const after = await run(2, file)
    expect([after.refusals, after.size]).toEqual([[], 8])
    const records = new ArchivedRecords(archive, await store.listFiles())
    for (const findArchived of [null, (ids: readonly string[]) => records.findRecords(ids)]) {
      const invariant = logInvariant({ ...readLogKeyFile(keyFile), checkpoints: [], findArchived })
      const { rows } = await runAudit(open.database, undefined, [invariant])
      expect(rows.find(({ name }) => name === 'ledger log')).toMatchObject({ examples: [], figures: { leaves: 8 } })
    }
  })

  test('nothing is begun where the log is in order, where there is none, and where it contradicts itself', async () => {
    expect(await beginNewLog(recovery(), [], REASON)).toEqual({ kind: 'no_log' })
    expect(await replaceLogKey(recovery(), REASON)).toEqual({ kind: 'no_log' })
    const { note } = await run(2)
    expect(await beginNewLog(recovery(), [note], REASON)).toEqual({ kind: 'in_order' })
    const hand = await openBreakableDatabase(open)
    await hand.run('update ledger_log set size = 1')
    await hand.close()
    expect(await beginNewLog(recovery(), [note], REASON)).toEqual({ kind: 'broken' })
  })

  test('an attempt that stopped between the file and the database is taken up with the same key', async () => {
    await run(1)
    rmSync(keyFile)
    const elsewhere = join(folder, 'new-key')
    const first = await replaceLogKey(recovery(elsewhere), REASON)
    const text = readFileSync(elsewhere, 'utf8')
    const hand = await openBreakableDatabase(open)
    await hand.run(`delete from ledger_log_key where since_size = 1`)
    await hand.run(`update ledger_log set statements = ''`)
    await hand.close()
    expect(await replaceLogKey(recovery(elsewhere), REASON)).toEqual(first)
    expect(readFileSync(elsewhere, 'utf8')).toBe(text)
  })

  test('what was stated and is gone from the database is found by who has the checkpoint', async () => {
    const file = checkpointFile()
    await run(1, file)
    rmSync(keyFile)
    await replaceLogKey(recovery(), REASON)
    const { note } = await run(1, file)
    const hand = await openBreakableDatabase(open)
    await hand.run(`update ledger_log set statements = ''`)
    await hand.close()
    expect((await audit([note])).examples).toContain('kept 0 states what the log does not state any more')
    expect((await run(1, file)).refusals).toEqual(['differs'])
  })

  test.each([
    ['a line that is no key', 'nothing\n'],
    ['no key that signs', '# nothing\n'],
  ])('a file with %s is refused by its name', (_what, text) => {
    writeFileSync(keyFile, text)
    expect(() => readLogKeyFile(keyFile)).toThrow('PRIVATE+KEY+')
  })

  /** Takes the database back to its first three leaves: what a backup of then holds. */
  async function restore(hand: Awaited<ReturnType<typeof openBreakableDatabase>>): Promise<void> {
    const store = openLogStore(open.database)
    const tile = (await store.readTile({ level: 0, index: 0, width: 3 })) ?? new Uint8Array()
    const leaves = [0, 32, 64].map((from) => tile.subarray(from, from + 32))
    const roots = packRoots(growTree(nodeCrypto.sha256, EMPTY_EDGE, leaves))
    const literal = (bytes: Uint8Array): string => {
      const hex = Buffer.from(bytes).toString('hex')
      return engine === 'postgres' ? `'\\x${hex}'::bytea` : `x'${hex}'`
    }
    const { entries } = await open.database.read
      .selectFrom('ledger_log_batch')
      .select('entries')
      .where('first_index', '=', 0)
      .executeTakeFirstOrThrow()
    const kept = entries.split('\n').map((line) => (JSON.parse(line.split(' ')[0]!) as string).slice(1))
    await hand.breakTable('transfer', `delete from transfer where transfer_id not in ('${kept.join("','")}')`)
    await hand.run('delete from ledger_log_batch where first_index > 0')
    await hand.run(`update ledger_log_tile set hashes = ${literal(tile)}`)
    await hand.run(`update ledger_log_account set number = 3, posted = 21`)
    await hand.run(`update ledger_log set size = 3, roots = ${literal(roots)}, checkpoint = null, signed_size = 0`)
  }
})
