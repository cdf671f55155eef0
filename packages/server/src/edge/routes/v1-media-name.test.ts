import { expect, test } from 'vitest'
import { forgeSignature } from '../../../testing/forge-signature.ts'
import { useGateway } from '../../../testing/use-gateway.ts'

const clock = { moved: 0, now: () => Date.now() + clock.moved }
const body = Buffer.from(Array.from({ length: 1_000 }, (_, at) => at % 256))

const gateway = useGateway(() => ({ clock, file: { limits: { failed_auth_per_minute: 120 } } }))

async function* bodySource(): AsyncGenerator<Uint8Array> {
  yield body
}

async function keep(contentType: 'image/png' | 'image/svg+xml' = 'image/png', lifeMs = 3_600_000) {
  const { files, signer } = gateway.gateway.media
  const expiresAt = clock.now() + lifeMs
  const { name } = await files.put({ source: bodySource(), contentType, expiresAt, bytesMax: 10_000 })
  return { name, url: `${gateway.baseUrl}${signer.sign(`/v1/media/${name}`, expiresAt)}` }
}

async function codeOf(response: Response): Promise<string> {
  const { error } = (await response.json()) as { error: { code: string } }
  return error.code
}

test('a signed address gives the file without a key, with what browsers need to show it and not run it', async () => {
  const { name, url } = await keep()
  const answer = await fetch(url)
  expect(answer.status).toBe(200)
  expect(Buffer.from(await answer.arrayBuffer()).equals(body)).toBe(true)
  expect(Object.fromEntries(answer.headers)).toMatchObject({
    'content-type': 'image/png',
    'content-length': '1000',
    'content-disposition': `inline; filename="${name}"`,
    'accept-ranges': 'bytes',
    etag: `"${name}"`,
    'x-content-type-options': 'nosniff',
    'access-control-allow-origin': '*',
    'cross-origin-resource-policy': 'cross-origin',
  })
  expect(answer.headers.get('cache-control')).toMatch(/^private, max-age=3[56]\d\d, immutable$/)
  expect(answer.headers.get('content-security-policy')).toContain('sandbox')
})

test('a drawing that could hold a script is to be saved, not shown', async () => {
  const { url } = await keep('image/svg+xml')
  expect((await fetch(url)).headers.get('content-disposition')).toMatch(/^attachment; /)
})

test('HEAD gives the headers of the whole alone', async () => {
  const { url } = await keep()
  const answer = await fetch(url, { method: 'HEAD', headers: { range: 'bytes=0-9' } })
  expect([answer.status, answer.headers.get('content-length')]).toEqual([200, '1000'])
  expect(await answer.text()).toBe('')
})

test('Range gives a part, or says how long the file is', async () => {
  const { url } = await keep()
  const part = await fetch(url, { headers: { range: 'bytes=998-' } })
  expect([part.status, part.headers.get('content-range'), part.headers.get('content-length')]).toEqual([
    206,
    'bytes 998-999/1000',
    '2',
  ])
  expect([...new Uint8Array(await part.arrayBuffer())]).toEqual([230, 231])
  const nowhere = await fetch(url, { headers: { range: 'bytes=1000-' } })
  expect([nowhere.status, nowhere.headers.get('content-range')]).toEqual([416, 'bytes */1000'])
  expect(nowhere.headers.get('content-disposition')).toBeNull()
  expect(await codeOf(nowhere)).toBe('range_not_satisfiable')
})

test('a part is given only of the file that the caller began with', async () => {
  const { name, url } = await keep()
  const statusWith = async (headers: Record<string, string>): Promise<number> => (await fetch(url, { headers })).status
  expect(await statusWith({ range: 'bytes=0-1', 'if-range': `"${name}"` })).toBe(206)
  expect(await statusWith({ range: 'bytes=0-1', 'if-range': '"another"' })).toBe(200)
  expect(await statusWith({ 'if-none-match': `"other", W/"${name}"` })).toBe(304)
  expect(await statusWith({ 'if-none-match': '"other"' })).toBe(200)
})

test('a changed address opens nothing, and reveals no file', async () => {
  const { url } = await keep()
  const other = await keep()
  const missing = url.replace(/-[0-9a-f]{32}/, `-${'0'.repeat(32)}`)
  const changed = [
    url.replace(/expires=\d/, 'expires=9'),
    forgeSignature(url),
    url.replace(/\?.*/, ''),
    url.replace(/\/media\/[^?]+/, `/media/${other.name}`),
    url.replace(/\/media\/[^?]+/, '/media/..%2Fsvc.db'),
    missing,
  ]
  for (const each of changed) {
    const answer = await fetch(each)
    expect([each, answer.status, await codeOf(answer)]).toEqual([each, 403, 'invalid_signature'])
  }
})

test('an address ends, and so does a file that was removed', async () => {
  const { name, url } = await keep('image/png', 5_000)
  await gateway.gateway.media.files.remove(name)
  const removed = await fetch(url)
  expect([removed.status, await codeOf(removed)]).toEqual([404, 'file_not_found'])
  clock.moved += 6_000
  const late = await fetch(url)
  expect([late.status, await codeOf(late)]).toEqual([404, 'content_expired'])
})

test('trying addresses is slowed down, using right ones is not', async () => {
  const { url } = await keep()
  const statuses = async (address: string): Promise<Set<number>> => {
    const answers = await Promise.all(Array.from({ length: 40 }, () => fetch(address)))
    await Promise.all(answers.map((answer) => answer.arrayBuffer()))
    return new Set(answers.map((answer) => answer.status))
  }
  expect(await statuses(forgeSignature(url))).toContain(429)
  expect(await statuses(url)).toEqual(new Set([200]))
})

test('a client that only reads may not write, and the log holds no signature', async () => {
  const { url } = await keep()
  expect((await fetch(url, { method: 'POST' })).status).toBe(405)
  const signature = new URL(url).searchParams.get('signature') ?? 'none'
  await fetch(url)
  expect(gateway.logged.join('\n')).not.toContain(signature)
})
