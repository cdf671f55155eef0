import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { parseUsd } from '../../pricing/usd.ts'
import { scanMembers } from '../../platform/json/json-body.ts'
import { systemClock } from '../../platform/runtime/clock.ts'
import type { ChatUpstream } from '../chat-upstream.ts'
import { useStubUpstream } from '../../../testing/use-stub-upstream.ts'
import { DIRECT } from '../../platform/outbound/open-dispatcher.ts'
import { openOpenRouter } from './open-openrouter.ts'

const stub = useStubUpstream()
let upstream: ChatUpstream
beforeAll(() => {
  upstream = openOpenRouter({
    name: 'router',
    url: stub.url,
    apiKey: 'sk-router',
    timeouts: { connectMs: 5_000, firstByteMs: 120_000, idleMs: 120_000 },
    allowH2: false,
    findProxy: DIRECT,
    clock: systemClock,
    supportsChoices: false,
    reportsCost: true,
    failuresAreFree: true,
  })
})
afterAll(() => upstream.close())

describe('a chat with a file', () => {
  const file = { type: 'file', file: { filename: 'a.pdf', file_data: 'data:application/pdf;base64,AAAA' } }

  async function pluginsOf(content: unknown, readsFiles: boolean): Promise<unknown> {
    const value = { model: 'm', messages: [{ role: 'user', content }] }
    const text = Buffer.from(JSON.stringify(value))
    const { signal } = new AbortController()
    await upstream.complete({
      ...{ body: { text, value, members: scanMembers(text) }, upstreamModel: 'm', stream: false, maxTokens: null },
      ...{ readsFiles, confidential: false, signal },
    })
    return stub.chats.at(-1)?.json?.['plugins']
  }

  test('names an engine that is not sold by the page', async () => {
    const pdf = (engine: string) => [{ id: 'file-parser', pdf: { engine } }]
    expect(await pluginsOf([file], false)).toEqual(pdf('cloudflare-ai'))
    expect(await pluginsOf([{ type: 'text', text: 'Read this.' }, file], true)).toEqual(pdf('native'))
    expect(await pluginsOf([{ type: 'text', text: 'Hello' }], true)).toBeUndefined()
    expect(await pluginsOf('Hello', false)).toBeUndefined()
  })
})

describe('the look-up of a cost', () => {
  const answer = (data: string): void => {
    stub.onOther = (_call, response) => void response.writeHead(200).end(`{"data":${data}}`)
  }

  test.each([
    ['{"total_cost":0.000500000001}', '0.000500000001'],
    ['{"total_cost":0.0005,"is_byok":false,"upstream_inference_cost":0.5}', '0.0005'],
    ['{"total_cost":0.0005,"is_byok":true,"upstream_inference_cost":0.010000000000000001}', '0.010500000000000001'],
  ])('%s is %s USD', async (data, cost) => {
    answer(data)
    expect(await upstream.findCost('gen-1')).toEqual({ cost: parseUsd(cost), usage: null })
  })

  test.each([
    ['"native_tokens_prompt":168,"native_tokens_completion":12', [168, 12, 0, 0]],
    [
      '"native_tokens_prompt":168,"native_tokens_completion":12,"native_tokens_cached":100,"native_tokens_reasoning":5',
      [168, 12, 100, 5],
    ],
    ['"native_tokens_prompt":168,"native_tokens_completion":12,"native_tokens_cached":900', [168, 12, 168, 0]],
    ['"native_tokens_prompt":168,"native_tokens_completion":null', null],
    ['"native_tokens_prompt":-1,"native_tokens_completion":12', null],
    ['"tokens_prompt":168,"tokens_completion":12', null],
  ])('has the counts of the model’s own tokenizer: %s', async (counts, expected) => {
    answer(`{"total_cost":0.0005,${counts}}`)
    const found = await upstream.findCost('gen-1')
    const usage = found?.usage ?? null
    expect(usage && [usage.promptTokens, usage.completionTokens, usage.cachedTokens, usage.reasoningTokens]).toEqual(
      expected,
    )
  })

  test('a fee without the provider’s part is not a cost', async () => {
    answer('{"total_cost":0.0005,"is_byok":true,"upstream_inference_cost":null}')
    expect(await upstream.findCost('gen-1')).toBeNull()
  })

  test('ends by itself where the upstream hangs, long before an answer would', async () => {
    stub.onOther = () => undefined
    await expect(upstream.findCost('gen-1')).rejects.toMatchObject({ code: 'upstream_timeout' })
    stub.onOther = (_call, response) => void response.writeHead(200).write('{"data":')
    await expect(upstream.findCost('gen-1')).rejects.toMatchObject({ code: 'upstream_timeout' })
  })
})
