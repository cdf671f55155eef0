/** Files of teams through OpenAI's own client, and what no client sends. */
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import OpenAI, { toFile } from 'openai'
import { beforeAll, expect, test } from 'vitest'
import { describeEachEngine } from '../packages/server/testing/test-database.ts'
import { createTestAccount, readDatabaseFiles } from '../packages/server/testing/test-gateway.ts'
import { useGateway } from '../packages/server/testing/use-gateway.ts'
import { errorOf, refusalOf } from './error-of.ts'
import { setBalance } from './funded-caller.ts'

const SECRET = 'a prompt that nobody else reads'
const text = (lines: number): string => `${SECRET}\n`.repeat(lines)

describeEachEngine('files', (engine) => {
  const gateway = useGateway(() => ({ engine }))
  let client: OpenAI
  let elsewhere: string
  beforeAll(async () => {
    client = new OpenAI({ baseURL: gateway.v1, apiKey: gateway.key, maxRetries: 0 })
    const other = await createTestAccount(gateway.gateway, '1000', 'Elsewhere')
    elsewhere = (await gateway.createKey(other)).rawKey
  })

  const upload = (content: string, filename = 'requests.jsonl') =>
    toFile(Buffer.from(content), filename).then((file) => client.files.create({ file, purpose: 'batch' }))

  test('come back byte for byte, are listed, and are gone once they are deleted', async () => {
    const content = text(10_000)
    const file = await upload(content)
    expect(file).toMatchObject({
      ...{ object: 'file', bytes: content.length, filename: 'requests.jsonl', purpose: 'batch', status: 'processed' },
      ...{ id: expect.stringMatching(/^file-[0-9a-f]{32}$/), expires_at: file.created_at + 2_592_000 },
    })
    expect(await client.files.retrieve(file.id)).toEqual(file)
    expect(await (await client.files.content(file.id)).text()).toBe(content)
    const part = await gateway.fetch(`/v1/files/${file.id}/content`, { headers: { range: 'bytes=70000-70009' } })
    expect([part.status, await part.text()]).toEqual([206, content.slice(70_000, 70_010)])
    const second = await upload('x')
    const listed: string[] = []
    for await (const each of client.files.list({ limit: 1 })) listed.push(each.id)
    expect(listed.slice(0, 2)).toEqual([second.id, file.id])
    expect(await client.files.delete(file.id)).toEqual({ id: file.id, object: 'file', deleted: true })
    await expect(client.files.retrieve(file.id)).rejects.toMatchObject({ status: 404, code: 'file_not_found' })
    await expect(client.files.content(file.id)).rejects.toMatchObject({ status: 404 })
    expect((await client.files.list({ order: 'asc' })).data.map(({ id }) => id)).toEqual([second.id])
  })

  test('nothing of them is in the clear at rest', async () => {
    await upload(text(100))
    const folder = join(gateway.dataDir, 'media')
    const stored = await Promise.all((await readdir(folder)).map((name) => readFile(join(folder, name), 'latin1')))
    expect(stored.length).toBeGreaterThan(0)
    expect(stored.some((bytes) => bytes.includes(SECRET))).toBe(false)
    expect(await readDatabaseFiles(gateway.dataDir)).not.toContain(SECRET)
  })

  test('belong to the team of the key', async () => {
    const { id } = await upload(text(1))
    for (const path of [`/v1/files/${id}`, `/v1/files/${id}/content`]) {
      expect(await refusalOf(await gateway.fetch(path, { key: elsewhere }))).toBe('404 file_not_found file_id')
    }
    const deletion = await gateway.fetch(`/v1/files/${id}`, { key: elsewhere, method: 'DELETE' })
    expect(await refusalOf(deletion)).toBe('404 file_not_found file_id')
    expect(await (await gateway.fetch('/v1/files', { key: elsewhere })).json()).toMatchObject({ data: [] })
    const own = await gateway.createKey()
    expect((await gateway.fetch(`/v1/files/${id}`, { key: own.rawKey })).status).toBe(200)
  })

  const post = (fields: Readonly<Record<string, string | Blob>>, key?: string | null) => {
    const form = new FormData()
    for (const [name, value] of Object.entries(fields)) {
      if (typeof value === 'string') form.append(name, value)
      else form.append(name, value, 'x.jsonl')
    }
    return gateway.fetch('/v1/files', { method: 'POST', body: form, ...(key === undefined ? {} : { key }) })
  }
  const file = new Blob([text(1)])

  test.each([
    ['400 missing_required_parameter purpose', { file }],
    ['400 invalid_value purpose', { file, purpose: 'fine-tune' }],
    ['400 missing_required_parameter file', { purpose: 'batch' }],
    ['400 empty_content file', { purpose: 'batch', file: new Blob([]) }],
    [
      '400 invalid_value expires_after[seconds]',
      { file, purpose: 'batch', 'expires_after[anchor]': 'created_at', 'expires_after[seconds]': '60' },
    ],
    [
      '400 missing_required_parameter expires_after[anchor]',
      { file, purpose: 'batch', 'expires_after[seconds]': '3600' },
    ],
  ])('are refused: %s', async (refusal, fields) => {
    expect(await refusalOf(await post(fields as Record<string, string | Blob>))).toBe(refusal)
  })

  test('need a key, a form, and parameters in order', async () => {
    expect(await refusalOf(await post({ file, purpose: 'batch' }, null))).toBe('401 invalid_api_key')
    const json = { method: 'POST', headers: { 'content-type': 'application/json' }, body: '{}' }
    expect(await refusalOf(await gateway.fetch('/v1/files', json))).toBe('400 unsupported_media_type')
    expect(await refusalOf(await gateway.fetch('/v1/files?limit=0'))).toBe('400 invalid_value limit')
    expect(await refusalOf(await gateway.fetch('/v1/files?purpose=x'))).toBe('400 invalid_value purpose')
    expect(await refusalOf(await gateway.fetch(`/v1/files/${'x'.repeat(65)}`))).toBe('400 invalid_value file_id')
  })

  test('end when they were said to', async () => {
    const expires_after = { anchor: 'created_at', seconds: 3_600 } as const
    const kept = await client.files.create({
      file: await toFile(Buffer.from('x'), 'x'),
      purpose: 'batch',
      expires_after,
    })
    expect(kept.expires_at).toBe(kept.created_at + 3_600)
  })

  test('an account without credits keeps none', async () => {
    const { posted } = await gateway.balance()
    await setBalance(gateway, gateway.gateway.ledger, 0n)
    const refused = await post({ file, purpose: 'batch' })
    expect(refused.status).toBe(402)
    expect((await errorOf(refused)).code).toBe('insufficient_credits')
    await setBalance(gateway, gateway.gateway.ledger, posted)
  })
})
