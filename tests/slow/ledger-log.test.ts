/**
 * A ledger log of 100,000 entries on each engine, as a gateway makes it: all of it is checked, its tiles are read over
 * HTTP, and whoever changes one row afterwards is named.
 */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openCheckpoint } from '@svc/contract/log/checkpoint'
import {
  isConsistent,
  proveConsistency,
  proveInclusion,
  readRoot,
  rootByInclusion,
} from '@svc/contract/log/merkle-proof'
import { nodeCrypto } from '@svc/contract/log/node-crypto'
import { parseVerifierKey } from '@svc/contract/log/signed-note'
import { nodesOfTiles, type Tile, tilePath, tileWidth } from '@svc/contract/log/tiles'
import { moreInvariants } from '../../packages/server/src/app/audit-sources.ts'
import { runAudit } from '../../packages/server/src/money/ledger/audit.ts'
import { openDatabase, type OpenDatabase } from '../../packages/server/src/platform/db/open-database.ts'
import { systemClock } from '../../packages/server/src/platform/runtime/clock.ts'
import { type BreakableDatabase, openBreakableDatabase } from '../../packages/server/testing/breakable-database.ts'
import { eventually } from '../../packages/server/testing/eventually.ts'
import { CHECKPOINT_WORKER, type FreshDatabase } from '../../packages/server/testing/fresh-database.ts'
import { type GatewayRig, openGatewayRig, wideLimits } from '../../packages/server/testing/gateway-rig.ts'
import { capture, grant, placeHold } from '../../packages/server/testing/ledger-operations.ts'
import { rewriteLog, type StolenBatch } from '../../packages/server/testing/log-thief.ts'
import { seedCaller } from '../../packages/server/testing/seed-caller.ts'
import { describeEachEngine, makeTestDatabase, type TestDatabase } from '../../packages/server/testing/test-database.ts'

/** `SVC_TEST_ROUNDS` asks for fewer, or more. */
const TRANSFERS = Number(process.env['SVC_TEST_ROUNDS'] ?? 100_000)
const CHARGES = Math.floor(TRANSFERS / 10)
const AT_ONCE = 500
const HOUR = { timeout: 3_600_000 }
const { sha256 } = nodeCrypto

const idOf = (at: number): string => `transfer-${String(at).padStart(6, '0')}`
/** Neither the first nor the last, and within a batch. */
const VICTIM = Math.floor(TRANSFERS * 0.4)

const PLANT = `insert into transfer select 'planted', account_id, kind, hold_id, funding, charge, write_off, cost, margin,
  reason, created_at from transfer where transfer_id = '${idOf(VICTIM)}'`

/** What a hand does to one row, and to the batches where it makes the log match. */
const THEFTS: readonly {
  readonly what: string
  readonly sql: string
  readonly named: string
  /** What the first breach says, where it may name another of the rows. */
  readonly first?: string
  readonly change: (batches: StolenBatch[]) => void
}[] = [
  {
    what: 'one nanocredit more',
    sql: `update transfer set funding = funding + 1 where transfer_id = '${idOf(VICTIM)}'`,
    named: idOf(VICTIM),
    change: () => undefined,
  },
  {
    what: 'one row less',
    sql: `delete from transfer where transfer_id = '${idOf(VICTIM)}'`,
    named: idOf(VICTIM),
    change: (batches) => {
      const { batch, at } = placeOf(batches, `t${idOf(VICTIM)}`)
      batch.entries.splice(at, 1)
    },
  },
  {
    what: 'one row more',
    sql: PLANT,
    named: 'planted',
    change: (batches) => {
      const { batch, at } = placeOf(batches, `t${idOf(VICTIM)}`)
      batch.entries.splice(at, 0, { entry: 'tplanted', salts: new Uint8Array(32) })
    },
  },
  {
    what: 'two rows in each other’s place',
    sql: 'select 1',
    ...{ named: idOf(VICTIM), first: 'was put down as leaf' },
    change: (batches) => {
      const { batch, at } = placeOf(batches, `t${idOf(VICTIM)}`)
      const other = at === 0 ? 1 : at - 1
      const [left, right] = [batch.entries[at]!, batch.entries[other]!]
      batch.entries[at] = right
      batch.entries[other] = left
    },
  },
]

function placeOf(batches: readonly StolenBatch[], wanted: string): { batch: StolenBatch; at: number } {
  for (const batch of batches) {
    const at = batch.entries.findIndex(({ entry }) => entry === wanted)
    if (at >= 0) return { batch, at }
  }
  throw new Error(`${wanted} is in no batch`)
}

describeEachEngine(`a ledger log of ${TRANSFERS} entries`, (engine) => {
  let fresh: FreshDatabase
  let rig: GatewayRig
  let database: OpenDatabase
  let hand: BreakableDatabase
  let note = ''
  let keyFile = ''
  beforeAll(async () => {
    fresh = await makeTestDatabase(engine)
    rig = await openGatewayRig({
      database: fresh,
      file: { limits: wideLimits },
      env: { SVC_PORT: '0', SVC_LOG_LEVEL: 'warn', SVC_PUBLISH_LOG: 'true' },
    })
    keyFile = `${fresh.place.dataDir}/ledger-log-key`
  })
  afterAll(async () => {
    await hand?.close()
    await database?.close()
    await rig?.close()
  })

  test('is built by a gateway beside its work, and its tiles lead to what is signed', HOUR, async () => {
    const started = performance.now()
    const { gateway, origin } = await rig.startLocal({ clock: systemClock, onLine: () => undefined })
    const caller = await seedCaller(gateway.database)
    const before = await sizeOf(gateway.database)
    const submit = async (operations: readonly Parameters<typeof gateway.ledger.submit>[0][]): Promise<void> => {
      for (let at = 0; at < operations.length; at += AT_ONCE) {
        await Promise.all(operations.slice(at, at + AT_ONCE).map((operation) => gateway.ledger.submit(operation)))
      }
    }
    await submit(
      Array.from({ length: TRANSFERS - CHARGES }, (_value, at) =>
        grant(caller.accountId, 10_000n + BigInt(at), { transferId: idOf(at) }),
      ),
    )
    await submit(
      Array.from({ length: CHARGES }, (_value, at) => placeHold(caller, { holdId: `hold-${at}`, fixed: 500n })),
    )
    await submit(Array.from({ length: CHARGES }, (_value, at) => capture(`hold-${at}`, 400n)))
    await eventually(async () => expect(await sizeOf(gateway.database)).toBe(before + TRANSFERS), 600_000)
    const built = performance.now()

    const get = (path: string) => fetch(`${origin}/api/log/${path}`)
    const [line = ''] = (await (await get('key')).text()).split('\n')
    const key = parseVerifierKey(sha256, line)!
    await eventually(async () => {
      note = await (await get('checkpoint')).text()
      expect(openCheckpoint(nodeCrypto, note, [key])?.size).toBe(before + TRANSFERS)
    }, 60_000)
    const head = openCheckpoint(nodeCrypto, note, [key])!
    const tiles = new Map<string, Uint8Array>()
    for (let level = 0; tileWidth(level, 0, head.size) > 0; level++) {
      for (let index = 0; tileWidth(level, index, head.size) > 0; index++) {
        const path = tilePath({ level, index, width: tileWidth(level, index, head.size) })
        const response = await get(path)
        expect([path, response.status]).toEqual([path, 200])
        tiles.set(path, new Uint8Array(await response.arrayBuffer()))
      }
    }
    const readTile = (tile: Tile) => Promise.resolve(tiles.get(tilePath(tile)) ?? new Uint8Array())
    const source = { sha256, readNode: nodesOfTiles(sha256, head.size, readTile) }
    expect(await readRoot(source, head.size)).toEqual(head.root)
    for (let index = 0; index < head.size; index += 97) {
      const width = tileWidth(0, Math.floor(index / 256), head.size)
      const tile = tiles.get(tilePath({ level: 0, index: Math.floor(index / 256), width }))!
      const leaf = tile.subarray((index % 256) * 32, (index % 256) * 32 + 32)
      const hashes = await proveInclusion(source, index, head.size)
      expect(rootByInclusion(sha256, leaf, { index, size: head.size, hashes })).toEqual(head.root)
      const proof = await proveConsistency(source, index + 1, head.size)
      const smaller = { size: index + 1, root: await readRoot(source, index + 1) }
      expect(isConsistent(sha256, { before: smaller, after: head }, proof)).toBe(true)
    }
    await gateway.stop()
    console.log(
      `${engine}: ${head.size} leaves, ${tiles.size} tiles; booked and put down in ${seconds(started, built)} s, ` +
        `tiles read and proofs checked in ${seconds(built, performance.now())} s`,
    )
  })

  const seconds = (from: number, to: number): string => ((to - from) / 1_000).toFixed(1)

  const sizeOf = async ({ read }: OpenDatabase): Promise<number> =>
    (await read.selectFrom('ledger_log').select('size').executeTakeFirst())?.size ?? 0

  const audit = async () => {
    const checkpoints = moreInvariants({ keyFile, dataDir: fresh.place.dataDir })
    const report = await runAudit(database, systemClock, checkpoints)
    return report.rows.find(({ name }) => name === 'ledger log')!
  }

  test('is found in order by the audit, leaf by leaf', HOUR, async () => {
    database = await openDatabase({ ...fresh.place, checkpointWorker: CHECKPOINT_WORKER })
    const started = performance.now()
    expect(await audit()).toMatchObject({ breaches: 0, figures: { waiting: 0 } })
    console.log(`${engine}: audit of the log in ${seconds(started, performance.now())} s`)
    hand = await openBreakableDatabase({ ...fresh.place, database } as TestDatabase)
  })

  test.each(THEFTS)('$what is named', HOUR, async ({ what, sql, named, first = named, change }) => {
    const undo = await hand.breakTable('transfer', sql)
    if (sql !== 'select 1') {
      const { examples } = await audit()
      expect([what, examples[0]]).toEqual([what, expect.stringContaining(named)])
    }
    // The same, by a thief who makes tiles, numbers, balances and roots match.
    const logged = ['ledger_log_batch', 'ledger_log_tile', 'ledger_log_account', 'ledger_log'] as const
    const undoLog = []
    for (const table of logged) undoLog.push(await hand.breakTable(table, 'select 1'))
    await rewriteLog({ database, ...fresh.place } as TestDatabase, hand, change)
    const { examples } = await audit()
    const breach = examples.find((example) => example.includes('leaf') || example.includes('was '))
    expect([what, breach]).toEqual([what, expect.stringContaining(first)])
    expect(examples.join('\n')).toContain(named)
    for (const each of [...undoLog, undo]) await each()
    expect(await audit()).toMatchObject({ breaches: 0 })
  })
})
