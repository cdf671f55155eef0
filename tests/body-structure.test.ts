/** Bodies whose structure costs more than their bytes: refused while their bytes are counted, before anything parses. */
import { describe, expect, test } from 'vitest'
import { useGateway } from '../packages/server/testing/use-gateway.ts'
import { useStubUpstream } from '../packages/server/testing/use-stub-upstream.ts'
import { REQUEST_JSON } from '../packages/server/src/platform/json/json-limits.ts'

const stub = useStubUpstream()
const gateway = useGateway(() => ({ upstreamUrl: stub.url, credits: '1000000' }))

/** A request to each endpoint that takes JSON, without its closing brace. */
const requests = {
  '/v1/chat/completions': '{"model":"svc-gpt","messages":[{"role":"user","content":"x"}]',
  '/v1/completions': '{"model":"svc-gpt","prompt":"x"',
  '/v1/responses': '{"model":"svc-gpt","input":"x"',
  '/v1/messages': '{"model":"svc-opus","max_tokens":5,"messages":[{"role":"user","content":"x"}]',
  '/v1/responses/input_tokens': '{"model":"svc-opus","input":"x"',
  '/v1/messages/count_tokens': '{"model":"svc-opus","messages":[{"role":"user","content":"x"}]',
  '/v1/embeddings': '{"model":"openai/text-embedding-3-small","input":"x"',
  '/v1/rerank': '{"model":"svc-gpt","query":"x","documents":["x"]',
  '/v1/moderations': '{"model":"svc-gpt","input":"x"',
  '/v1/images/generations': '{"model":"svc-image","prompt":"x"',
  '/v1/images/edits': '{"model":"svc-image","prompt":"x"',
  '/v1/audio/speech': '{"model":"openai/gpt-4o-mini-tts","voice":"alloy","input":"x"',
  '/v1/videos': '{"model":"svc-video","prompt":"x"',
  '/v1/videos/generations': '{"model":"svc-video","prompt":"x"',
  '/deposits/claim': '{"chainId":4663',
  '/deposits/wallets/challenge': '{"address":"x"',
  '/deposits/wallets': '{"message":"x"',
  '/keys/mirror': '{"name":"x"',
  '/notify/deposit': '{"email":"x"',
} as const

interface Told {
  readonly status: number
  readonly code: string | undefined
  readonly param: string | null | undefined
  readonly message: string | undefined
}

async function post(path: string, body: string): Promise<Told> {
  const response = await gateway.fetch(path, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'anthropic-version': '2023-06-01' },
    body,
  })
  const { error } = (await response.json()) as { error?: { code?: string; param?: string | null; message?: string } }
  return { status: response.status, code: error?.code, param: error?.param, message: error?.message }
}

/** Values of much structure. */
const excesses: Readonly<Record<string, readonly [value: string, told: string]>> = {
  'arrays within arrays': [`${'['.repeat(6_000)}${']'.repeat(6_000)}`, '256 levels'],
  'objects within objects': [`${'{"a":'.repeat(6_000)}1${'}'.repeat(6_000)}`, '256 levels'],
  'a number of many digits': ['7'.repeat(1_001), '1,000 characters'],
}

describe.each(Object.entries(requests))('%s', (path, start) => {
  test.each(Object.entries(excesses))('refuses %s and names the field', async (_what, [value, told]) => {
    const answer = await post(path, `${start},"extra":${value}}`)
    expect(answer).toMatchObject({ status: 400, param: 'extra', message: expect.stringContaining(told) })
  })
})

const { members, objectMembers, elements } = REQUEST_JSON
const unknown = (count: number): string => Array.from({ length: count }, (_, index) => `"k${index}":1`).join(',')
const chat = requests['/v1/chat/completions']

test.each([
  ['members of one object', `${chat},${unknown(800_000)}}`, 'k', '10,000 members in one object'],
  [
    'members of many objects',
    `${chat},"extra":[${Array.from({ length: members / 2 }, () => '{"a":1,"b":2}').join(',')}]}`,
    'extra',
    '150,000 members',
  ],
  [
    'members of fields that no API has',
    `${chat},"extra":[${Array.from({ length: 3 }, () => `{${unknown(9_000)}}`).join(',')}]}`,
    'extra',
    '20,000 members',
  ],
  ['elements', `${chat},"extra":[${'1,'.repeat(elements)}1]}`, 'extra', '400,000 elements'],
])('too many %s are refused', async (_what, body, param, told) => {
  const answer = await post('/v1/chat/completions', body)
  expect(answer).toMatchObject({
    status: 400,
    code: 'invalid_value',
    param: expect.stringMatching(new RegExp(`^${param}`)),
    message: expect.stringContaining(told),
  })
})

test('a body at its limits is served', async () => {
  const deep = `${'['.repeat(254)}${']'.repeat(254)}`
  const body = `${chat},"seed":${'7'.repeat(16)},"extra":{"deep":${deep},"many":{${unknown(objectMembers)}}}}`
  expect((await post('/v1/chat/completions', body)).status).toBe(200)
})

test('the time of a refusal is that of reading its bytes, however many members they hold', async () => {
  const cpuMs = async (body: string): Promise<number> => {
    const before = process.cpuUsage()
    expect((await post('/v1/chat/completions', body)).status).toBe(400)
    const { user, system } = process.cpuUsage(before)
    return (user + system) / 1_000
  }
  const many = `${chat},${unknown(800_000)}}`
  const plain = `${chat},"stop":7,"extra":"${'x'.repeat(many.length - chat.length - 30)}"}`
  const least = async (body: string): Promise<number> =>
    Math.min(await cpuMs(body), await cpuMs(body), await cpuMs(body))
  // What is refused by its structure is not parsed, so it may not cost more than what is parsed and refused then.
  expect(await least(many)).toBeLessThan(3 * (await least(plain)) + 100)
})
