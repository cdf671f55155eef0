/** A network whose only way out is a proxy: upstreams, chains and mail go through it, and what is on this machine does not. */
import { createServer } from 'node:http'
import { createServer as createSecureServer } from 'node:https'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { createUpstreamIdentity } from '../bench/upstream-identity.ts'
import { createJsonRpc } from '../packages/server/src/chain/json-rpc.ts'
import { createSmtpMailer } from '../packages/server/src/platform/mail/smtp-mailer.ts'
import { openDispatcher } from '../packages/server/src/platform/outbound/open-dispatcher.ts'
import { createEgress } from '../packages/server/src/upstreams/egress-guard.ts'
import { openExternalVideo } from '../packages/server/src/upstreams/open-external-video.ts'
import { type HttpProxy, startHttpProxy } from '../packages/server/testing/http-proxy.ts'
import { listenOnLoopback } from '../packages/server/testing/loopback-server.ts'
import { useGateway } from '../packages/server/testing/use-gateway.ts'
import { useMailServer } from '../packages/server/testing/use-mail-server.ts'
import { useStubUpstream } from '../packages/server/testing/use-stub-upstream.ts'

const LIMITS = { connectMs: 5_000, headersMs: 5_000, bodyMs: 5_000 }
const LOGIN = `Basic ${Buffer.from('svc:pass word').toString('base64')}`
const question = { model: 'stub-model', max_tokens: 20, messages: [{ role: 'user', content: 'Hi' }] }

const stub = useStubUpstream()
const mail = useMailServer()
let proxy: HttpProxy
/** With a user and a password. */
let address: URL
beforeAll(async () => {
  proxy = await startHttpProxy()
  address = new URL(proxy.url.replace('http://', 'http://svc:pass%20word@'))
  proxy.places.set('upstream.example:80', Number(new URL(stub.origin).port))
  proxy.places.set('mail.example:587', mail.port)
})
afterAll(() => proxy.close())
beforeEach(() => {
  proxy.asked.length = 0
  proxy.logins.length = 0
})

const gateway = useGateway(() => ({
  upstreamUrl: 'http://upstream.example/v1',
  kind: 'openai-compatible',
  env: { HTTP_PROXY: address.href, SVC_DEFAULT_PRICE: '1/1' },
}))

test('an upstream is asked through the proxy, whole and streamed, and charged as ever', async () => {
  const before = await gateway.balance()
  for (const stream of [false, true]) {
    const response = await gateway.chat({ ...question, stream })
    expect(response.status).toBe(200)
    expect(await response.text()).toContain('Hello')
  }
  await gateway.settled()
  expect((await gateway.balance()).posted).toBeLessThan(before.posted)
  expect(proxy.asked.filter((each) => each.startsWith('POST http://upstream.example/v1/chat'))).toHaveLength(2)
  expect(new Set(proxy.logins)).toEqual(new Set([LOGIN]))
  expect(stub.chats.at(-1)?.headers['proxy-authorization']).toBeUndefined()
})

test('neither the log nor an answer says the password, also where the proxy is no help', async () => {
  const port = proxy.places.get('upstream.example:80') ?? 0
  proxy.places.delete('upstream.example:80')
  const refused = await gateway.chat(question)
  proxy.places.set('upstream.example:80', port)
  expect(refused.status).toBeGreaterThanOrEqual(400)
  expect(`${await refused.text()} ${gateway.logged.join('')}`).not.toMatch(/pass(%20| )word/)
  await gateway.settled()
})

test('a server with TLS is reached by a tunnel: the proxy sees neither request nor key', async () => {
  const far = await listenOnLoopback(
    createSecureServer(createUpstreamIdentity(Date.now()), (_request, response) => response.end()),
  )
  proxy.places.set('secure.example:443', far.port)
  const dispatcher = openDispatcher(new URL('https://secure.example'), () => address, LIMITS)
  const asked = dispatcher.request({ origin: 'https://secure.example', path: '/v1/models', method: 'GET' })
  // Nobody has signed its certificate, which is found out at the far end of the tunnel.
  await expect(asked).rejects.toMatchObject({ code: 'DEPTH_ZERO_SELF_SIGNED_CERT' })
  expect(proxy.asked).toEqual(['CONNECT secure.example:443'])
  expect(proxy.logins).toEqual([LOGIN])
  await Promise.all([dispatcher.destroy(), far.close()])
})

test('a chain is asked through the proxy', async () => {
  const node = await listenOnLoopback(
    createServer((_request, response) => void response.end('{"jsonrpc":"2.0","id":0,"result":"0x1237"}')),
  )
  proxy.places.set('node.example:80', node.port)
  const url = 'http://node.example/secret-in-the-path'
  const rpc = createJsonRpc({
    name: 'provider 1',
    url,
    dispatcher: openDispatcher(new URL(url), () => address, LIMITS),
  })
  expect(await rpc.request('eth_chainId', [])).toBe('0x1237')
  expect(proxy.asked).toEqual([`POST ${url}`])
  rpc.stop()
  await node.close()
})

test('an email leaves through the proxy', async () => {
  const server = { host: 'mail.example', port: 587, isSecure: false, requiresTls: false, login: null }
  const sender = () => Promise.resolve({ name: 'SVC', address: 'no-reply@gateway.example' })
  const mailer = createSmtpMailer(server, sender, (target) => (target.protocol === 'smtp:' ? address : null))
  const content = { subject: 'Hello', text: 'plain', html: '<p>marked</p>' }
  expect(await mailer.send({ mailId: 'one', recipient: 'ada@example.com', ...content })).toEqual({ kind: 'accepted' })
  expect(mail.received.at(-1)?.envelopeTo).toEqual(['ada@example.com'])
  expect(proxy.asked).toEqual(['CONNECT mail.example:587'])
  const elsewhere = createSmtpMailer({ ...server, host: 'refused.example' }, sender, () => address)
  expect(await elsewhere.send({ mailId: 'two', recipient: 'ada@example.com', ...content })).toMatchObject({
    kind: 'failed',
  })
})

test('an address that an upstream names is looked up here, and the tunnel leads to what was checked', async () => {
  stub.onOther = (_call, response) => void response.writeHead(200, { 'content-type': 'video/mp4' }).end('film')
  const { port } = new URL(stub.origin)
  proxy.places.set(`127.0.0.1:${port}`, Number(port))
  const options = { timeouts: { connectMs: 5_000, firstByteMs: 5_000, idleMs: 5_000 }, findProxy: () => address }
  const open = createEgress({ ...options, protocols: ['http:'], isAllowed: (each) => each === '127.0.0.1' })
  const strict = createEgress({ ...options, protocols: ['http:'] })
  const read = (egress: typeof open) =>
    openExternalVideo({ egress, upstream: 'stub' }, new URL(`http://localhost:${port}/film`), { range: null })
  const opened = await read(open)
  if (opened.kind !== 'open') throw new Error('it is not open')
  expect(await opened.content.body.toArray()).toEqual([Buffer.from('film')])
  expect(proxy.asked).toEqual([`CONNECT 127.0.0.1:${port}`])
  await expect(read(strict)).rejects.toMatchObject({ code: 'upstream_error' })
  expect(proxy.asked).toHaveLength(1)
  await Promise.all([open.close(), strict.close()])
})
