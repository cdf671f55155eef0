/**
 * An upstream that does not serve our account, whatever the status and the words by which it says so: another one is
 * asked, the client learns nothing of it, and the operator reads whose trouble it was. In every form of a chat.
 */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startTestGateway, type TestGateway } from '../packages/server/testing/test-gateway.ts'
import { useStubUpstream } from '../packages/server/testing/use-stub-upstream.ts'
import { chargeOf, lastRecord } from './charge-of.ts'
import { askSurface, textSurfaces } from './surfaces.ts'

const first = useStubUpstream()
const second = useStubUpstream()
const PRICE = { input: '1', output: '2' }
/** 10 and 5 tokens, a fifth on top, in nanocredits. */
const CHARGE = 10n * 1_200_000n + 5n * 2_400_000n
let gateway: TestGateway

beforeAll(async () => {
  const upstream = (name: string, url: string) => ({ name, kind: 'openai-compatible' as const, url })
  const target = (name: string) => ({ upstream: name, model: 'm', price: PRICE })
  gateway = await startTestGateway({
    file: {
      upstreams: [upstream('first', first.url), upstream('second', second.url)],
      routes: { local: { targets: [target('first'), target('second')] }, alone: target('first') },
    },
  })
})
afterAll(() => gateway.stop())

const TROUBLES = [
  [
    'a key that is not valid, as a bad request',
    400,
    { error: { message: 'API key not valid. Please pass a valid API key.', code: 400 } },
  ],
  [
    'credit that is used up, as a bad request',
    400,
    {
      error: { message: 'Your credit balance is too low to access the Anthropic API.', type: 'invalid_request_error' },
    },
  ],
  [
    'a quota that is used up, as too many requests',
    429,
    { error: { message: 'Add credits.', code: 'insufficient_quota' } },
  ],
  ['a key that is refused', 401, { error: { message: 'Incorrect API key provided: sk-se*******23.' } }],
  ['a balance, as an error of its own', 500, { error: { message: 'Insufficient Balance' } }],
] as const

describe.each(textSurfaces)('$name', (surface) => {
  test.each(TROUBLES)('%s (%d): another is asked, and the operator reads why', async (_name, status, body) => {
    first.onChat = (_call, response) =>
      void response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
    first.chats.length = second.chats.length = gateway.logged.length = 0
    const { result, charge } = await chargeOf(gateway, () => askSurface(gateway, surface))
    expect([result.status, result.error, charge]).toEqual([200, null, CHARGE])
    expect([first.chats.length, second.chats.length]).toEqual([1, 1])
    expect((await lastRecord(gateway)).status).toBe('ok')
    const repeats = gateway.logged.filter((line) => line.includes('an attempt is repeated'))
    expect(repeats.map((line) => JSON.parse(line) as unknown)).toMatchObject([
      { reason: 'fallback', from: 'first', to: 'second', failure: 'our_account' },
    ])

    const alone = await chargeOf(gateway, () => askSurface(gateway, surface, { model: 'alone' }))
    expect([alone.result.status, alone.result.error, alone.charge]).toEqual([503, 'upstream_unavailable', 0n])
    expect(alone.result.raw).not.toMatch(/credit|balance|key|quota/i)
  })
})
