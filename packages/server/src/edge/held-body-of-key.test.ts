/** A body that is held back: what its key may do is decided when it is there, at every endpoint that takes a body. */
import { type Endpoint, endpointList, nanocreditsOf, NANOCREDITS_PER_CREDIT } from '@svc/contract'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type BrowserSession, createBrowserSession } from '../../testing/browser-session.ts'
import { grantCredits } from '../../testing/gateway-books.ts'
import { holdRequest, type LateAnswer } from '../../testing/hold-request.ts'
import { makeWav } from '../../testing/make-wav.ts'
import { describeEachEngine } from '../../testing/test-database.ts'
import { startTestGateway, type TestGateway } from '../../testing/test-gateway.ts'

interface Made {
  readonly id: string
  readonly key: string
}

type Sent = { readonly type: string; readonly body: Buffer }

const json = (value: unknown): Sent => ({ type: 'application/json', body: Buffer.from(JSON.stringify(value)) })

function form(fields: Readonly<Record<string, string>>, file?: Buffer): Sent {
  const part = (name: string, more = '') => `--b\r\ncontent-disposition: form-data; name="${name}"${more}\r\n\r\n`
  const pieces = Object.entries(fields).map(([name, value]) => Buffer.from(`${part(name)}${value}\r\n`))
  const files = file === undefined ? [] : [Buffer.from(part('file', '; filename="a.wav"')), file, Buffer.from('\r\n')]
  return {
    type: 'multipart/form-data; boundary=b',
    body: Buffer.concat([...pieces, ...files, Buffer.from('--b--\r\n')]),
  }
}

const messages = [{ role: 'user', content: 'hi' }]

/** One that is charged, or answered, where its key may ask. */
const REQUESTS: Readonly<Record<string, readonly Sent[]>> = {
  createChatCompletion: [json({ model: 'svc-gpt', messages }), json({ model: 'svc-gpt', messages, stream: true })],
  createResponse: [json({ model: 'svc-gpt', input: 'hi' })],
  countResponseTokens: [json({ model: 'svc-gpt', input: 'hi' })],
  createMessage: [json({ model: 'svc-gpt', max_tokens: 5, messages })],
  countMessageTokens: [json({ model: 'svc-gpt', messages })],
  createEmbedding: [json({ model: 'openai/text-embedding-3-small', input: 'hi' })],
  createImage: [json({ model: 'openai/gpt-image-1-mini', prompt: 'a cat', size: '1024x1024' })],
  createSpeech: [json({ model: 'openai/gpt-4o-mini-tts-2025-12-15', input: 'hi', voice: 'alloy' })],
  createTranscription: [form({ model: 'openai/whisper-1' }, makeWav(9_000))],
  createVideo: [json({ model: 'google/veo-3.1-lite', prompt: 'a cat', duration: 4 })],
}

const takesBody = ({ auth, request }: Endpoint): boolean =>
  auth === 'key' && (request.body !== undefined || request.form !== undefined)
const withBody = endpointList.filter(takesBody)

/** Every way of sending a body to an endpoint: that it is no request shows only once the key has been asked. */
const anyBodies = (endpoint: Endpoint): readonly Sent[] => [
  ...(endpoint.request.body === undefined ? [] : [json({})]),
  ...(endpoint.request.form === undefined ? [] : [form({ prompt: 'x' })]),
]

interface HeldCall {
  readonly name: string
  readonly finish: () => Promise<LateAnswer>
}

describeEachEngine('a body that is held back', (engine) => {
  let gateway: TestGateway
  let owner: BrowserSession
  let base = ''
  let aheadMs = 0

  beforeAll(async () => {
    gateway = await startTestGateway({ engine, clock: { now: () => Date.now() + aheadMs } })
    await signIn()
    // What looks at the account before it reads a body has nothing to refuse.
    const accounts = await gateway.gateway.database.read.selectFrom('account').select('account_id').execute()
    const credit = nanocreditsOf(NANOCREDITS_PER_CREDIT)
    for (const { account_id: id } of accounts) await grantCredits(gateway.gateway, id, credit)
  })
  afterAll(() => gateway.stop())

  async function signIn(): Promise<void> {
    owner = createBrowserSession(gateway.baseUrl)
    await owner.json('POST', '/auth/sign-in/demo', {})
    const { teams } = await owner.json<{ teams: readonly { id: string }[] }>('GET', '/console/session')
    base = `/console/teams/${teams[0]?.id}`
  }

  const makeKey = (more: object = {}) =>
    owner.json<Made>('POST', `${base}/keys`, { name: 'k', kind: 'service', ...more })

  function hold(key: string, endpoints: readonly Endpoint[], bodiesOf: (endpoint: Endpoint) => readonly Sent[]) {
    const calls = endpoints.flatMap((endpoint) => bodiesOf(endpoint).map((sent) => ({ endpoint, sent })))
    return Promise.all(
      calls.map(async ({ endpoint: { method, path }, sent: { type, body } }): Promise<HeldCall> => {
        const headers = { authorization: `Bearer ${key}`, 'content-type': type }
        const finish = await holdRequest(gateway.baseUrl, { method, path, headers, body })
        return { name: `${path} ${type.split(';')[0]}`, finish }
      }),
    )
  }

  async function statuses(held: readonly HeldCall[]) {
    const answers = await Promise.all(held.map(async ({ name, finish }) => [name, await finish()] as const))
    return answers.map(([name, { status, code }]) => [name, status, code] as const)
  }

  const ENDS: Readonly<Record<string, (key: Made) => Promise<unknown>>> = {
    revoked: ({ id }) => owner.call('DELETE', `${base}/keys/${id}`),
    rotated: ({ id }) => owner.call('POST', `${base}/keys/${id}/rotate`, { overlap_hours: 0 }),
    expired: () => {
      aheadMs = 2 * 3_600_000
      return Promise.resolve()
    },
  }

  test.each(Object.keys(ENDS))('counts for nothing with a key that is %s meanwhile', async (end) => {
    const key = await makeKey({ expires_at: Math.floor(Date.now() / 1_000) + 3_600 })
    // Keys of the console may not make others: they are refused by their rights before a body is read.
    const allowed = withBody.filter(({ right }) => right !== 'keys')
    const held = await hold(key.key, allowed, anyBodies)
    expect(held.length).toBeGreaterThan(15)
    await ENDS[end]?.(key)
    const answers = await statuses(held)
    aheadMs = 0
    expect(answers).toEqual(held.map(({ name }) => [name, 401, expect.anything()]))
  })

  test('counts for nothing with a key of a playground that is signed out meanwhile', async () => {
    const { key } = await owner.json<Made>('POST', `${base}/playground-key`, {})
    const asking = withBody.filter(({ right }) => right === 'inference')
    const held = await hold(key, asking, anyBodies)
    await owner.call('POST', '/auth/sign-out', {})
    const answers = await statuses(held)
    await signIn()
    expect(answers).toEqual(held.map(({ name }) => [name, 401, expect.anything()]))
  })

  test('reaches no model that was taken from its key meanwhile', async () => {
    const key = await makeKey()
    const asking = withBody.filter(({ id }) => id in REQUESTS)
    const held = await hold(key.key, asking, ({ id }) => REQUESTS[id as keyof typeof REQUESTS] ?? [])
    const change = await owner.call('PATCH', `${base}/keys/${key.id}`, { models: ['svc-opus'] })
    expect(change.status).toBe(200)
    expect(await statuses(held)).toEqual(held.map(({ name }) => [name, 403, expect.anything()]))
  })

  test('is asked about nothing for an account that was suspended meanwhile', async () => {
    const key = await makeKey()
    const asking = withBody.filter(({ id }) => id in REQUESTS)
    const held = await hold(key.key, asking, ({ id }) => REQUESTS[id as keyof typeof REQUESTS] ?? [])
    const { data } = await owner.json<{ data: readonly { id: string; name: string }[] }>(
      'GET',
      '/console/operator/accounts?q=Demo',
    )
    const state = `/console/operator/accounts/${data[0]?.id}/state`
    expect((await owner.call('POST', state, { state: 'suspended', reason: 'a test of this' })).status).toBe(200)
    const answers = await statuses(held)
    await owner.call('POST', state, { state: 'active', reason: 'a test of this' })
    expect(answers).toEqual(held.map(({ name }) => [name, 403, expect.anything()]))
  })
})
