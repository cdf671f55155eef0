import { Registry } from 'prom-client'
import { expect, test } from 'vitest'
import { createChatMetrics, type SettledChat } from './chat-metrics.ts'

const chat: SettledChat = {
  model: 'a',
  upstream: 'default',
  status: 'ok',
  errorCode: null,
  seconds: 1,
  firstContentSeconds: null,
  promptTokens: 1,
  cachedTokens: 0,
  completionTokens: 1,
  reasoningTokens: 0,
  credits: 1,
}

test('however many models come and go, the series are limited, and nothing is lost', async () => {
  const registry = new Registry()
  const metrics = createChatMetrics(registry)
  for (let number = 0; number < 1_500; number++) {
    metrics.settled({ ...chat, model: `model-${number}`, errorCode: 'upstream_error' })
  }
  const text = await registry.metrics()
  const lines = [...text.matchAll(/^svc_chat_requests_total\{model="([^"]+)",.*status="ok"\} (\d+)$/gm)]
  expect(lines.length).toBe(1_001)
  expect(lines.reduce((sum, [, , count]) => sum + Number(count), 0)).toBe(1_500)
  expect(lines.find(([, model]) => model === 'other')?.[2]).toBe('500')
  expect([...text.matchAll(/^svc_chat_errors_total\{/gm)].length).toBe(1_001)
})
