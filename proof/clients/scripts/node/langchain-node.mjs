/** LangChain for Node. */
import { HumanMessage, ToolMessage } from '@langchain/core/messages'
import { tool } from '@langchain/core/tools'
import { ChatOpenAI, OpenAI, OpenAIEmbeddings } from '@langchain/openai'
import { z } from 'zod'
import { check, feature, KEY, MODEL, PNG_URL, refused, V1 } from './feature.mjs'

const at = { apiKey: KEY, maxRetries: 0, configuration: { baseURL: V1 } }
const model = new ChatOpenAI({ model: MODEL, ...at })

await feature('chat', async () => {
  const answer = await model.invoke('Say hello.')
  check(answer.content && answer.usage_metadata.total_tokens > 0)
})
await feature('stream', async () => {
  let whole
  for await (const chunk of await model.stream('Say hello.')) whole = whole === undefined ? chunk : whole.concat(chunk)
  check(whole.content && whole.usage_metadata.total_tokens > 0)
})
await feature('tools', async () => {
  const add = tool(async () => '4217', { name: 'add', schema: z.object({ a: z.number(), b: z.number() }) })
  const bound = model.bindTools([add])
  const messages = [new HumanMessage('Use add on 2 and 3.')]
  const first = await bound.invoke(messages)
  const result = new ToolMessage({ content: '4217', tool_call_id: first.tool_calls[0].id })
  check((await bound.invoke([...messages, first, result])).content.includes('4217'))
})
await feature('schema', async () => {
  const city = z.object({ name: z.string(), inhabitants: z.int() })
  const value = await model.withStructuredOutput(city).invoke('Say hello.')
  check(Number.isInteger(value.inhabitants))
})
await feature('images_in', async () => {
  const content = [
    { type: 'text', text: 'What is it?' },
    { type: 'image_url', image_url: { url: PNG_URL } },
  ]
  check(/png/i.test((await model.invoke([new HumanMessage({ content })])).content))
})
await feature('responses', async () => {
  const other = new ChatOpenAI({ model: MODEL, useResponsesApi: true, ...at })
  check((await other.invoke('Say hello.')).text)
  let text = ''
  for await (const chunk of await other.stream('Say hello.')) text += chunk.text
  check(text)
})
await feature('completions', async () => {
  check(await new OpenAI({ model: MODEL, ...at }).invoke('Say hello.'))
})
await feature('embeddings', async () => {
  const vectors = await new OpenAIEmbeddings({ model: 'text-embedding-3-small', ...at }).embedDocuments([
    'One.',
    'Two.',
  ])
  check(vectors.length === 2 && vectors[0].length === 1536)
})
await feature('error', async () => {
  const absent = await refused(() => new ChatOpenAI({ model: 'no-such-model', ...at }).invoke('Say hello.'))
  check(absent.status === 404 && absent.code === 'model_not_found', absent.message)
})
await feature('credits', async () => {
  const poor = await refused(() => new ChatOpenAI({ model: 'svc-sandbox/402', ...at }).invoke('Say hello.'))
  check(poor.status === 402 && poor.code === 'insufficient_credits', poor.message)
})
