/** Lists of messages: what clients send that says nothing, and the gateway's own answers that they send back. */
import { expect, test } from 'vitest'
import { useGateway } from '../packages/server/testing/use-gateway.ts'
import { useStubUpstream } from '../packages/server/testing/use-stub-upstream.ts'
import { askSurface, surfaces } from './surfaces.ts'

const stub = useStubUpstream()
const gateway = useGateway(() => ({
  ...{ upstreamUrl: stub.url, kind: 'openai-compatible' },
  file: { prices: { local: { input: '1', output: '2' } } },
}))

const surfaceOf = (name: string) => {
  const surface = surfaces.find((each) => each.name === name)
  if (surface === undefined) throw new Error('no such form')
  return surface
}

// Servers refuse a message without a part, and some an empty text.
test.each<[string, object]>([
  ['messages whole', { system: '' }],
  ['messages whole', { system: [] }],
  ['messages whole', { system: [{ type: 'text', text: '' }] }],
  ['responses whole', { instructions: '' }],
])('%s: instructions that say nothing are no message: %j', async (name, more) => {
  expect((await askSurface(gateway, surfaceOf(name), { ...more })).status).toBe(200)
  expect(stub.chats.at(-1)?.json?.['messages']).toEqual([{ role: 'user', content: 'Hi' }])
})

test('an answer with an image alone comes back as it was', async () => {
  const image = { type: 'image_url', image_url: { url: 'data:image/png;base64,aaaa' } }
  const answer = { role: 'assistant', content: null, refusal: null, images: [image] }
  const messages = [{ role: 'user', content: 'Draw' }, answer, { role: 'user', content: 'Another' }]
  expect((await askSurface(gateway, surfaceOf('chat whole'), { messages })).status).toBe(200)
  expect(stub.chats.at(-1)?.json?.['messages']).toEqual(messages)
})
