/** Limits count what a client has sent, are far above what agents send, and are said as they are. */
import { beforeEach, expect, test } from 'vitest'
import { sendCompletion } from '../packages/server/testing/stub-upstream.ts'
import { useGateway } from '../packages/server/testing/use-gateway.ts'
import { useStubUpstream } from '../packages/server/testing/use-stub-upstream.ts'

const stub = useStubUpstream()
const gateway = useGateway(() => ({
  ...{ upstreamUrl: stub.url, kind: 'openai-compatible' },
  file: { prices: { local: { input: '1', output: '2' } } },
}))

beforeEach(() => {
  stub.chats.length = 0
  stub.onChat = (_call, response) => sendCompletion(response)
})

const post = (path: string, body: object): Promise<Response> =>
  gateway.fetch(path, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ model: 'local', ...body }),
  })

const sentMessages = (): readonly unknown[] => (stub.chats.at(-1)?.json?.['messages'] ?? []) as readonly unknown[]

async function problemOf(response: Response): Promise<string> {
  const { error } = (await response.json()) as { readonly error: { readonly message: string; readonly param: string } }
  return `${response.status} ${error.param} ${error.message}`
}

const times = <Item>(length: number, make: (index: number) => Item): Item[] =>
  Array.from({ length }, (_n, at) => make(at))

test('a history of 300 rounds with several tools in each is taken', async () => {
  const messages = times(300, (round) => {
    const ids = times(8, (tool) => `call_${round}_${tool}`)
    return [
      { role: 'assistant', content: ids.map((id) => ({ type: 'tool_use', id, name: 'add', input: {} })) },
      { role: 'user', content: ids.map((id) => ({ type: 'tool_result', tool_use_id: id, content: '2' })) },
    ]
  }).flat()
  const sent = [{ role: 'user', content: 'Hi' }, ...messages]
  expect((await post('/v1/messages', { max_tokens: 5, messages: sent })).status).toBe(200)
  expect(sentMessages()).toHaveLength(1 + 300 * 9)
})

test('2,049 items are taken, and so are as many messages', async () => {
  const items = times(2_049, (at) => ({ role: at % 2 === 0 ? 'user' : 'assistant', content: 'Hi' }))
  expect((await post('/v1/responses', { input: items })).status).toBe(200)
  expect((await post('/v1/chat/completions', { messages: items })).status).toBe(200)
  expect(sentMessages()).toHaveLength(2_049)
})

test('what is too much is said as it is', async () => {
  const items = times(10_001, () => ({ role: 'user', content: 'x' }))
  const most = 'expected at most 10000 items.'
  expect(await problemOf(await post('/v1/responses', { input: items }))).toContain(
    `400 input Invalid value for 'input': ${most}`,
  )
  expect(await problemOf(await post('/v1/messages', { max_tokens: 5, messages: items }))).toContain(most)
  expect(await problemOf(await post('/v1/chat/completions', { messages: items }))).toContain(most)
  const stop = ['a', 'b', 'c', 'd', 'e']
  const hello = { messages: [{ role: 'user', content: 'x' }] }
  expect(await problemOf(await post('/v1/chat/completions', { ...hello, stop }))).toBe(
    "400 stop Invalid value for 'stop': expected at most 4 items.",
  )
  expect(await problemOf(await post('/v1/chat/completions', { ...hello, stop: 5 }))).toBe(
    "400 stop Invalid value for 'stop': expected string or array.",
  )
})

test('who of a customer’s users asks is told by a name that says nothing, of a length that each upstream takes', async () => {
  const user_id = `user_${'ab12'.repeat(16)}_account_${'c'.repeat(36)}_session_${'d'.repeat(36)}`
  const ask = { max_tokens: 5, messages: [{ role: 'user', content: 'Hi' }] }
  const userFor = async (id: string): Promise<unknown> => {
    expect((await post('/v1/messages', { ...ask, metadata: { user_id: id } })).status).toBe(200)
    return stub.chats.at(-1)?.json?.['user']
  }
  const user = await userFor(user_id)
  expect(user).toMatch(/^[\w-]{43}$/)
  expect([await userFor(user_id), (await userFor(`${user_id}x`)) === user]).toEqual([user, false])
})

test('a page may send whatever headers a client has', async () => {
  const wanted = 'authorization,x-stainless-helper,x-stainless-anything-new,x-app'
  const response = await fetch(`${gateway.v1}/chat/completions`, {
    method: 'OPTIONS',
    headers: {
      origin: 'https://example.com',
      'access-control-request-method': 'POST',
      'access-control-request-headers': wanted,
    },
  })
  const allowed = response.headers.get('access-control-allow-headers')?.split(/, ?/)
  expect([response.status, allowed]).toEqual([204, expect.arrayContaining(wanted.split(','))])
})
