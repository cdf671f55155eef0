import { afterEach, beforeEach, expect, test } from 'vitest'
import { fileBytes, startStubVideoUpstream, type StubVideoUpstream } from '../../testing/stub-video-upstream.ts'
import { DIRECT } from '../platform/outbound/open-dispatcher.ts'
import { createEgress, type Egress } from './egress-guard.ts'
import { openExternalVideo } from './open-external-video.ts'

const TIMEOUTS = { connectMs: 2_000, firstByteMs: 2_000, idleMs: 2_000 }

let stub: StubVideoUpstream
let strict: Egress
let open: Egress
beforeEach(async () => {
  stub = await startStubVideoUpstream()
  strict = createEgress({ timeouts: TIMEOUTS, findProxy: DIRECT })
  open = createEgress({
    ...{ timeouts: TIMEOUTS, findProxy: DIRECT, protocols: ['http:'] },
    isAllowed: (address) => address === '127.0.0.1',
  })
})
afterEach(async () => {
  await Promise.all([strict.close(), open.close(), stub.close()])
})

const read = (egress: Egress, url: string) =>
  openExternalVideo({ egress, upstream: 'stub' }, new URL(url), { range: null })

// Case B091, for addresses that an upstream names.
test.each([
  'http://example.com/a.mp4',
  'ftp://example.com/a.mp4',
  'https://127.0.0.1/a.mp4',
  'https://[::1]/a.mp4',
  'https://[::ffff:10.0.0.1]/a.mp4',
  'https://169.254.169.254/latest/meta-data',
  'https://2130706433/a.mp4',
  'https://0x7f.1/a.mp4',
  'https://user:secret@example.com/a.mp4',
])('%s is not asked', async (url) => {
  await expect(read(strict, url)).rejects.toMatchObject({
    code: 'upstream_error',
    internal: { upstreamCodes: ['forbidden_address'] },
  })
})

test('a name that leads to this machine is not connected to', async () => {
  const port = new URL(stub.url).port
  await expect(read(strict, `https://localhost:${port}/v1/videos/x/content`)).rejects.toMatchObject({
    code: 'upstream_error',
  })
  expect(stub.downloads).toEqual([])
})

test('a file at an allowed address is read, without any key, behind redirects that are allowed too', async () => {
  const seen: (string | undefined)[] = []
  stub.intercept = (request, response) => {
    seen.push(request.headers.authorization)
    if (request.path === '/first') response.writeHead(302, { location: '/second' }).end()
    else response.writeHead(200, { 'content-type': 'video/mp4' }).end(fileBytes(0, 99))
    return true
  }
  const opened = await read(open, `${new URL(stub.url).origin}/first`)
  if (opened.kind !== 'open') throw new Error('it is not open')
  const chunks: Buffer[] = []
  for await (const chunk of opened.content.body) chunks.push(chunk as Buffer)
  expect(Buffer.concat(chunks)).toEqual(fileBytes(0, 99))
  expect(seen).toEqual([undefined, undefined])
})

test.each(['http://10.0.0.1/x', 'file:///etc/passwd', '/again'])(
  'a redirect to %s is not followed',
  async (location) => {
    let asked = 0
    stub.intercept = (_request, response) => {
      asked++
      response.writeHead(302, { location }).end()
      return true
    }
    await expect(read(open, `${new URL(stub.url).origin}/first`)).rejects.toMatchObject({ code: 'upstream_error' })
    expect(asked).toBeLessThanOrEqual(4)
  },
)
