/** Anthropic's SDK for Node. */
import Anthropic from '@anthropic-ai/sdk'
import { check, feature, KEY, MODEL, PNG, refused, URL } from './feature.mjs'

const client = new Anthropic({ baseURL: URL, apiKey: KEY, maxRetries: 0 })
const messages = [{ role: 'user', content: 'Say hello.' }]
const asked = { model: MODEL, max_tokens: 200 }
const add = {
  name: 'add',
  input_schema: {
    type: 'object',
    properties: { a: { type: 'number' }, b: { type: 'number' } },
    required: ['a', 'b'],
  },
}

await feature('messages', async () => {
  const message = await client.messages.create({ ...asked, messages })
  check(message.content[0].text && message.stop_reason === 'end_turn' && message.usage.output_tokens > 0)
  check((await client.messages.countTokens({ model: MODEL, messages })).input_tokens > 0)
})
await feature('stream', async () => {
  let text = ''
  const stream = client.messages.stream({ ...asked, messages }).on('text', (delta) => (text += delta))
  const message = await stream.finalMessage()
  check(text !== '' && message.content[0].text === text)
})
await feature('tools', async () => {
  const called = []
  const run = (values) => {
    called.push(values)
    return '4217'
  }
  const message = await client.beta.messages.toolRunner({
    ...asked,
    messages: [{ role: 'user', content: 'Use add on 2 and 3.' }],
    tools: [{ ...add, run, parse: (value) => value }],
  })
  check(message.content[0].text.includes('4217') && called.length === 1 && 'a' in called[0], message)
})
await feature('schema', async () => {
  const schema = {
    ...{ type: 'object', properties: { name: { type: 'string' } }, required: ['name'], additionalProperties: false },
  }
  const message = await client.messages.parse({
    ...{ ...asked, messages, output_config: { format: { type: 'json_schema', schema } } },
  })
  check(typeof JSON.parse(message.content[0].text).name === 'string')
})
await feature('images_in', async () => {
  const source = { type: 'base64', media_type: 'image/png', data: PNG }
  const content = [
    { type: 'image', source },
    { type: 'text', text: 'What is it?' },
  ]
  const message = await client.messages.create({ ...asked, messages: [{ role: 'user', content }] })
  check(/png/i.test(message.content[0].text))
})
await feature('models', async () => {
  const ids = []
  for await (const model of client.models.list({ limit: 1000 })) ids.push(model.id)
  check(ids.includes(MODEL))
})
await feature('error', async () => {
  const absent = await refused(() => client.messages.create({ ...asked, model: 'no-such-model', messages }))
  check(absent instanceof Anthropic.NotFoundError && absent.error.error.code === 'model_not_found', absent.message)
})
await feature('credits', async () => {
  const poor = await refused(() => client.messages.create({ ...asked, model: 'svc-sandbox/402', messages }))
  check(poor.status === 402 && poor.error.error.code === 'insufficient_credits', poor.message)
})
