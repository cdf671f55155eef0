/** Ten million leaves in the tiles of a real store: how large they are, and what one proof takes. docs/ledger-log.md says it. */
import { DatabaseSync } from 'node:sqlite'
import { expect, test } from 'vitest'
import { proveConsistency, proveInclusion, readRoot, rootByInclusion } from '@svc/contract/log/merkle-proof'
import { EMPTY_EDGE, hashLeaf, rootOf } from '@svc/contract/log/merkle-tree'
import { nodesOfTiles, type Tile } from '@svc/contract/log/tiles'
import { sha256 } from '../../packages/server/src/money/ledger-log/entry-facts.ts'
import { growTiles, type StoredTile } from '../../packages/server/src/money/ledger-log/extend-log.ts'
import { openLogStore } from '../../packages/server/src/money/ledger-log/open-log-store.ts'
import { openPostgresSession } from '../../packages/server/testing/postgres-session.ts'
import { createRandom } from '../../packages/server/testing/random.ts'
import { describeEachEngine, openTestDatabase, type TestDatabase } from '../../packages/server/testing/test-database.ts'

/** `SVC_TEST_ROUNDS` asks for fewer, or more. */
const LEAVES = Number(process.env['SVC_TEST_ROUNDS'] ?? 10_000_000)
/** Leaves that are put down together: far more than a gateway does, whose tiles come out the same. */
const TOGETHER = 25_600
const PROOFS = 1_000
const HOUR = { timeout: 3_600_000 }

function leafOf(index: number): Uint8Array {
  const data = Buffer.alloc(8)
  data.writeUInt32BE(index)
  return hashLeaf(sha256, data)
}

/** Writes tiles where the log has them. */
interface TileWriter {
  write(tiles: readonly StoredTile[]): Promise<void>
  /** Bytes on the disk, with everything that the store adds. */
  size(): Promise<number>
  close(): Promise<void>
}

function openFile({ dataDir }: TestDatabase): TileWriter {
  const connection = new DatabaseSync(`${dataDir}/svc.db`, { timeout: 5_000 })
  const put = connection.prepare(
    `insert into ledger_log_tile (level, tile_index, hashes) values (?, ?, ?)
     on conflict (level, tile_index) do update set hashes = excluded.hashes`,
  )
  return {
    write: async (tiles) => {
      connection.exec('begin immediate')
      for (const { level, index, hashes } of tiles) put.run(level, index, hashes)
      connection.exec('commit')
    },
    size: async () => {
      const row = connection.prepare(`select sum(pgsize) as bytes from dbstat where name = 'ledger_log_tile'`).get()
      return Number(row?.['bytes'])
    },
    close: async () => connection.close(),
  }
}

async function openServer(url: string): Promise<TileWriter> {
  const session = await openPostgresSession(url)
  return {
    write: async (tiles) => {
      const values = tiles.map(
        ({ level, index, hashes }) => `(${level}, ${index}, '\\x${Buffer.from(hashes).toString('hex')}'::bytea)`,
      )
      await session.query(
        `insert into ledger_log_tile (level, tile_index, hashes) values ${values.join(',')}
         on conflict (level, tile_index) do update set hashes = excluded.hashes`,
      )
    },
    size: async () => {
      const [row] = await session.query(`select pg_total_relation_size('ledger_log_tile') as bytes`)
      return Number(row?.['bytes'])
    },
    close: () => session.close(),
  }
}

describeEachEngine(`${LEAVES} leaves`, (engine) => {
  test('are tiles of 32 bytes a leaf and little more, and a proof reads few of them', HOUR, async () => {
    const open = await openTestDatabase(engine)
    const writer = open.url === null ? openFile(open) : await openServer(open.url)
    let edge = EMPTY_EDGE
    let partials = new Map<number, Uint8Array>()
    let bytes = 0
    const started = process.cpuUsage()
    while (edge.size < LEAVES) {
      const from = edge.size
      const leaves = Array.from({ length: Math.min(TOGETHER, LEAVES - from) }, (_value, at) => leafOf(from + at))
      const { grown, tiles } = growTiles({ edge, partials }, leaves)
      await writer.write(tiles)
      // A later tile of a level takes the place of the one before.
      partials = new Map([...partials, ...tiles.map(({ level, hashes }): [number, Uint8Array] => [level, hashes])])
      for (const [level, hashes] of partials) if (hashes.length === 8_192) partials.delete(level)
      bytes += tiles.reduce((sum, { hashes }) => sum + (hashes.length === 8_192 ? hashes.length : 0), 0)
      edge = grown
    }
    const built = process.cpuUsage(started)
    for (const hashes of partials.values()) bytes += hashes.length
    const stored = await writer.size()
    await writer.close()

    const store = openLogStore(open.database)
    const random = createRandom()
    const root = rootOf(sha256, edge)
    let reads = 0
    const readTile = async (tile: Tile): Promise<Uint8Array> => {
      reads++
      return (await store.readTile(tile)) ?? new Uint8Array()
    }
    const sourceOf = () => ({ sha256, readNode: nodesOfTiles(sha256, LEAVES, readTile) })
    expect(Buffer.from(await readRoot(sourceOf(), LEAVES))).toEqual(root)
    reads = 0
    const [cpu, clock] = [process.cpuUsage(), performance.now()]
    for (let n = 0; n < PROOFS; n++) {
      const index = random.below(LEAVES)
      const hashes = await proveInclusion(sourceOf(), index, LEAVES)
      expect(rootByInclusion(sha256, leafOf(index), { index, size: LEAVES, hashes })).toEqual(root)
    }
    const [took, span, tilesRead] = [process.cpuUsage(cpu), performance.now() - clock, reads / PROOFS]
    reads = 0
    for (let n = 0; n < PROOFS; n++) await proveConsistency(sourceOf(), 1 + random.below(LEAVES - 1), LEAVES)
    console.log(
      [
        `${engine}: ${LEAVES} leaves are ${bytes} bytes of tiles, ${stored} as they are stored (seed ${random.seed})`,
        `built with ${((built.user + built.system) / LEAVES).toFixed(2)} µs of CPU a leaf`,
        `a proof of inclusion: ${tilesRead.toFixed(1)} tiles, ${((took.user + took.system) / PROOFS).toFixed(0)} µs of CPU, ` +
          `${((span * 1_000) / PROOFS).toFixed(0)} µs by the clock; of consistency: ${(reads / PROOFS).toFixed(1)} tiles`,
      ].join('\n'),
    )
    expect(bytes / LEAVES).toBeLessThan(32.2)
    expect(stored / LEAVES).toBeLessThan(48)
    expect(tilesRead).toBeLessThan(10)
    await open.close()
  })
})
