import { noPace, type Sandbox } from '@svc/sandbox'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { SANDBOX_KEY, startTestSandbox } from '../packages/sandbox/testing/sandbox-client.ts'
import { type JsonBody, scanMembers } from '../packages/server/src/platform/json/json-body.ts'
import { formatUsd } from '../packages/server/src/pricing/usd.ts'
import { systemClock } from '../packages/server/src/platform/runtime/clock.ts'
import type {
  ChatStreamOutcome,
  ChatUpstream,
  UpstreamChatRequest,
} from '../packages/server/src/upstreams/chat-upstream.ts'
import { DIRECT } from '../packages/server/src/platform/outbound/open-dispatcher.ts'
import { openOpenRouter } from '../packages/server/src/upstreams/openrouter/open-openrouter.ts'

// The table of scripted models says what a client sees by the real path; this is the part of that path that is the
// adapter's.
let sandbox: Sandbox
let upstream: ChatUpstream

beforeAll(async () => {
  sandbox = await startTestSandbox({ pace: noPace })
  upstream = openOpenRouter({
    name: 'sandbox',
    url: sandbox.url,
    apiKey: SANDBOX_KEY,
    timeouts: { connectMs: 5_000, firstByteMs: 5_000, idleMs: 5_000 },
    allowH2: false,
    findProxy: DIRECT,
    clock: systemClock,
    supportsChoices: true,
    reportsCost: true,
    failuresAreFree: true,
  })
})

afterAll(async () => {
  await upstream.close()
  await sandbox.close()
})

function ask(model: string, stream: boolean): UpstreamChatRequest {
  const value = { model, stream, messages: [{ role: 'user', content: 'Hello there' }] }
  const text = Buffer.from(JSON.stringify(value))
  const body: JsonBody = { text, value, members: scanMembers(text) }
  return {
    body,
    upstreamModel: model,
    stream,
    maxTokens: null,
    confidential: false,
    signal: new AbortController().signal,
  }
}

const complete = (name: string): ReturnType<ChatUpstream['complete']> =>
  upstream.complete(ask(`svc-sandbox/${name}`, false))

async function stream(name: string): Promise<{ readonly text: string; readonly outcome: ChatStreamOutcome }> {
  let text = ''
  const outcome = await new Promise<ChatStreamOutcome>((resolve, reject) => {
    const sink = {
      chunk: (members: string): boolean => {
        const { choices } = JSON.parse(`{${members}}`) as {
          choices: { readonly delta: { readonly content?: string } }[]
        }
        for (const { delta } of choices) text += delta.content ?? ''
        return true
      },
      end: resolve,
    }
    upstream.stream(ask(`svc-sandbox/${name}`, true), sink).catch(reject)
  })
  return { text, outcome }
}

describe('through the adapter', () => {
  test.each([
    ['400', 'upstream_rejected_request'],
    ['429', 'server_is_overloaded'],
    ['500', 'upstream_error'],
    ['502', 'upstream_error'],
    ['503', 'server_is_overloaded'],
    ['504', 'upstream_timeout'],
    ['moderated', 'content_policy_violation'],
    ['too-long', 'context_length_exceeded'],
    ['upstream-401', 'upstream_unavailable'],
    ['upstream-402', 'upstream_unavailable'],
    ['html-error', 'upstream_error'],
    ['html-200', 'upstream_error'],
    ['error-200', 'upstream_error'],
  ])('%s becomes %s, streamed or not', async (name, code) => {
    await expect(complete(name)).rejects.toMatchObject({ code })
    await expect(stream(name).then(({ outcome }) => Promise.reject(outcome.error))).rejects.toMatchObject({ code })
  })

  test.each(['error@2', 'cut@2'])('%s fails when it is not streamed', async (name) => {
    await expect(complete(name)).rejects.toMatchObject({ code: 'upstream_error' })
  })

  test('a cut leaves no verdict, an error frame is one', async () => {
    const cut = await stream('cut@2')
    expect(cut.outcome).toMatchObject({ cut: true, error: expect.any(Error) })
    expect(cut.text).not.toBe('')
    expect((await stream('error@2')).outcome).toMatchObject({ cut: false, error: expect.any(Error) })
  })

  test('empty is empty', async () => {
    expect(await complete('empty')).toMatchObject({ empty: true })
  })

  test.each([
    'slow',
    'no-content-type',
    'repeat-usage',
    'usage-on-finish',
    'no-done',
    'fragments',
    'odd-frames',
    'reasoning',
    'filtered',
    'length',
  ])('%s is an ordinary answer with usage and cost, and says the same either way', async (name) => {
    const whole = await complete(name)
    const { text, outcome } = await stream(name)
    const choices = whole.completion['choices'] as { readonly message: { readonly content: string } }[]
    expect(outcome.error).toBeNull()
    expect(text).toBe(choices[0]?.message.content)
    expect(outcome.usage).toEqual(whole.usage)
    expect(whole.cost).not.toBeNull()
    expect(outcome.cost).toBe(whole.cost)
  })

  test('without usage there is neither usage nor cost, without cost only usage', async () => {
    for (const reported of [await complete('no-usage'), (await stream('no-usage')).outcome]) {
      expect(reported).toMatchObject({ usage: null, cost: null })
    }
    for (const reported of [await complete('no-cost'), (await stream('no-cost')).outcome]) {
      expect(reported).toMatchObject({ usage: expect.anything(), cost: null })
    }
  })

  test('late usage is found by the look-up', async () => {
    const { outcome } = await stream('late-usage')
    expect(outcome.usage).toBeNull()
    const found = await upstream.findCost(outcome.generationId ?? '')
    expect(found?.usage).not.toBeNull()
    expect(found === null ? null : formatUsd(found.cost)).toMatch(/^0\.0\d+$/)
  })
})
