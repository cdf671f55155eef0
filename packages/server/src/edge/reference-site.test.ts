import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import Fastify, { type FastifyInstance } from 'fastify'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { mountReference, REFERENCE_POLICY } from './reference-site.ts'

const GUIDE = '<h1>A guide</h1>'
let folder: string
let app: FastifyInstance

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'svc-reference-'))
  const files = {
    'docs.html': '<h1>Docs</h1>',
    'docs/404.html': '<h1>There is no such page</h1>',
    'docs/guides/api.html': GUIDE,
    'docs/guides/api.html.gz': gzipSync(GUIDE),
    'docs/guides/api.md': '# A guide',
    'docs/search.json': '[]',
    'llms.txt': '# SVC',
    'docs/secret.key': 'no page',
  }
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(join(folder, 'site', name, '..'), { recursive: true })
    writeFileSync(join(folder, 'site', name), text)
  }
  app = Fastify()
  mountReference(app, folder)
})
afterAll(async () => {
  await app.close()
  rmSync(folder, { recursive: true })
})

const get = (url: string, headers: Record<string, string> = {}) => app.inject({ url, headers })

test.each([
  ['/docs', 'text/html; charset=utf-8', '<h1>Docs</h1>'],
  ['/docs/', 'text/html; charset=utf-8', '<h1>Docs</h1>'],
  ['/docs/guides/api?from=mail', 'text/html; charset=utf-8', GUIDE],
  ['/docs/guides/api.md', 'text/markdown; charset=utf-8', '# A guide'],
  ['/docs/search.json', 'application/json; charset=utf-8', '[]'],
  ['/llms.txt', 'text/plain; charset=utf-8', '# SVC'],
])('GET %s is there, under a policy that runs nothing inline', async (url, type, body) => {
  const answer = await get(url)
  expect([answer.statusCode, answer.headers['content-type'], answer.body]).toEqual([200, type, body])
  expect(answer.headers['content-security-policy']).toBe(REFERENCE_POLICY)
  expect(REFERENCE_POLICY).not.toMatch(/unsafe|https?:|\*/)
})

test('a page is sent as it was compressed to who takes it so, and plain to others', async () => {
  const packed = await get('/docs/guides/api', { 'accept-encoding': 'gzip' })
  expect([packed.headers['content-encoding'], packed.rawPayload]).toEqual(['gzip', gzipSync(GUIDE)])
  // There is no such file for brotli.
  const plain = await get('/docs/guides/api', { 'accept-encoding': 'br' })
  expect([plain.headers['content-encoding'], plain.body]).toEqual([undefined, GUIDE])
})

test.each([
  '/docs/guides/none',
  '/docs/404',
  '/docs/guides/api.html',
  '/docs/guides/api.html.gz',
  '/docs/secret.key',
  '/docs/guides%2fapi',
  '/docs/%00',
  `/docs/${'a/'.repeat(5_000)}`,
])('GET %s is a 404: a page for people, an error for programs', async (url) => {
  const forPeople = await get(url, { accept: 'text/html,*/*' })
  expect([forPeople.statusCode, forPeople.body]).toEqual([404, '<h1>There is no such page</h1>'])
  expect((await get(url)).statusCode).not.toBe(200)
})
