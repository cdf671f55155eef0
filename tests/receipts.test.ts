/** Receipts of a running gateway, checked with what everybody has: the receipt, and a key that was taken over once. */
import { writeFileSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { parseReceipt, type Receipt } from '@svc/contract/log/receipt'
import { isConsistent, proveConsistency, readRoot } from '@svc/contract/log/merkle-proof'
import { nodeCrypto } from '@svc/contract/log/node-crypto'
import { parseCheckpoint } from '@svc/contract/log/checkpoint'
import { formatVerifierKey, parseVerifierKey, type VerifierKey } from '@svc/contract/log/signed-note'
import { nodesOfTiles, tilePath } from '@svc/contract/log/tiles'
import { checkLine, verifyReceipt } from '@svc/contract/log/verify-receipt'
import { sha256 } from '../packages/server/src/money/ledger-log/entry-facts.ts'
import { createSvc } from './run-svc.ts'
import { eventually } from '../packages/server/testing/eventually.ts'
import { describeEachEngine } from '../packages/server/testing/test-database.ts'
import { startTestGateway, type TestGateway } from '../packages/server/testing/test-gateway.ts'

describeEachEngine('receipts', (engine) => {
  let gateway: TestGateway
  let keys: readonly VerifierKey[]
  beforeAll(async () => {
    gateway = await startTestGateway({ engine })
    await eventually(async () => {
      const text = await (await gateway.fetch('/log/key')).text()
      keys = text
        .trim()
        .split('\n')
        .map((line) => parseVerifierKey(sha256, line)!)
      if (keys[0] === undefined) throw new Error('the log has no key yet')
    })
  })
  afterAll(() => gateway.stop())

  const post = (path: string, body: object) =>
    gateway.fetch(path, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    })
  const get = (path: string, key = gateway.key) =>
    fetch(`${gateway.baseUrl}${path}`, { headers: { authorization: `Bearer ${key}` } })

  async function receiptOf(id: string): Promise<Receipt> {
    let text = ''
    await eventually(async () => {
      const response = await get(`/v1/receipts/${id}`)
      text = await response.text()
      expect([response.status, text]).toEqual([200, expect.any(String)])
    })
    const parsed = parseReceipt(text)
    if ('problem' in parsed) throw new Error(`${parsed.problem.field} ${parsed.problem.message}`)
    return parsed.receipt
  }

  const messages = [{ role: 'user', content: 'Hello "you" é' }]
  const ASKED: readonly (readonly [string, string, object, string])[] = [
    ['a chat', '/v1/chat/completions', { model: 'svc-gpt', messages, max_tokens: 20 }, 'charge'],
    ['a streamed chat', '/v1/chat/completions', { model: 'svc-gpt', messages, max_tokens: 20, stream: true }, 'charge'],
    ['a message', '/v1/messages', { model: 'svc-gpt', messages, max_tokens: 20 }, 'charge'],
    ['a failure', '/v1/chat/completions', { model: 'svc-sandbox/500', messages, max_tokens: 20 }, 'free'],
    ['an embedding', '/v1/embeddings', { model: 'openai/text-embedding-3-small', input: 'Hello' }, 'charge'],
  ]

  test.each(ASKED)('of %s holds, and no other key sees it', async (_what, path, body, kind) => {
    const response = await post(path, body)
    await response.text()
    const id = response.headers.get('x-request-id')!
    const receipt = await receiptOf(id)
    expect(receipt.entry).toMatchObject({ id, kind, account_id: gateway.accountId })
    expect(verifyReceipt(nodeCrypto, receipt, keys).filter(({ holds }) => !holds)).toEqual([])
    const { rawKey } = await gateway.createKey()
    expect((await get(`/v1/receipts/${id}`, rawKey)).status).toBe(404)
  })

  test('of a grant holds, needs the right for deposits, and begins the line of the account', async () => {
    const { read } = gateway.gateway.database
    const grant = await read
      .selectFrom('transfer')
      .select('transfer_id')
      .where('account_id', '=', gateway.accountId)
      .where('kind', '=', 'grant')
      .executeTakeFirstOrThrow()
    const receipt = await receiptOf(grant.transfer_id)
    expect(receipt.entry).toMatchObject({ kind: 'grant', number: 1, reason: 'test' })
    expect(verifyReceipt(nodeCrypto, receipt, keys).filter(({ holds }) => !holds)).toEqual([])
    const { rawKey } = await gateway.createKey({ rights: ['inference'] })
    expect((await get(`/v1/receipts/${grant.transfer_id}`, rawKey)).status).toBe(403)

    const ids = await read.selectFrom('usage_record').select('usage_id').execute()
    const line = await Promise.all(ids.map(({ usage_id: id }) => receiptOf(id)))
    const compared = checkLine([receipt, ...line])
    expect(compared.filter(({ holds }) => !holds)).toEqual([])
    expect(compared.at(-1)?.finding).toContain('no line was added or left out between them')
  })

  test('are checked by the terminal client, and what is false or none ends with a code of its own', async () => {
    const env = { SVC_BASE_URL: gateway.baseUrl, SVC_API_KEY: gateway.key }
    const svc = createSvc(env)
    try {
      const response = await post('/v1/chat/completions', { model: 'svc-gpt', messages, max_tokens: 5 })
      await response.text()
      const id = response.headers.get('x-request-id')!
      await receiptOf(id)
      const got = await svc(['receipt', 'get', id])
      expect(got).toMatchObject({ code: 0 })
      const file = (name: string, text: string): string => {
        writeFileSync(`${svc.folder}/${name}`, text)
        return `${svc.folder}/${name}`
      }
      const key = formatVerifierKey(keys[0]!)
      const keyFile = file('log-key', `${key}\n`)
      const right = file('right.json', got.out)
      const verify = (...words: string[]) => svc(['receipt', 'verify', ...words], { env: { SVC_API_KEY: '' } })
      expect(await verify(right, '--key', key)).toMatchObject({ code: 0, out: expect.stringContaining('holds') })
      expect((await verify(right, '--key', keyFile, '--json')).code).toBe(0)
      const cheaper = file('false.json', got.out.replace(/"balance": "\d/, '"balance": "7'))
      expect(await verify(cheaper, '--key', keyFile)).toMatchObject({
        code: 1,
        out: expect.stringMatching(/FALSE.*inclusion/),
      })
      expect(await verify(file('none.json', got.out.replace('"amount"', '"amont"')), '--key', keyFile)).toMatchObject({
        code: 2,
        notes: expect.stringContaining('entry.amount'),
      })
      expect((await verify(right, '--key', 'nothing')).code).toBe(2)
      expect((await verify(right)).code).toBe(2)
    } finally {
      svc.remove()
    }
  })

  describe('the log', () => {
    test('is for keys alone, and its tiles lead to what was signed', async () => {
      const before = parseCheckpoint((await (await get('/log/checkpoint')).text()).split('\n\n')[0]! + '\n')!
      for (const path of ['/log/checkpoint', '/log/tile/0/000.p/1', '/log/key']) {
        expect((await fetch(`${gateway.baseUrl}${path}`)).status).toBe(401)
      }
      const response = await post('/v1/chat/completions', { model: 'svc-gpt', messages, max_tokens: 5 })
      await response.text()
      await receiptOf(response.headers.get('x-request-id')!)
      const note = await get('/log/checkpoint')
      expect(note.headers.get('content-type')).toBe('text/plain; charset=utf-8')
      const head = parseCheckpoint((await note.text()).split('\n\n')[0]! + '\n')!
      const readNode = nodesOfTiles(sha256, head.size, async (tile) => {
        const tileResponse = await get(`/log/${tilePath(tile)}`)
        expect([tileResponse.status, tileResponse.headers.get('content-type')]).toEqual([
          200,
          'application/octet-stream',
        ])
        return new Uint8Array(await tileResponse.arrayBuffer())
      })
      expect(Buffer.from(await readRoot({ sha256, readNode }, head.size))).toEqual(Buffer.from(head.root))
      expect(head.size).toBeGreaterThan(before.size)
      const proof = await proveConsistency({ sha256, readNode }, before.size, head.size)
      expect(isConsistent(sha256, { before, after: head }, proof)).toBe(true)
    })

    test('is watched by the terminal client, beside what a receipt holds', async () => {
      const svc = createSvc({ SVC_BASE_URL: gateway.baseUrl, SVC_API_KEY: gateway.key })
      try {
        const watch = (...words: string[]) => svc(['log', 'watch', '--once', ...words])
        const { out: key } = await svc(['log', 'key'])
        expect(await watch('--key', key.trim())).toMatchObject({ code: 0, out: expect.stringContaining('begun') })
        const response = await post('/v1/chat/completions', { model: 'svc-gpt', messages, max_tokens: 5 })
        await response.text()
        const receipt = await receiptOf(response.headers.get('x-request-id')!)
        const file = `${svc.folder}/receipt.json`
        writeFileSync(file, JSON.stringify(receipt))
        expect(await watch(file)).toMatchObject({ code: 0, out: expect.stringMatching(/extended|unchanged/) })
      } finally {
        svc.remove()
      }
    })

    test.each(['0/000', '0/999', '1/000.p/1', 'entries/000', '0/0', '64/000', 'x', '0/000.p/255'])(
      'has no tile %s',
      async (path) => {
        expect((await get(`/log/tile/${path}`)).status).toBe(404)
      },
    )
  })

  test.each(['nothing', '00000000-0000-7000-8000-000000000000', '%00', 'a'.repeat(201)])(
    'of %s there is none',
    async (id) => {
      expect([400, 404]).toContain((await get(`/v1/receipts/${id}`)).status)
    },
  )
})

test('a published log is read without a key, receipts are not', async () => {
  const gateway = await startTestGateway({ env: { SVC_PUBLISH_LOG: 'true' } })
  try {
    await eventually(async () => expect((await fetch(`${gateway.baseUrl}/log/checkpoint`)).status).toBe(200))
    expect((await fetch(`${gateway.baseUrl}/log/key`)).status).toBe(200)
    expect((await fetch(`${gateway.baseUrl}/v1/receipts/x`)).status).toBe(401)
  } finally {
    await gateway.stop()
  }
})
