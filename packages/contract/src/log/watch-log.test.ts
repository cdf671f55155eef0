import { describe, expect, test } from 'vitest'
import { signTestCheckpoint, signTestNote, testKey, tilesOfLeaves } from '../../testing/signed-log.ts'
import { formatStatement, type LogStatement, parseStatement } from './log-statement.ts'
import { hashLeaf, rootOf } from './merkle-tree.ts'
import { nodeCrypto } from './node-crypto.ts'
import type { Tile } from './tiles.ts'
import { type LogLook, TileMissingError, watchLog } from './watch-log.ts'

const { sha256 } = nodeCrypto
const ORIGIN = 'ai.example.com/api/log'
const NEXT = 'ai.example.com/api/log/2'
const AT = Date.UTC(2026, 10, 30, 16, 20)

const leafOf = (index: number, what = 'leaf'): Uint8Array => hashLeaf(sha256, Buffer.from(`${what} ${index}`))
const leavesOf = (size: number): Uint8Array[] => Array.from({ length: size }, (_value, index) => leafOf(index))

/** A log of so many leaves that says what it has, and its checkpoint when it had fewer. */
function logOf(leaves: readonly Uint8Array[], origin = ORIGIN, extensions: readonly string[] = []) {
  const { edge, readTile } = tilesOfLeaves(leaves)
  return { note: signTestCheckpoint(origin, edge, { extensions }), readTile, edge }
}

const noteOf = (leaves: readonly Uint8Array[], origin = ORIGIN, extensions: readonly string[] = []) => ({
  name: 'a kept checkpoint',
  note: logOf(leaves, origin, extensions).note,
})

const lookAt = (log: Pick<LogLook, 'note' | 'readTile'>, look: Partial<LogLook> = {}) =>
  watchLog(nodeCrypto, { keys: [testKey(ORIGIN)], kept: [], ...log, ...look })

describe.each([1, 2, 255, 256, 257, 600, 66_000])('a log of %i leaves', (size) => {
  const leaves = leavesOf(size)
  const log = logOf(leaves)
  const sizes = [...new Set([1, 2, 200, 256, 512, 513, size - 1, size])].filter(
    (before) => before > 0 && before <= size,
  )

  test('extends each of its own checkpoints', async () => {
    expect(await lookAt(log)).toMatchObject({ finding: 'begun', holds: true, head: { size } })
    for (const before of sizes) {
      const verdict = await lookAt(log, { kept: [noteOf(leaves.slice(0, before))] })
      expect([before, verdict.finding, verdict.holds]).toEqual([
        before,
        before === size ? 'unchanged' : 'extended',
        true,
      ])
    }
  })

  test('is a fork of each that was signed over other leaves, and shorter than a larger one', async () => {
    for (const before of sizes) {
      for (const changed of new Set([0, before - 1])) {
        const other = leaves.slice(0, before).with(changed, leafOf(changed, 'another'))
        expect(await lookAt(log, { kept: [noteOf(other)] })).toMatchObject({ finding: 'forked', holds: false })
      }
    }
    const longer = noteOf([...leaves, leafOf(size)])
    expect(await lookAt(log, { kept: [longer] })).toMatchObject({ finding: 'shorter', holds: false })
  })

  test('whose tiles are changed or gone says so, and is no fork', async () => {
    const kept = [noteOf(leaves.slice(0, Math.ceil(size / 2)))]
    const changed = async (tile: Tile): Promise<Uint8Array> => (await log.readTile(tile)).map((byte) => byte ^ 1)
    expect(await lookAt({ ...log, readTile: changed }, { kept })).toMatchObject({
      finding: 'tiles_differ',
      holds: false,
    })
    const gone = (): Promise<Uint8Array> => Promise.reject(new TileMissingError('tile/0/000'))
    const verdict = await lookAt({ ...log, readTile: gone }, { kept })
    expect(verdict).toMatchObject({
      finding: 'tiles_missing',
      holds: false,
      message: expect.stringContaining('tile/0/000'),
    })
    const short = async (tile: Tile): Promise<Uint8Array> => (await log.readTile(tile)).subarray(0, 31)
    expect(await lookAt({ ...log, readTile: short }, { kept })).toMatchObject({
      finding: 'tiles_missing',
      holds: false,
    })
  })
})

test('a tile that only the older checkpoint needs, and that was changed, is told as such', async () => {
  const leaves = leavesOf(66_000)
  const log = logOf(leaves)
  // The root of all is made of the upper levels: only what is compared with 300 leaves needs this tile of the lowest.
  const readTile = async (tile: Tile): Promise<Uint8Array> => {
    const hashes = await log.readTile(tile)
    return tile.level === 0 && tile.index === 1 ? hashes.map((byte) => byte ^ 1) : hashes
  }
  expect(await lookAt({ ...log, readTile })).toMatchObject({ finding: 'begun', holds: true })
  const kept = [noteOf(leaves.slice(0, 300))]
  expect(await lookAt({ ...log, readTile }, { kept })).toMatchObject({ finding: 'tiles_differ', holds: false })
})

describe('a checkpoint', () => {
  const leaves = leavesOf(5)
  const log = logOf(leaves)
  const text = `${log.note.split('\n\n')[0]}\n`

  test.each<[string, string, string]>([
    ['signed by another key', signTestNote(ORIGIN, text, [2]), 'unknown_key'],
    ['signed by nobody', signTestNote(ORIGIN, text, []) + `— else AAAAAAA=\n`, 'unknown_key'],
    ['whose signature is that of another text', log.note.replace('\n5\n', '\n6\n'), 'false_signature'],
    ['of another log', logOf(leaves, 'other.example/log').note, 'other_log'],
    ['that is none', 'nothing', 'malformed'],
    ['without signatures', text, 'malformed'],
    ['with a size that is none', signTestNote(ORIGIN, text.replace('\n5\n', '\n05\n')), 'malformed'],
  ])('%s is named', async (_what, note, finding) => {
    expect(await lookAt({ ...log, note })).toMatchObject({ finding, holds: false })
    expect(await lookAt(log, { kept: [{ name: 'a friend’s', note }] })).toMatchObject({
      ...{ finding, holds: false },
      message: expect.stringContaining('a friend’s'),
    })
  })

  test('signed by an old and a new key is believed by either', async () => {
    const note = signTestNote(ORIGIN, text, [1, 2])
    for (const byte of [1, 2]) {
      expect(await lookAt({ ...log, note }, { keys: [testKey(ORIGIN, byte)] })).toMatchObject({ holds: true })
    }
  })
})

describe('a log that goes on in place of a lost one', () => {
  const old = leavesOf(300)
  const statement: LogStatement = {
    ...{ kind: 'new_log', replacedOrigin: ORIGIN, replacedSize: 300, replacedRoot: rootOf(sha256, logOf(old).edge) },
    ...{ keptSize: 260, at: AT, reason: 'The disk was lost; a backup of an hour before was restored.' },
  }
  const extensions = [formatStatement(statement)]
  const leaves = [...old.slice(0, 260), ...Array.from({ length: 90 }, (_value, index) => leafOf(index, 'new'))]
  const keys = [testKey(ORIGIN), testKey(NEXT)]
  const log = logOf(leaves, NEXT, extensions)

  test('is believed with its key, and says what is gone', async () => {
    expect(await lookAt(log, { kept: [noteOf(old)] })).toMatchObject({ finding: 'other_log', holds: false })
    const verdict = await lookAt(log, { keys, kept: [noteOf(old)] })
    expect(verdict).toMatchObject({ finding: 'replaced', holds: true, message: expect.stringContaining('40 leaves') })
    expect(await lookAt(log, { keys, kept: [noteOf(old.slice(0, 200))] })).toMatchObject({ finding: 'replaced' })
    const own = noteOf(leaves.slice(0, 320), NEXT, extensions)
    expect(await lookAt(log, { keys, kept: [noteOf(old), own] })).toMatchObject({ finding: 'extended', holds: true })
  })

  test('is a fork where it has not kept what it says, and another log where it says nothing', async () => {
    const changed = logOf(leaves.with(100, leafOf(100, 'another')), NEXT, extensions)
    expect(await lookAt(changed, { keys, kept: [noteOf(old.slice(0, 200))] })).toMatchObject({ finding: 'forked' })
    expect(await lookAt(logOf(leaves, NEXT), { keys, kept: [noteOf(old)] })).toMatchObject({ finding: 'other_log' })
  })

  test('cannot take back what it has stated', async () => {
    const kept = [noteOf(leaves.slice(0, 320), NEXT, extensions)]
    for (const stated of [[], ['something else']]) {
      const later = logOf(leaves, NEXT, stated)
      expect(await lookAt(later, { keys, kept })).toMatchObject({ finding: 'statement_removed', holds: false })
    }
    expect(await lookAt(logOf(leaves, NEXT, [...extensions, 'more']), { keys, kept })).toMatchObject({ holds: true })
  })
})

test('a statement comes back as it was written, and nothing else is one', () => {
  const key: LogStatement = {
    ...{ kind: 'new_key', keyId: '0123abcd', replacedKeyIds: ['00000001', 'ffffffff'], size: 12, at: AT },
    reason: 'The key’s disk was lost: a + b.',
  }
  const line = formatStatement(key)
  expect(line).toBe(
    'new key 0123abcd replaces 00000001,ffffffff from 12 at 2026-11-30T16:20:00Z: The key’s disk was lost: a + b.',
  )
  expect(parseStatement(line)).toEqual(key)
  for (const wrong of [
    '',
    'new key',
    line.replace('12', '012'),
    line.replace('11-30', '11-31'),
    `${line}\n`,
    ` ${line}`,
  ]) {
    expect(parseStatement(wrong)).toBeNull()
  }
})
