import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { PassThrough } from 'node:stream'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { keepSeenModels, readSeenModels } from '../settings/model-cache.ts'
import { createTerminal } from '../terminal/terminal.ts'
import { knownModels } from './known-models.ts'

const KEY = 'sk-svc-of-a-test-0123456789'
const HOUR = 3_600_000

let gateway: Server
let baseUrl: string
let folder: string
let now: number
/** Keys of the requests so far. */
let asked: (string | undefined)[]
let answer: (response: ServerResponse) => void

function sendModels(response: ServerResponse, ids: readonly string[]): void {
  response.end(JSON.stringify({ object: 'list', data: ids.map((id) => ({ id, svc: { type: 'text' } })) }))
}

beforeEach(async () => {
  asked = []
  now = Date.UTC(2026, 10, 28)
  folder = mkdtempSync(path.join(tmpdir(), 'svc-models-'))
  answer = (response) => sendModels(response, ['svc-gpt', 'openrouter/x/y:free'])
  gateway = createServer((request, response) => {
    asked.push(request.headers.authorization)
    answer(response)
  })
  await new Promise<void>((resolve) => gateway.listen(0, '127.0.0.1', resolve))
  baseUrl = `http://127.0.0.1:${(gateway.address() as AddressInfo).port}/api`
})
afterEach(() => {
  rmSync(folder, { recursive: true })
  gateway.closeAllConnections()
  gateway.close()
})

async function idsFor(key: string | null = KEY): Promise<string[]> {
  const [input, out, notes] = [new PassThrough(), new PassThrough(), new PassThrough()]
  const terminal = createTerminal({ input, out, notes }, {}, new AbortController())
  const settings = { baseUrl, key, keySource: null, profile: 'default', model: null }
  return (await knownModels({ terminal, settingsFolder: folder }, settings, now, 60_000)).map(({ id }) => id)
}
const cacheFile = (): string => path.join(folder, 'models.json')

describe('the models of a gateway', () => {
  test('are asked for with the key, once an hour', async () => {
    expect(await idsFor()).toEqual(['svc-gpt', 'openrouter/x/y:free'])
    now += HOUR - 1
    answer = (response) => sendModels(response, ['svc-new'])
    expect(await idsFor()).toEqual(['svc-gpt', 'openrouter/x/y:free'])
    now += 1
    expect(await idsFor()).toEqual(['svc-new'])
    expect(asked).toEqual([`Bearer ${KEY}`, `Bearer ${KEY}`])
    expect(readFileSync(cacheFile(), 'utf8')).not.toContain(KEY)
  })

  test('are asked for nowhere without a key: they are those of the last list', async () => {
    expect(await idsFor(null)).toEqual([])
    await idsFor()
    now += 100 * HOUR
    expect(await idsFor(null)).toEqual(['svc-gpt', 'openrouter/x/y:free'])
    expect(asked).toHaveLength(1)
  })

  test('of a gateway that fails are those of the last list, and it is left alone for a while', async () => {
    await idsFor()
    now += HOUR
    answer = (response) => void response.writeHead(500).end('{}')
    expect(await idsFor()).toEqual(['svc-gpt', 'openrouter/x/y:free'])
    expect(await idsFor()).toEqual(['svc-gpt', 'openrouter/x/y:free'])
    expect(asked).toHaveLength(2)
    now += 30_000
    await idsFor()
    expect(asked).toHaveLength(3)
  })

  test('whose names a shell would read otherwise are not offered', async () => {
    answer = (response) =>
      sendModels(response, ['$(touch x)', 'a b', "it's", 'x;y', '-m', '\u001b[2J', 'fine/model-1.0'])
    expect(await idsFor()).toEqual(['fine/model-1.0'])
  })

  test('of other gateways are kept beside them, a few', async () => {
    await idsFor()
    for (let other = 1; other <= 9; other++) {
      keepSeenModels(folder, `http://${other}`, {
        seenAt: now,
        askedAt: now + other,
        models: [{ id: 'x', type: 'text' }],
      })
    }
    expect(readSeenModels(folder, 'http://9').models).toHaveLength(1)
    expect(readSeenModels(folder, 'http://2').models).toHaveLength(1)
    expect(readSeenModels(folder, 'http://1').models).toEqual([])
  })

  test.each(['', '[]', '{"x":1}', '{"BASE":{"seenAt":9e15,"askedAt":9e15,"models":[{"id":"$(x)","type":"text"}]}}'])(
    'are asked for anew where the file of those is broken: %s',
    async (text) => {
      mkdirSync(folder, { recursive: true })
      writeFileSync(cacheFile(), text.replace('BASE', baseUrl))
      expect(await idsFor()).toEqual(['svc-gpt', 'openrouter/x/y:free'])
    },
  )
})
