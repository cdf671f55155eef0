import Fastify from 'fastify'
import { once } from 'node:events'
import { connect, type AddressInfo } from 'node:net'
import { expect, test } from 'vitest'
import { callerGone } from './stream-reader.ts'

/** Sends a request and leaves, or waits for its answer; says whether its caller is gone, once the response has closed. */
async function isGone(leaves: boolean): Promise<boolean> {
  const [arrived, told] = [Promise.withResolvers<void>(), Promise.withResolvers<boolean>()]
  const app = Fastify()
  app.get('/', async (_request, reply) => {
    const closed = once(reply.raw, 'close')
    arrived.resolve()
    if (!leaves) void reply.send('whole')
    await closed
    told.resolve(callerGone(reply).aborted)
    return reply
  })
  await app.listen({ host: '127.0.0.1', port: 0 })
  const { port } = app.server.address() as AddressInfo
  const socket = connect(port, '127.0.0.1')
  socket.write('GET / HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n')
  await arrived.promise
  if (leaves) socket.destroy()
  const gone = await told.promise
  await app.close()
  return gone
}

test('a caller who has left while other work was done is gone, and one who has got their answer is not', async () => {
  expect([await isGone(true), await isGone(false)]).toEqual([true, false])
})
