/** openai for Node: every endpoint that it has and the gateway serves. */
import OpenAI, { toFile } from 'openai'
import { check, feature, KEY, MODEL, PNG_URL, refused, V1 } from './feature.mjs'

const client = new OpenAI({ baseURL: V1, apiKey: KEY, maxRetries: 0 })
const hello = [{ role: 'user', content: 'Say hello.' }]
const parameters = {
  type: 'object',
  properties: { a: { type: 'number' }, b: { type: 'number' } },
  required: ['a', 'b'],
  additionalProperties: false,
}
const city = {
  type: 'object',
  properties: { name: { type: 'string' }, inhabitants: { type: 'integer' } },
  required: ['name', 'inhabitants'],
  additionalProperties: false,
}

await feature('chat', async () => {
  const answer = await client.chat.completions.create({ model: MODEL, messages: hello })
  check(answer.choices[0].message.content && answer.svc.credits_charged > 0)
})
await feature('stream', async () => {
  const stream = client.chat.completions.stream({
    ...{ model: MODEL, messages: hello, stream_options: { include_usage: true } },
  })
  let text = ''
  stream.on('content', (delta) => (text += delta))
  const answer = await stream.finalChatCompletion()
  check(text !== '' && answer.choices[0].message.content === text && answer.usage.total_tokens > 0)
})
await feature('tools', async () => {
  const called = []
  const add = (values) => {
    called.push(values)
    return '4217'
  }
  const tool = { type: 'function', function: { function: add, parse: JSON.parse, name: 'add', parameters } }
  const runner = client.chat.completions.runTools({
    ...{ model: MODEL, messages: [{ role: 'user', content: 'Use add on 2 and 3.' }], tools: [tool] },
  })
  check((await runner.finalContent()).includes('4217') && called.length === 1 && 'a' in called[0])
})
await feature('schema', async () => {
  const answer = await client.chat.completions.parse({
    ...{ model: MODEL, messages: hello },
    response_format: { type: 'json_schema', json_schema: { name: 'city', strict: true, schema: city } },
  })
  check(Number.isInteger(JSON.parse(answer.choices[0].message.content).inhabitants))
})
await feature('images_in', async () => {
  const content = [
    { type: 'text', text: 'What is it?' },
    { type: 'image_url', image_url: { url: PNG_URL } },
  ]
  const answer = await client.chat.completions.create({ model: MODEL, messages: [{ role: 'user', content }] })
  check(/png/i.test(answer.choices[0].message.content))
})
await feature('responses', async () => {
  const tools = [{ type: 'function', name: 'add', strict: true, parameters }]
  const input = [{ role: 'user', content: 'Use add on 2 and 3.' }]
  const first = await client.responses.create({ model: MODEL, input, tools })
  const call = first.output.find(({ type }) => type === 'function_call')
  const result = { type: 'function_call_output', call_id: call.call_id, output: '4217' }
  const stream = client.responses.stream({ model: MODEL, tools, input: [...input, ...first.output, result] })
  const last = await stream.finalResponse()
  check(last.output_text.includes('4217') && last.status === 'completed')
  check((await client.responses.inputTokens.count({ model: MODEL, input: 'Say hello.' })).input_tokens > 0)
})
await feature('completions', async () => {
  const answer = await client.completions.create({ model: MODEL, prompt: 'Say hello.', max_tokens: 40 })
  check(answer.choices[0].text)
  let text = ''
  const stream = await client.completions.create({ model: MODEL, prompt: 'Say hello.', max_tokens: 40, stream: true })
  for await (const chunk of stream) text += chunk.choices[0]?.text ?? ''
  check(text)
})
await feature('embeddings', async () => {
  const { data } = await client.embeddings.create({ model: 'text-embedding-3-small', input: ['One.', 'Two.'] })
  check(data.length === 2 && data.every(({ embedding }) => embedding.length === 1536))
})
await feature('images', async () => {
  const { data } = await client.images.generate({ model: 'svc-image', prompt: 'A lighthouse.', size: '1024x1024' })
  check(data[0].b64_json)
})

const speech = {
  model: 'openai/gpt-4o-mini-tts-2025-12-15',
  input: 'Hello there.',
  voice: 'nova',
  response_format: 'wav',
}
let spoken = null
await feature('speech', async () => {
  spoken = Buffer.from(await (await client.audio.speech.create(speech)).arrayBuffer())
  check(spoken.toString('latin1', 0, 4) === 'RIFF')
})
await feature('transcription', async () => {
  const file = await toFile(spoken, 'hello.wav')
  const answer = await client.audio.transcriptions.create({ model: 'openai/whisper-1', file })
  check(answer.text)
})
await feature('rerank', async () => {
  const body = { model: 'rerank-v3.5', query: 'fruit pear', documents: ['A red car.', 'A green pear.'] }
  check((await client.post('/rerank', { body })).results[0].index === 1)
})
await feature('moderations', async () => {
  const { results } = await client.moderations.create({ input: 'How to kill a process' })
  check(results[0].flagged && results[0].categories.violence)
})
await feature('batches', async () => {
  const body = { model: MODEL, max_tokens: 20, messages: hello }
  const line = JSON.stringify({ custom_id: '1', method: 'POST', url: '/v1/chat/completions', body })
  const file = await client.files.create({ file: await toFile(Buffer.from(line), 'lines.jsonl'), purpose: 'batch' })
  let batch = await client.batches.create({
    ...{ input_file_id: file.id, endpoint: '/v1/chat/completions', completion_window: '24h' },
  })
  const end = Date.now() + 120_000
  while (!['completed', 'failed', 'expired', 'cancelled'].includes(batch.status)) {
    check(Date.now() < end, batch.status)
    await new Promise((resolve) => setTimeout(resolve, 500))
    batch = await client.batches.retrieve(batch.id)
  }
  const written = JSON.parse(await (await client.files.content(batch.output_file_id)).text())
  check(written.custom_id === '1' && written.response.status_code === 200, written)
  check((await client.files.delete(file.id)).deleted)
})
await feature('models', async () => {
  const ids = []
  for await (const model of client.models.list()) ids.push(model.id)
  check(ids.includes(MODEL) && (await client.models.retrieve(MODEL)).id === MODEL)
})
await feature('error', async () => {
  const absent = await refused(() => client.chat.completions.create({ model: 'no-such-model', messages: hello }))
  check(absent instanceof OpenAI.NotFoundError && absent.code === 'model_not_found', absent.message)
  const wrong = await refused(() => client.chat.completions.create({ model: MODEL, messages: [] }))
  check(wrong instanceof OpenAI.BadRequestError && wrong.param === 'messages', wrong.message)
})
await feature('credits', async () => {
  const poor = await refused(() => client.chat.completions.create({ model: 'svc-sandbox/402', messages: hello }))
  check(poor.status === 402 && poor.code === 'insufficient_credits', poor.message)
})
