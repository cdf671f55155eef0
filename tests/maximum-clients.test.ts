/** Unmodified clients set the most that a request may cost, and read the refusal. */
import { createOpenAICompatible } from '@ai-sdk/openai-compatible'
import { ChatOpenAI } from '@langchain/openai'
import { APICallError, generateText } from 'ai'
import OpenAI from 'openai'
import { expect, test } from 'vitest'
import { useGateway } from '../packages/server/testing/use-gateway.ts'

const gateway = useGateway()
const headers = { 'x-svc-max-credits': '0.000001' }

interface Refusal {
  readonly status?: number
  readonly code?: unknown
}

/** How each client sends one request with headers, and what it says of the failure. */
const clients: Readonly<Record<string, (headers: Record<string, string>) => Promise<unknown>>> = {
  OpenAI: async (sent) => {
    const client = new OpenAI({ baseURL: gateway.v1, apiKey: gateway.key, defaultHeaders: sent })
    const { choices } = await client.chat.completions.create({
      model: 'svc-gpt',
      messages: [{ role: 'user', content: 'Say hello.' }],
    })
    return choices[0]?.message.content
  },
  'AI SDK': async (sent) => {
    const provider = createOpenAICompatible({ name: 'svc', baseURL: gateway.v1, apiKey: gateway.key })
    return (await generateText({ model: provider('svc-gpt'), prompt: 'Say hello.', headers: sent })).text
  },
  LangChain: async (sent) => {
    const model = new ChatOpenAI({
      ...{ model: 'svc-gpt', apiKey: gateway.key },
      configuration: { baseURL: gateway.v1, defaultHeaders: sent },
    })
    return (await model.invoke('Say hello.')).content
  },
}

function refusalOf(error: unknown): Refusal {
  if (APICallError.isInstance(error)) {
    const { error: body } = JSON.parse(error.responseBody ?? '{}') as { error?: { code?: unknown } }
    return { status: error.statusCode ?? 0, code: body?.code }
  }
  const { status = 0, code } = error as Refusal
  return { status, code }
}

test.each(Object.entries(clients))('%s sends a maximum, and reads why it is too low', async (_name, ask) => {
  const before = await gateway.balance()
  const refusal = await ask(headers).catch(refusalOf)
  expect(refusal).toEqual({ status: 400, code: 'max_credits_exceeded' })
  await gateway.settled()
  expect(await gateway.balance()).toEqual(before)
  expect(await ask({ 'x-svc-max-credits': '1' })).toMatch(/\w/)
})
