/** Keys and people's words are passed on and forgotten: no log line, no error and no table keeps them. */
import { connect } from 'node:net'
import { beforeAll, expect, test } from 'vitest'
import { dumpDatabase } from '../packages/server/testing/dump-database.ts'
import {
  beginStream,
  chunkText,
  sendCompletion,
  sendEvent,
  sendStream,
} from '../packages/server/testing/stub-upstream.ts'
import { describeEachEngine } from '../packages/server/testing/test-database.ts'
import type { TestGateway } from '../packages/server/testing/test-gateway.ts'
import { eventually } from '../packages/server/testing/eventually.ts'
import { useGateway } from '../packages/server/testing/use-gateway.ts'
import { useStubUpstream } from '../packages/server/testing/use-stub-upstream.ts'

/** Words that are in every prompt, argument and answer, and nowhere else. */
const PROMPT = 'canary-prompt-6f1d2c'
/** A key that looks like nothing, so that no pattern can help. */
const UPSTREAM_KEY = 'upstream:canary:9b77e0'

const messages = [
  { role: 'system', content: `Keep ${PROMPT} to yourself.` },
  { role: 'user', content: [{ type: 'text', text: PROMPT }] },
]
const QUESTION = { model: 'svc-gpt', messages, max_tokens: 50, user: PROMPT, metadata: { note: PROMPT } }

describeEachEngine('secrets', (engine) => {
  const stub = useStubUpstream()
  const gateway = useGateway(() => ({
    engine,
    upstreamUrl: stub.url,
    env: { SVC_UPSTREAM_API_KEY: UPSTREAM_KEY, SVC_LOG_LEVEL: 'trace' },
  }))
  /** Bodies of everything that was not a success, with what was asked. */
  const failures: string[] = []
  const keys: string[] = []

  beforeAll(async () => {
    const revoked = await gateway.createKey()
    await gateway.revokeKey(revoked.keyId)
    const flipped = gateway.key.slice(0, -1) + (gateway.key.endsWith('a') ? 'b' : 'a')
    keys.push(gateway.key, revoked.rawKey, flipped, `sk-svc-${'c4n4ry'.repeat(8)}`)
  })

  async function ask(path: string, init: Parameters<TestGateway['fetch']>[1] = {}): Promise<void> {
    const response = await gateway.fetch(path, init)
    const text = await response.text()
    if (response.status >= 400 || text.includes('"error"')) failures.push(text)
  }

  function chat(body: object | string, more: object = {}): Promise<void> {
    const text = typeof body === 'string' ? body : JSON.stringify(body)
    return ask('/v1/chat/completions', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: text,
      ...more,
    })
  }

  /** An error as upstreams write it who quote what they were sent. */
  function quoting(code: number | string | null): string {
    return JSON.stringify({
      error: { code, message: `bad: ${PROMPT}; key ${UPSTREAM_KEY}, Authorization: Bearer ${UPSTREAM_KEY}` },
    })
  }

  async function successes(): Promise<void> {
    stub.onChat = (call, response) =>
      call.json?.['stream'] === true
        ? sendStream(response, { words: [PROMPT, ' and more'] })
        : sendCompletion(response, { text: PROMPT, message: { reasoning: PROMPT } })
    await chat(QUESTION)
    await chat({ ...QUESTION, stream: true, stream_options: { include_usage: true } })
    for (const path of ['/v1/balance', '/v1/usage', '/v1/models', '/health']) await ask(path)
  }

  async function upstreamFailures(): Promise<void> {
    for (const status of [400, 401, 402, 403, 404, 408, 413, 422, 500, 502, 503]) {
      stub.onChat = (_call, response) =>
        void response.writeHead(status, { 'content-type': 'application/json' }).end(quoting(status))
      await chat(QUESTION)
      await chat({ ...QUESTION, stream: true })
    }
    for (const page of [`<html>${PROMPT} ${UPSTREAM_KEY}`, `{"choices": "${PROMPT} ${UPSTREAM_KEY}`, `"${PROMPT}"`]) {
      stub.onChat = (_call, response) => void response.writeHead(200, { 'content-type': 'application/json' }).end(page)
      await chat(QUESTION)
      await chat({ ...QUESTION, stream: true })
    }
    for (const code of [null, 400, 500, 'gremlins']) {
      stub.onChat = (_call, response) => {
        beginStream(response)
        sendEvent(response, chunkText({ content: PROMPT }))
        response.end(`data: ${quoting(code)}\n\n`)
      }
      await chat({ ...QUESTION, stream: true })
    }
    stub.onChat = (_call, response) => {
      beginStream(response)
      response.end(`data: ${chunkText({ content: PROMPT })}\n\ndata: {"choices": ${PROMPT}\n\n`)
    }
    await chat({ ...QUESTION, stream: true })
  }

  async function hangUps(): Promise<void> {
    stub.onChat = (_call, response) => {
      beginStream(response)
      sendEvent(response, chunkText({ content: PROMPT }))
    }
    const leaving = new AbortController()
    const response = await gateway.chat({ ...QUESTION, stream: true }, { signal: leaving.signal })
    await response.body!.getReader().read()
    leaving.abort()
    await gateway.settled()
    stub.onChat = (_call, response) => sendCompletion(response, { text: PROMPT })
    const { port } = new URL(gateway.v1)
    const head = `POST /api/v1/chat/completions HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${gateway.key}\r\n`
    const socket = connect(Number(port), '127.0.0.1')
    const lines = gateway.logged.length
    socket.write(`${head}content-length: 9000\r\n\r\n{"messages":[{"content":"${PROMPT}`, () => socket.destroy())
    await eventually(() => expect(gateway.logged.length).toBeGreaterThan(lines))
  }

  async function malformed(): Promise<void> {
    await chat(`{"model":"svc-gpt","messages":[{"role":"user","content":"${PROMPT}`)
    await chat(`${PROMPT} {}`)
    await chat(`{"model":"svc-gpt","messages":[{"role":"user","content":"${PROMPT}"}],"n":"${PROMPT}"}`)
    await chat({ model: 'svc-gpt', messages: PROMPT })
    await chat({ model: 'svc-gpt', messages: [{ role: PROMPT, content: PROMPT }] })
    await chat({ model: 'svc-gpt', messages: [{ role: 'user', content: { text: PROMPT } }] })
    await chat({ ...QUESTION, stop: { at: PROMPT } })
    await chat({ ...QUESTION, provider: { note: PROMPT } })
    await chat({ ...QUESTION, metadata: { note: PROMPT.repeat(40) } })
    await chat({ ...QUESTION, max_tokens: 1e15, n: 2 })
    await chat(JSON.stringify(QUESTION), { headers: { 'content-type': `text/plain; note=${PROMPT}` } })
    const rich = { ...QUESTION, messages: [{ role: 'user', content: `${PROMPT} `.repeat(3_000) }], max_tokens: 100_000 }
    const poor = await gateway.createKey({ budget: null })
    keys.push(poor.rawKey)
    await chat(rich, { key: poor.rawKey })
  }

  async function strayKeys(): Promise<void> {
    for (const key of keys.slice(1)) {
      for (const path of ['/v1/balance', '/v1/usage', `/v1/usage/${key}`]) await ask(path, { key })
      await chat(QUESTION, { key })
    }
    const { key } = gateway
    await ask(`/v1/models?api_key=${key}`, { key: null })
    await ask(`/v1/nothing/${key}?key=${key}`)
    for (const header of [
      'x-api-key',
      'cookie',
      'api-key',
      'referer',
      'user-agent',
      'x-stainless-retry-count',
      'x-forwarded-for',
    ]) {
      await ask('/v1/balance', { key: null, headers: { [header]: header === 'cookie' ? `key=${key}` : key } })
    }
    for (const value of [key, `Basic ${key}`, `Bearer  ${key} x`, `Token ${key}`]) {
      await ask('/v1/balance', { key: null, headers: { authorization: value } })
    }
    const { port } = new URL(gateway.v1)
    for (const bytes of [
      `${key} ${PROMPT}\r\n\r\n`,
      `GET /${key} HTTP/1.1\r\nx ${key}\r\n\r\n`,
      `GET / HTTP/1.1\r\nx: ${key.repeat(2000)}\r\n\r\n`,
    ]) {
      const socket = connect(Number(port), '127.0.0.1')
      socket.end(bytes)
      for await (const answer of socket) failures.push(String(answer))
    }
  }

  /** Where a secret shows, with some of what precedes it. */
  function finds(where: string, text: string, secrets: readonly string[]): string[] {
    return secrets.flatMap((secret) => {
      const at = text.indexOf(secret)
      return at === -1 ? [] : [`${where}: …${text.slice(Math.max(0, at - 120), at + secret.length)}`]
    })
  }

  // B174
  test('keys and prompts are in no log line, no error and no table', { timeout: 180_000 }, async () => {
    await successes()
    await upstreamFailures()
    await hangUps()
    await malformed()
    await strayKeys()
    await gateway.settled()
    const secrets = [...keys.map((key) => key.slice(0, 20)), ...keys.map((key) => key.slice(-20)), UPSTREAM_KEY]
    const logged = gateway.logged.join('')
    const dumped = await dumpDatabase({ engine, database: gateway.gateway.database, dataDir: gateway.dataDir })
    expect(failures.length).toBeGreaterThan(60)
    expect(logged.split('\n').length).toBeGreaterThan(80)
    expect(dumped).toContain(gateway.accountId)
    // The upstream's own sentence about a request is shown to its client, who sent the words in it.
    const ours = failures.filter((text) => !text.includes('bad: '))
    expect(finds('log', logged, [...secrets, PROMPT])).toEqual([])
    expect(finds('database', dumped, [...secrets, PROMPT])).toEqual([])
    expect(finds('errors', failures.join('\n'), secrets)).toEqual([])
    expect(finds('errors', ours.map((text) => text.replaceAll(/"delta":\{[^}]*\}/g, '')).join('\n'), [PROMPT])).toEqual(
      [],
    )
  })
})
