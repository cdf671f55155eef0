/** How long an upstream may let its answer wait: by what it says, and not by whether its connection is alive. */
import type { ServerResponse } from 'node:http'
import { setTimeout as wait } from 'node:timers/promises'
import { afterEach, describe, expect, test, vi } from 'vitest'
import { chunkText, completionText } from '../packages/server/testing/stub-upstream.ts'
import { useGateway } from '../packages/server/testing/use-gateway.ts'
import { useStubUpstream } from '../packages/server/testing/use-stub-upstream.ts'
import { chargeOf, lastRecord } from './charge-of.ts'
import { askSurface, textSurfaces } from './surfaces.ts'

const stub = useStubUpstream()
const IDLE_MS = 200
const LATE_MS = 4 * IDLE_MS
const gateway = useGateway(() => ({
  ...{
    upstreamUrl: stub.url,
    kind: 'openai-compatible',
    env: { SVC_UPSTREAM: '', SVC_UPSTREAM_URL: '', SVC_UPSTREAM_API_KEY: '' },
  },
  file: {
    upstreams: [
      {
        ...{ name: 'slow', kind: 'openai-compatible', url: stub.url },
        ...{ first_byte_ms: 10 * LATE_MS, idle_ms: IDLE_MS, content_ms: 2 * LATE_MS },
      },
    ],
    prices: { local: { input: '1', output: '2' } },
  },
}))

const event = (data: string): string => `data: ${data}\n\n`
const HELLO = event(chunkText({ content: 'Hello' }))
const END = event(chunkText({}, 'stop')) + event('[DONE]')

function begin(response: ServerResponse, isStream: boolean): void {
  response.writeHead(200, { 'content-type': isStream ? 'text/event-stream' : 'application/json' })
  response.flushHeaders()
}

function repeat(response: ServerResponse, text: string): void {
  const timer = setInterval(() => response.write(text), IDLE_MS / 4)
  response.once('close', () => clearInterval(timer))
}

describe.concurrent.each(textSurfaces)('$name', (surface) => {
  test('an answer whose head comes at once may take its time for the first word', async () => {
    stub.onChat = async (call, response) => {
      begin(response, call.wantsStream)
      await wait(LATE_MS)
      response.end(call.wantsStream ? HELLO + END : completionText())
    }
    expect(await askSurface(gateway, surface)).toMatchObject({
      status: 200,
      text: 'Hello',
      finish: 'stop',
      error: null,
    })
  })
})

describe.each(textSurfaces)('$name', (surface) => {
  test('an answer that says nothing ends, whatever keeps its connection open', async () => {
    stub.onChat = (call, response) => {
      begin(response, call.wantsStream)
      repeat(response, call.wantsStream ? ': still here\n\n' : ' \n')
    }
    const { result, charge } = await chargeOf(gateway, () => askSurface(gateway, surface))
    expect([result.error ?? result.raw.includes('upstream_timeout'), charge]).toEqual(['upstream_timeout', 0n])
    expect((await gateway.balance()).held).toBe(0n)
  })
})

describe.each(textSurfaces.filter(({ isStream }) => isStream))('$name', (surface) => {
  test('an answer that stops in its middle ends, and what came is charged', async () => {
    stub.onChat = (_call, response) => {
      begin(response, true)
      response.write(HELLO)
      repeat(response, ': still here\n\n')
    }
    const { result, charge } = await chargeOf(gateway, () => askSurface(gateway, surface))
    expect([result.text, result.error]).toEqual([
      surface.path.endsWith('responses') ? 'Hello' : 'Hello',
      'upstream_timeout',
    ])
    expect(charge).toBeGreaterThan(0n)
    expect((await lastRecord(gateway)).status).toBe('incomplete')
  })
})

describe.each(textSurfaces.filter(({ isStream }) => isStream))('$name', (surface) => {
  afterEach(() => void vi.useRealTimers())

  const usual = useGateway(() => ({
    ...{ upstreamUrl: stub.url, kind: 'openai-compatible' },
    file: { prices: { local: { input: '1', output: '2' } } },
  }))

  test('a model that thinks for longer than ten seconds is heard of from then on', async () => {
    const asked = Promise.withResolvers<ServerResponse>()
    stub.onChat = (_call, response) => {
      begin(response, true)
      asked.resolve(response)
    }
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval'] })
    let opened = false
    const answer = usual
      .fetch(surface.path, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ model: 'local', stream: true, ...surface.body({}) }),
      })
      .then((response) => {
        opened = true
        return response
      })
    const upstream = await asked.promise
    await vi.advanceTimersByTimeAsync(9_900)
    expect(opened).toBe(false)
    await vi.advanceTimersByTimeAsync(200)
    const response = await answer
    const reader = (response.body as ReadableStream<Uint8Array>).getReader()
    const read = async (): Promise<string> => Buffer.from((await reader.read()).value ?? []).toString()
    expect([response.status, await read()]).toEqual([200, expect.stringContaining(': keep-alive\n\n')])
    for (const _turn of [1, 2, 3]) {
      const next = read()
      await vi.advanceTimersByTimeAsync(15_000)
      expect(await next).toBe(': keep-alive\n\n')
    }
    upstream.end(HELLO + END)
    let rest = ''
    for (let piece = await read(); piece !== ''; piece = await read()) rest += piece
    expect(rest).toContain('Hello')
    vi.useRealTimers()
    await usual.settled()
  })
})
