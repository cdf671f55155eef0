import { createServer, type IncomingMessage, request as openRequest } from 'node:http'
import { expect, test } from 'vitest'
import { BodyBudget, readBody } from './read-body.ts'

/** Sends a whole body, leaves before the server has read it, and answers the request as the server holds it then. */
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
  // Memory for a body of two bytes, with its copies.
  const budget = new BodyBudget({ bodyBytesInFlight: 8 })
  await expect(readBody(request, { bytesMax: 100, budget })).rejects.toMatchObject({ code: 'invalid_json' })
  expect(() => budget.take(2)).not.toThrow()
})

const MIB = 1_048_576

test('bodies are counted by the memory that they take: of eight of 31 MiB at once, four are admitted', () => {
  const budget = new BodyBudget({ bodyBytesInFlight: 512 * MIB })
  const admitted = Array.from({ length: 8 }, () => {
    try {
      budget.take(31 * MIB)
      return 31
    } catch {
      return 0
    }
  })
  expect(admitted).toEqual([31, 31, 31, 31, 0, 0, 0, 0])
  budget.give(31 * MIB)
  expect(() => budget.take(31 * MIB)).not.toThrow()
})

test('many small values take more memory than their bytes, and are counted', () => {
  const budget = new BodyBudget({ bodyBytesInFlight: MIB })
  budget.takeValues(16_384)
  expect(() => budget.take(1)).toThrow('too many large requests')
  budget.giveValues(16_384)
  expect(() => budget.take(MIB / 4)).not.toThrow()
})
