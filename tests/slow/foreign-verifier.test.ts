/**
 * Receipts, checkpoints and tiles read by an implementation that is not ours: Go's `sumdb/note` and `sumdb/tlog`. It is
 * built here, for which Go and its module proxy are needed.
 */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { parseCheckpoint } from '@svc/contract/log/checkpoint'
import { formatStatement } from '@svc/contract/log/log-statement'
import { hashLeaf } from '@svc/contract/log/merkle-tree'
import { nodeCrypto } from '@svc/contract/log/node-crypto'
import type { Receipt } from '@svc/contract/log/receipt'
import { formatVerifierKey, parseNote } from '@svc/contract/log/signed-note'
import { type ReadTile, tilePath, tileWidth } from '@svc/contract/log/tiles'
import { signTestCheckpoint, testKey, tilesOfLeaves } from '../../packages/contract/testing/signed-log.ts'
import { type Ran, runProgram } from '../../proof/clients/run-program.ts'
import { LINES, useReceiptScene } from '../receipt-scene.ts'

const SOURCE = join(import.meta.dirname, '../../proof/foreign-verifier')
const BUILD_MS_MAX = 900_000
const STEP_MS_MAX = 60_000

const run = (command: string, words: readonly string[], withinMs = STEP_MS_MAX): Promise<Ran> =>
  runProgram({ command, words, cwd: SOURCE, env: process.env, withinMs })

const folder = mkdtempSync(join(tmpdir(), 'svc-foreign-'))
const program = join(folder, 'verifier')
let missing: string | null = null
beforeAll(async () => {
  const { code, error } = await run('go', ['build', '-o', program, '.'], BUILD_MS_MAX)
  if (code !== 0) missing = `the verifier could not be built: ${error.trim().split('\n').at(-1)}`
}, BUILD_MS_MAX)
afterAll(() => rmSync(folder, { recursive: true, force: true }))

function write(name: string, text: string | Uint8Array): string {
  const path = join(folder, name)
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, text)
  return path
}

/** Writes every tile of a tree as a static log has them. */
async function writeTiles(name: string, size: number, readTile: ReadTile): Promise<string> {
  for (let level = 0; tileWidth(level, 0, size) > 0; level++) {
    for (let index = 0; tileWidth(level, index, size) > 0; index++) {
      const tile = { level, index, width: tileWidth(level, index, size) }
      write(join(name, tilePath(tile).slice('tile/'.length)), await readTile(tile))
    }
  }
  return join(folder, name)
}

describe('receipts of a gateway', () => {
  const scene = useReceiptScene()

  test('of each kind hold for a verifier that is not ours', async ({ skip }) => {
    skip(missing !== null, missing ?? '')
    const files = LINES.map(([name], at) => write(`${at}.json`, scene.receipts.get(name) ?? ''))
    const { code, out } = await run(program, ['receipts', scene.key, ...files])
    expect([code, out]).toEqual([0, files.map((_file, at) => `holds ${at}.json\n`).join('')])
  })

  test.for<[string, (receipt: Receipt) => Receipt]>([
    ['another amount', (r) => ({ ...r, entry: { ...r.entry, amount: '-1' } })],
    ['another time', (r) => ({ ...r, entry: { ...r.entry, booked_at: r.entry.booked_at + 1 } })],
    ['another model', (r) => ({ ...r, record: { ...r.record!, model: 'dearer' } })],
    ['another salt', (r) => ({ ...r, salt: `${r.salt.startsWith('A') ? 'B' : 'A'}${r.salt.slice(1)}` })],
    [
      'another index',
      (r) => ({ ...r, proof: r.proof.replace(/index (\d)/, (_all, digit) => `index ${9 - Number(digit)}`) }),
    ],
    ['a changed checkpoint', (r) => ({ ...r, proof: r.proof.replace(/\n(\d+)\n(\S{44})\n\n—/, '\n1$1\n$2\n\n—') })],
  ])('with %s does not hold for it, either', async ([what, change], { skip }) => {
    skip(missing !== null, missing ?? '')
    const receipt = JSON.parse(scene.receipts.get('a chat') ?? '') as Receipt
    const file = write('false.json', JSON.stringify(change(receipt)))
    const { code, out } = await run(program, ['receipts', scene.key, file])
    expect([what, code, out]).toEqual([what, 1, expect.stringMatching(/^FALSE /)])
  })

  test('are under a checkpoint that extends an earlier one, by the tiles that the gateway gives out', async ({
    skip,
  }) => {
    skip(missing !== null, missing ?? '')
    const early = write('early', await (await scene.gateway.fetch('/log/checkpoint')).text())
    const asked = await scene.gateway.chat({ model: 'talks', messages: [{ role: 'user', content: 'Hello' }] })
    await asked.text()
    await scene.get(asked.headers.get('x-request-id') ?? '')
    const note = await (await scene.gateway.fetch('/log/checkpoint')).text()
    const head = parseCheckpoint(parseNote(note)?.text ?? '')
    const tiles = await writeTiles('gateway', head?.size ?? 0, async (tile) => {
      const response = await scene.gateway.fetch(`/log/${tilePath(tile)}`)
      return new Uint8Array(await response.arrayBuffer())
    })
    const { code, out } = await run(program, ['extends', scene.key, early, write('late', note), tiles])
    expect([code, out]).toEqual([0, 'extends\n'])
  })
})

test('a large tree, and the statements in its checkpoint, are read alike; a fork is none for it', async ({ skip }) => {
  skip(missing !== null, missing ?? '')
  const ORIGIN = 'ai.example.com/api/log'
  const leaves = Array.from({ length: 70_000 }, (_value, index) =>
    hashLeaf(nodeCrypto.sha256, Buffer.from(String(index))),
  )
  const extensions = [
    formatStatement({
      ...{ kind: 'new_key', keyId: '01234567', replacedKeyIds: ['89abcdef'], size: 5, at: 0 },
      reason: 'The key’s disk was lost.',
    }),
  ]
  const { edge, readTile } = tilesOfLeaves(leaves)
  const late = write('large', signTestCheckpoint(ORIGIN, edge, { extensions }))
  const tiles = await writeTiles('tiles', leaves.length, readTile)
  const key = formatVerifierKey(testKey(ORIGIN))
  for (const size of [1, 255, 256, 300, 65_536, 69_999, 70_000]) {
    const early = write('early', signTestCheckpoint(ORIGIN, tilesOfLeaves(leaves.slice(0, size)).edge))
    expect(await run(program, ['extends', key, early, late, tiles])).toMatchObject({ code: 0 })
    const other = leaves.slice(0, size).with(0, leaves[1]!)
    const forked = write('forked', signTestCheckpoint(ORIGIN, tilesOfLeaves(other).edge))
    expect(await run(program, ['extends', key, forked, late, tiles])).toMatchObject({ code: 1 })
  }
})
