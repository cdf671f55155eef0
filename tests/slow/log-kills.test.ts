/** Three processes book and keep one ledger log on PostgreSQL, and are killed at random: there is one log, and it is whole. */
import { spawn } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { describe, expect, test } from 'vitest'
import { openCheckpoint, type SignedCheckpoint } from '@svc/contract/log/checkpoint'
import { readRoot } from '@svc/contract/log/merkle-proof'
import { nodeCrypto } from '@svc/contract/log/node-crypto'
import { nodesOfTiles } from '@svc/contract/log/tiles'
import { logInvariant } from '../../packages/server/src/money/ledger-log/audit-log.ts'
import { openCheckpointFile } from '../../packages/server/src/money/ledger-log/checkpoint-file.ts'
import { makeLogKeyFile, readLogKeyFile } from '../../packages/server/src/money/ledger-log/log-key-file.ts'
import { runAudit } from '../../packages/server/src/money/ledger/audit.ts'
import { openDatabase, type OpenDatabase } from '../../packages/server/src/platform/db/open-database.ts'
import { systemClock } from '../../packages/server/src/platform/runtime/clock.ts'
import { CHECKPOINT_WORKER, makePostgresDatabase } from '../../packages/server/testing/fresh-database.ts'
import { createRandom } from '../../packages/server/testing/random.ts'
import { seedCaller } from '../../packages/server/testing/seed-caller.ts'
import { TEMPLATE_DATABASE } from '../../packages/server/testing/template-database.ts'
import { findPostgres } from '../../packages/server/testing/test-database.ts'
import { LOG_NAME, openTestLog } from '../../packages/server/testing/test-log.ts'

/** `SVC_TEST_ROUNDS` asks for fewer, or more. */
const KILLS = Number(process.env['SVC_TEST_ROUNDS'] ?? 200)
const PROCESSES = 3
/** A process lives so long at most once it has booked something, in milliseconds. */
const LIFE_MS = 3_000
const HOUR = { timeout: 3_600_000 }
const PROGRAM = join(import.meta.dirname, 'log-process.ts')
const { sha256 } = nodeCrypto

/** What processes have said to be durable. */
interface Said {
  readonly booked: Set<string>
  readonly notes: Set<string>
  readonly refusals: string[]
  readonly other: string[]
}

describe.skipIf(findPostgres() === null)('a ledger log of three processes that are killed', () => {
  const random = createRandom()

  test(`is one, has each entry once, and a restored backup is refused (seed ${random.seed})`, HOUR, async () => {
    const admin = findPostgres() ?? ''
    const fresh = await makePostgresDatabase(admin, { template: TEMPLATE_DATABASE })
    const folders = Array.from({ length: PROCESSES }, () => mkdtempSync(join(tmpdir(), 'svc-log-')))
    const keyFile = join(folders[0]!, 'key')
    makeLogKeyFile(keyFile, LOG_NAME)
    const said: Said = { booked: new Set(), notes: new Set(), refusals: [], other: [] }
    const open = (url: string | null): Promise<OpenDatabase> =>
      openDatabase({ ...fresh.place, url, checkpointWorker: CHECKPOINT_WORKER })

    const seeding = await open(fresh.place.url)
    const accounts = [await seedCaller(seeding), await seedCaller(seeding)].map(({ accountId }) => accountId)
    await seeding.close()

    /** Starts a process, and kills it at a moment after its first word. */
    async function liveOnce(folder: string): Promise<void> {
      const child = spawn(process.execPath, [PROGRAM, fresh.place.url ?? '', folder, keyFile, ...accounts], {
        stdio: ['ignore', 'pipe', 'pipe'],
      })
      child.stderr.setEncoding('utf8').on('data', (text: string) => said.other.push(text))
      let isDoomed = false
      createInterface({ input: child.stdout }).on('line', (line) => {
        note(line)
        if (isDoomed) return
        isDoomed = true
        setTimeout(() => child.kill('SIGKILL'), random.below(LIFE_MS))
      })
      const signal = await new Promise((resolve) => child.once('close', (_code, by) => resolve(by)))
      expect([signal, said.other]).toEqual(['SIGKILL', []])
    }

    function note(line: string): void {
      const [word, value = ''] = line.split(' ')
      if (word === 'booked') said.booked.add(value)
      else if (word === 'signed') said.notes.add(Buffer.from(value, 'base64').toString())
      else if (word === 'refused') said.refusals.push(value)
      // A line that a kill has cut says nothing.
      else if (word === 'missing') said.other.push(line)
    }

    async function kill(times: number): Promise<void> {
      let left = times
      await Promise.all(
        folders.map(async (folder) => {
          while (left-- > 0) await liveOnce(folder)
        }),
      )
    }

    await kill(Math.floor(KILLS / 2))
    const backup = await makePostgresDatabase(admin, { template: new URL(fresh.place.url ?? '').pathname.slice(1) })
    await kill(Math.ceil(KILLS / 2))
    expect(said.refusals).toEqual([])

    // One that nobody kills puts down what is left.
    const database = await open(fresh.place.url)
    const { signers } = readLogKeyFile(keyFile)
    const later = () => Date.now() + 100 * 365 * 86_400_000
    const last = openTestLog(database, { signers, now: later, forgets: true })
    await last.log.tick()
    expect([last.refusals, await last.store.countPending()]).toEqual([[], 0])

    const rows = await database.read.selectFrom('ledger_log_batch').select('entries').orderBy('first_index').execute()
    const leaves = rows.flatMap(({ entries }) =>
      entries.split('\n').map((line) => JSON.parse(line.split(' ')[0]!) as string),
    )
    const transfers = await database.read.selectFrom('transfer').select('transfer_id').execute()
    expect(new Set(leaves).size).toBe(leaves.length)
    expect(new Set(leaves)).toEqual(new Set(transfers.map(({ transfer_id: id }) => `t${id}`)))
    expect([...said.booked].filter((id) => !leaves.includes(`t${id}`))).toEqual([])

    const keys = signers.map(({ key }) => key)
    const checkpoints = [...said.notes].map((text) => openCheckpoint(nodeCrypto, text, keys) as SignedCheckpoint)
    const readTile = async (tile: Parameters<typeof last.store.readTile>[0]) =>
      (await last.store.readTile(tile)) ?? new Uint8Array()
    const source = { sha256, readNode: nodesOfTiles(sha256, leaves.length, readTile) }
    for (const { size, root } of checkpoints) {
      expect([size, Buffer.from(await readRoot(source, size)).toString('hex')]).toEqual([
        size,
        Buffer.from(root).toString('hex'),
      ])
    }
    const kept = checkpoints.map(({ note: text, size }) => ({ name: `of ${size}`, note: text }))
    const report = await runAudit(database, systemClock, [logInvariant({ signers, checkpoints: kept })])
    expect(report.rows.find(({ name }) => name === 'ledger log')).toMatchObject({ breaches: 0 })
    await database.close()

    // The backup of half the way, with the data folders that have gone on.
    const restored = await open(backup.place.url)
    for (const folder of folders) {
      const file = openCheckpointFile(join(folder, 'ledger-log-checkpoint'))
      const refused = openTestLog(restored, { signers, file, now: later })
      const before = await refused.store.readLog()
      await refused.log.tick()
      expect([refused.refusals, await refused.log.published()]).toEqual([['shorter'], null])
      expect(await refused.store.readLog()).toMatchObject({ size: before?.size, checkpoint: before?.checkpoint })
      expect(readFileSync(join(folder, 'ledger-log-checkpoint'), 'utf8')).toContain(LOG_NAME)
    }
    await restored.close()
    console.log(`${KILLS} kills, ${leaves.length} leaves, ${checkpoints.length} checkpoints that were given out`)
    await backup.remove()
    await fresh.remove()
    for (const folder of folders) rmSync(folder, { recursive: true, force: true })
  })
})
