/** An orderly stop waits until the last bytes of each answer have left. */
import { expect, test } from 'vitest'
import { chunkText } from '../packages/server/testing/stub-upstream.ts'
import { startTestGateway } from '../packages/server/testing/test-gateway.ts'
import { useStubUpstream } from '../packages/server/testing/use-stub-upstream.ts'
import { askSurface, textSurfaces } from './surfaces.ts'

const stub = useStubUpstream()
const event = (data: string): string => `data: ${data}\n\n`

const COPIES = 8

test('streams that end while the gateway stops reach their clients whole', async () => {
  const gateway = await startTestGateway({
    ...{ upstreamUrl: stub.url, kind: 'openai-compatible' },
    file: { prices: { local: { input: '1', output: '2' } } },
  })
  const { promise: end, resolve: endAll } = Promise.withResolvers<void>()
  const { promise: begun, resolve: allBegan } = Promise.withResolvers<void>()
  const streamed = textSurfaces.filter(({ isStream }) => isStream)
  let open = 0
  stub.onChat = async (_call, response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    response.write(event(chunkText({ content: 'Hello' })))
    if (++open === streamed.length * COPIES) allBegan()
    await end
    response.end(event(chunkText({ content: 'x'.repeat(100_000) })) + event(chunkText({}, 'stop')) + event('[DONE]'))
  }
  const answers = Promise.all(
    // Responses without `store: false` are kept before their end leaves.
    streamed.flatMap((surface) =>
      Array.from({ length: COPIES }, () =>
        askSurface(gateway, surface, surface.path.endsWith('responses') ? { store: null } : {}),
      ),
    ),
  )
  await begun
  const stopped = gateway.gateway.stop()
  endAll()
  const read = await answers
  expect(read.map(({ finish, error }) => [finish, error])).toEqual(read.map(() => ['stop', null]))
  expect(read.every(({ text }) => text.length === 100_005)).toBe(true)
  expect(await stopped).toMatchObject({ unwritten: [], pending: 0 })
})
