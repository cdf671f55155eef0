/**
 * Names of fields are chosen by clients: one of megabytes costs no more than any other text of its length, whatever it
 * is made of, and nothing of it is left once it is answered.
 */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startStubUpstream, type StubUpstream } from '../packages/server/testing/stub-upstream.ts'
import { startTestGateway, type TestGateway } from '../packages/server/testing/test-gateway.ts'

let stub: StubUpstream
let gateway: TestGateway

beforeAll(async () => {
  stub = await startStubUpstream()
  gateway = await startTestGateway({ upstreamUrl: stub.url, credits: '1000000' })
})

afterAll(async () => {
  await gateway.stop()
  await stub.close()
})

/** A request to each endpoint that takes JSON of a model, without its closing brace. */
const requests = {
  '/v1/chat/completions': '{"model":"no-such-model","messages":[{"role":"user","content":"x"}]',
  '/v1/completions': '{"model":"no-such-model","prompt":"x"',
  '/v1/responses': '{"model":"no-such-model","store":false,"input":"x"',
  '/v1/messages': '{"model":"no-such-model","max_tokens":5,"messages":[{"role":"user","content":"x"}]',
  '/v1/responses/input_tokens': '{"model":"no-such-model","input":"x"',
  '/v1/messages/count_tokens': '{"model":"no-such-model","messages":[{"role":"user","content":"x"}]',
  '/v1/embeddings': '{"model":"no-such-model","input":"x"',
  '/v1/rerank': '{"model":"no-such-model","query":"x","documents":["x"]',
  '/v1/moderations': '{"model":"no-such-model","input":"x"',
  '/v1/images/generations': '{"model":"no-such-model","prompt":"x"',
  '/v1/images/edits': '{"model":"no-such-model","prompt":"x","images":[{"image_url":"https://example.com/a.png"}]',
  '/v1/audio/speech': '{"model":"no-such-model","voice":"alloy","input":"x"',
  '/v1/videos': '{"model":"no-such-model","prompt":"x"',
} as const

async function cpuMs(path: string, body: string): Promise<number> {
  const before = process.cpuUsage()
  const response = await gateway.fetch(path, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'anthropic-version': '2023-06-01' },
    body,
  })
  await response.text()
  const { user, system } = process.cpuUsage(before)
  expect([400, 404]).toContain(response.status)
  return (user + system) / 1_000
}

/** The least of a few tries: what else the process does at that moment, such as collecting garbage, is not meant. */
async function leastCpuMs(path: string, body: string, enough: number): Promise<number> {
  let least = Number.POSITIVE_INFINITY
  for (let tries = 0; tries < 5 && least > enough; tries++) least = Math.min(least, await cpuMs(path, body))
  return least
}

/** Below the least limit of a body, that of speech. */
const BYTES = 900_000
const worst = { 'combining marks': '\u0300\u0327', 'ligatures of many letters': '\ufdfa', 'full width': 'ｎ_' }

describe.each(Object.entries(requests))('%s', (path, start) => {
  test.each(Object.entries(worst))('a name of %s costs little', async (_what, characters) => {
    const name = `a${characters.repeat(BYTES / Buffer.byteLength(characters))}`
    const enough = 3 * (await leastCpuMs(path, `${start},"a":"${name}"}`, 0)) + 300
    expect(await leastCpuMs(path, `${start},"${name}":1}`, enough)).toBeLessThanOrEqual(enough)
    expect(await leastCpuMs(path, `${start},"options":{"${name}":1}}`, enough)).toBeLessThanOrEqual(enough)
  })
})
