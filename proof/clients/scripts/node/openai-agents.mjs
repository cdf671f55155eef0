/** openai-agents for Node: a loop over chat and one over Responses. */
import { Agent, OpenAIChatCompletionsModel, OpenAIResponsesModel, run, setTracingDisabled, tool } from '@openai/agents'
import OpenAI from 'openai'
import { z } from 'zod'
import { check, feature, KEY, MODEL, PNG_URL, refused, V1 } from './feature.mjs'

setTracingDisabled(true)
const client = new OpenAI({ baseURL: V1, apiKey: KEY, maxRetries: 0 })
const agent = (more = {}, name = MODEL, Model = OpenAIChatCompletionsModel) =>
  new Agent({ name: 'Tester', model: new Model(client, name), ...more })
const parameters = z.object({ a: z.number(), b: z.number() })
const tools = [tool({ name: 'add', description: 'Adds two numbers.', parameters, execute: async () => '4217' })]

await feature('chat', async () => check((await run(agent(), 'Say hello.')).finalOutput))
await feature('stream', async () => {
  const result = await run(agent(), 'Say hello.', { stream: true })
  let text = ''
  for await (const delta of result.toTextStream()) text += delta
  check(text)
})
await feature('tools', async () =>
  check((await run(agent({ tools }), 'Use add on 2 and 3.')).finalOutput.includes('4217')),
)
await feature('schema', async () => {
  const outputType = z.object({ name: z.string(), inhabitants: z.int() })
  check(Number.isInteger((await run(agent({ outputType }), 'Say hello.')).finalOutput.inhabitants))
})
await feature('images_in', async () => {
  const content = [
    { type: 'input_text', text: 'What is it?' },
    { type: 'input_image', image: PNG_URL },
  ]
  check(/png/i.test((await run(agent(), [{ role: 'user', content }])).finalOutput))
})
await feature('responses', async () => {
  const served = agent({ tools }, MODEL, OpenAIResponsesModel)
  check((await run(served, 'Use add on 2 and 3.')).finalOutput.includes('4217'))
  const result = await run(served, 'Use add on 2 and 3.', { stream: true })
  await result.completed
  check(result.finalOutput.includes('4217'))
})
await feature('error', async () => {
  const absent = await refused(() => run(agent({}, 'no-such-model'), 'Say hello.'))
  check(absent.status === 404 && absent.code === 'model_not_found', absent.message)
})
await feature('credits', async () => {
  const poor = await refused(() => run(agent({}, 'svc-sandbox/402'), 'Say hello.'))
  check(poor.status === 402 && poor.code === 'insufficient_credits', poor.message)
})
