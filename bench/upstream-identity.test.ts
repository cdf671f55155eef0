import { X509Certificate } from 'node:crypto'
import { connect, createServer } from 'node:tls'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { expect, test } from 'vitest'
import { createUpstreamIdentity } from './upstream-identity.ts'

const now = Date.now()

test('the certificate is signed by its own key and is valid for this machine alone', () => {
  const certificate = new X509Certificate(createUpstreamIdentity(now).cert)
  expect(certificate.verify(certificate.publicKey)).toBe(true)
  expect(certificate.checkIP('127.0.0.1')).toBe('127.0.0.1')
  expect(certificate.checkHost('localhost')).toBe('localhost')
  expect(certificate.checkHost('example.org')).toBeUndefined()
  expect(Date.parse(certificate.validTo) - now).toBeLessThanOrEqual(86_400_000)
})

test('a client that trusts the certificate connects', async () => {
  const identity = createUpstreamIdentity(now)
  const server = createServer(identity, (socket) => socket.end('hello'))
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const client = connect({ host: '127.0.0.1', port: (server.address() as AddressInfo).port, ca: identity.cert })
  const [data] = await once(client, 'data')
  expect(String(data)).toBe('hello')
  expect(client.authorized).toBe(true)
  client.destroy()
  server.close()
})
