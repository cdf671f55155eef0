/** `svc log watch` before a gateway that lies: a server that gives out a log made of the real parts, and then another. */
import { readFileSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { formatVerifierKey } from '@svc/contract/log/signed-note'
import { hashLeaf } from '@svc/contract/log/merkle-tree'
import { nodeCrypto } from '@svc/contract/log/node-crypto'
import { parseTilePath, tileWidth } from '@svc/contract/log/tiles'
import { signTestCheckpoint, testKey, tilesOfLeaves } from '../packages/contract/testing/signed-log.ts'
import { listenOnLoopback, type LoopbackServer } from '../packages/server/testing/loopback-server.ts'
import { createSvc, type Svc, type SvcResult } from './run-svc.ts'

const ORIGIN = 'ai.example.com/api/log'
const KEY = formatVerifierKey(testKey(ORIGIN))
const OTHER_KEY = formatVerifierKey(testKey(ORIGIN, 2))

const leavesOf = (size: number): Uint8Array[] =>
  Array.from({ length: size }, (_value, index) => hashLeaf(nodeCrypto.sha256, Buffer.from(String(index))))

/** What the server says. */
interface Said {
  readonly leaves: readonly Uint8Array[]
  readonly keys: readonly number[]
  /** In place of the checkpoint. */
  readonly note?: string
  /** What it says from the second look on. */
  readonly next?: Said
}

let server: LoopbackServer
let svc: Svc
let said: Said = { leaves: [], keys: [1] }
beforeAll(async () => {
  let looks = 0
  const lying = createServer(({ url = '' }, response) => {
    looks = said.next === undefined ? 0 : looks + Number(url === '/api/log/checkpoint')
    if (said.next !== undefined && looks === 2) said = said.next
    const { edge, readTile } = tilesOfLeaves(said.leaves)
    const tile = parseTilePath(url.slice('/api/log/'.length))
    if (url === '/api/log/checkpoint') {
      response.end(said.note ?? signTestCheckpoint(ORIGIN, edge, { bytes: said.keys }))
    } else if (url === '/api/log/key')
      response.end(said.keys.map((byte) => `${formatVerifierKey(testKey(ORIGIN, byte))}\n`).join(''))
    else if (tile !== null && tile.width <= tileWidth(tile.level, tile.index, edge.size)) {
      void readTile(tile).then((hashes) => response.end(hashes))
    } else {
      response.statusCode = 404
      response.end(
        JSON.stringify({ error: { message: 'no such tile', code: 'file_not_found', type: 'invalid_request_error' } }),
      )
    }
  })
  server = await listenOnLoopback(lying)
})
afterAll(() => server.close())
beforeEach(() => {
  svc = createSvc({ SVC_BASE_URL: `${server.origin}/api`, SVC_API_KEY: '' })
  said = { leaves: leavesOf(300), keys: [1] }
  return () => svc.remove()
})

const watch = (...words: string[]): Promise<SvcResult> => svc(['log', 'watch', '--once', ...words])
const kept = () => {
  const { host } = new URL(server.origin)
  return JSON.parse(readFileSync(join(svc.folder, 'svc/logs', `${host.replace(':', '_')}_api.json`), 'utf8')) as {
    keys: string[]
    checkpoints: { note: string }[]
    contradictions: { finding: string; note: string }[]
  }
}

test('keeps the key and each checkpoint, and says what the log has become', async () => {
  expect(await watch()).toMatchObject({ code: 2, notes: expect.stringContaining('--key') })
  expect(await watch('--key', KEY)).toMatchObject({ code: 0, out: expect.stringContaining('begun') })
  expect(await watch()).toMatchObject({ code: 0, out: expect.stringContaining('unchanged') })
  said = { ...said, leaves: leavesOf(700) }
  const { code, out } = await watch('--json')
  expect([code, JSON.parse(out)]).toMatchObject([
    0,
    { finding: 'extended', holds: true, checkpoint: { origin: ORIGIN, size: 700, statements: [] } },
  ])
  expect(kept()).toMatchObject({ keys: [KEY], contradictions: [] })
  expect(kept().checkpoints.map(({ note }) => note.split('\n')[1])).toEqual(['300', '700'])
  expect(await svc(['log', 'key'])).toMatchObject({ code: 0, out: `${KEY}\n` })
})

test.each<[string, Partial<Said>, string]>([
  ['other leaves', { leaves: leavesOf(700).with(12, leavesOf(1)[0]!) }, 'forked'],
  ['fewer leaves', { leaves: leavesOf(299) }, 'shorter'],
  ['another key', { keys: [2] }, 'unknown_key'],
])('%s are told by name and end with 1, and the proof is kept', async (_what, change, finding) => {
  await watch('--key', KEY)
  said = { ...said, ...change }
  const { code, out, notes } = await watch()
  expect([code, out]).toEqual([1, expect.stringContaining(`FALSE  ${finding}`)])
  expect(notes).toContain('docs/trust.md')
  expect(notes.includes(OTHER_KEY)).toBe(finding === 'unknown_key')
  expect(kept()).toMatchObject({ keys: [KEY], contradictions: [{ finding }] })
  expect(kept().checkpoints).toHaveLength(1)
})

test('without the option it looks again until something does not hold', async () => {
  said = { ...said, next: { leaves: leavesOf(700).with(12, leavesOf(1)[0]!), keys: [1] } }
  const ended = await svc(['log', 'watch', '--every', '1', '--key', KEY])
  expect(ended).toMatchObject({ code: 1, out: expect.stringMatching(/begun[^]*FALSE {2}forked/) })
})

test('a new key is believed once it is given, and what it signs must extend what the old one has signed', async () => {
  await watch('--key', KEY)
  said = { leaves: leavesOf(301), keys: [2] }
  expect(await watch('--key', OTHER_KEY)).toMatchObject({ code: 0, out: expect.stringContaining('extended') })
  expect(kept().keys).toEqual([KEY, OTHER_KEY])
  said = { leaves: leavesOf(400).with(3, leavesOf(1)[0]!), keys: [2] }
  expect(await watch()).toMatchObject({ code: 1, out: expect.stringContaining('forked') })
})

test('what is no checkpoint ends with 2 and its field, and a file that is none, too', async () => {
  await watch('--key', KEY)
  said = { ...said, note: 'nothing\n' }
  expect(await watch()).toMatchObject({ code: 2, notes: expect.stringContaining('"checkpoint"') })
  said = { leaves: leavesOf(300), keys: [1] }
  const broken = join(svc.folder, 'broken.json')
  writeFileSync(broken, '{"keys": 1}')
  expect(await watch('--file', broken)).toMatchObject({ code: 2, notes: expect.stringContaining('"keys"') })
  expect(await watch(broken)).toMatchObject({
    code: 2,
    notes: expect.stringContaining('nor a receipt: its field "object" is wrong'),
  })
  expect(await watch('--key', 'nothing')).toMatchObject({ code: 2 })
})

test('the checkpoint of somebody else is compared, too', async () => {
  const friends = join(svc.folder, 'friends-checkpoint')
  const noteOf = (leaves: readonly Uint8Array[]): string => signTestCheckpoint(ORIGIN, tilesOfLeaves(leaves).edge)
  writeFileSync(friends, noteOf(leavesOf(200)))
  const compared = await watch('--key', KEY, friends)
  expect(compared).toMatchObject({ code: 0, out: expect.stringMatching(/compared: .*friends-checkpoint/) })
  const other = noteOf(leavesOf(200).with(1, leavesOf(1)[0]!))
  writeFileSync(friends, other)
  expect(await watch(friends)).toMatchObject({ code: 1, out: expect.stringMatching(/forked.*friends-checkpoint/) })
  const both = kept().contradictions.map(({ note }) => note)
  expect(both).toEqual([expect.stringContaining('\n300\n'), other])
})

test('a checkpoint that the log has not signed is an error of its own, and no proof against the log', async () => {
  await watch('--key', KEY)
  const friends = join(svc.folder, 'friends-checkpoint')
  const note = signTestCheckpoint(ORIGIN, tilesOfLeaves(leavesOf(200)).edge)
  writeFileSync(friends, note.replace('\n200\n', '\n201\n'))
  const { code, out, notes } = await watch(friends)
  expect([code, out]).toEqual([1, expect.stringContaining('false_signature')])
  expect(notes).toContain('says nothing of the log')
  expect(kept().contradictions).toEqual([])
  expect(await watch()).toMatchObject({ code: 0 })
})

test('a gateway that is away ends a single look with 1, and says nothing about its log', async () => {
  await watch('--key', KEY)
  const away = await svc(['log', 'watch', '--once', '--base-url', 'http://127.0.0.1:9/api', '--key', KEY])
  expect(away).toMatchObject({ code: 1, out: '' })
})
