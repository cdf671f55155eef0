import { createServer, type IncomingMessage, request as openRequest } from 'node:http'
import { expect, test } from 'vitest'
import { BodyBudget, readBody } from './read-body.ts'

/** Sends a whole body, leaves before anybody has read it, and answers the request as the server holds it then. */
async function abandonedRequest(): Promise<IncomingMessage> {
  const { promise, resolve } = Promise.withResolvers<IncomingMessage>()
  const server = createServer((request) => {
    request.once('close', () => resolve(request))
    client.destroy()
  })
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening))
  const address = server.address()
  const port = typeof address === 'object' && address !== null ? address.port : 0
  const client = openRequest({ port, host: '127.0.0.1', method: 'POST' }).on('error', () => undefined)
  client.end('{}')
  const request = await promise
  server.close()
  return request
}

test('a body whose sender left before it was read is refused, and takes no memory', async () => {
  const request = await abandonedRequest()
  const budget = new BodyBudget(2)
  await expect(readBody(request, { bytesMax: 100, budget })).rejects.toMatchObject({ code: 'invalid_json' })
  expect(() => budget.take(2)).not.toThrow()
})
