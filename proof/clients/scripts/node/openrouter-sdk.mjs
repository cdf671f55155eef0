/** OpenRouter's SDK for Node. */
import { OpenRouter } from '@openrouter/sdk'
import { check, feature, KEY, MODEL, PNG_URL, refused, V1 } from './feature.mjs'

const client = new OpenRouter({ apiKey: KEY, serverURL: V1, retryConfig: { strategy: 'none' } })
const messages = [{ role: 'user', content: 'Say hello.' }]
const send = (chatRequest) => client.chat.send({ chatRequest: { model: MODEL, messages, ...chatRequest } })
const parameters = {
  type: 'object',
  properties: { a: { type: 'number' }, b: { type: 'number' } },
  required: ['a', 'b'],
}

await feature('chat', async () => {
  const answer = await send({})
  check(answer.choices[0].message.content && answer.usage.totalTokens > 0)
  check((await client.credits.getCredits()).data.totalCredits > 0)
  check((await client.apiKeys.getCurrentKeyMetadata()).data.usage > 0)
})
await feature('stream', async () => {
  let text = ''
  for await (const chunk of await send({ stream: true })) text += chunk.choices[0]?.delta.content ?? ''
  check(text)
})
await feature('tools', async () => {
  const tools = [{ type: 'function', function: { name: 'add', parameters } }]
  const asked = [{ role: 'user', content: 'Use add on 2 and 3.' }]
  const { message } = (await send({ tools, messages: asked })).choices[0]
  const result = { role: 'tool', toolCallId: message.toolCalls[0].id, content: '4217' }
  const last = await send({ tools, messages: [...asked, message, result] })
  check(last.choices[0].message.content.includes('4217'))
})
await feature('schema', async () => {
  const schema = { type: 'object', properties: { name: { type: 'string' } }, required: ['name'] }
  const answer = await send({ responseFormat: { type: 'json_schema', jsonSchema: { name: 'city', schema } } })
  check(typeof JSON.parse(answer.choices[0].message.content).name === 'string')
})
await feature('images_in', async () => {
  const content = [
    { type: 'text', text: 'What is it?' },
    { type: 'image_url', imageUrl: { url: PNG_URL } },
  ]
  check(/png/i.test((await send({ messages: [{ role: 'user', content }] })).choices[0].message.content))
})
await feature('responses', async () => {
  const answer = await client.responses.send({ responsesRequest: { model: MODEL, input: 'Say hello.' } })
  check(answer.output.length > 0 && answer.status === 'completed')
  const kinds = []
  const responsesRequest = { model: MODEL, input: 'Say hello.', stream: true }
  for await (const event of await client.responses.send({ responsesRequest })) kinds.push(event.type)
  // Events that its schemas do not know are UNKNOWN to it.
  check(kinds.at(-1) === 'response.completed' && !kinds.includes('UNKNOWN'), kinds)
})
await feature('embeddings', async () => {
  const requestBody = { model: 'text-embedding-3-small', input: ['One.', 'Two.'] }
  check((await client.embeddings.generate({ requestBody })).data.length === 2)
})
await feature('images', async () => {
  const imageGenerationRequest = { model: 'svc-image', prompt: 'A lighthouse.' }
  check((await client.images.generate({ imageGenerationRequest })).data.length === 1)
})
let spoken = null
await feature('speech', async () => {
  const speechRequest = { model: 'openai/gpt-4o-mini-tts-2025-12-15', input: 'Hello there.', voice: 'nova' }
  const stream = await client.tts.createSpeech({ speechRequest: { ...speechRequest, responseFormat: 'mp3' } })
  spoken = await new Response(stream).blob()
  check(spoken.size > 1000)
})
await feature('transcription', async () => {
  const requestBody = { model: 'openai/whisper-1', file: { fileName: 'hello.mp3', content: spoken } }
  check((await client.stt.createTranscriptionMultipart({ requestBody })).text)
})
await feature('rerank', async () => {
  const requestBody = { model: 'rerank-v3.5', query: 'fruit pear', documents: ['A red car.', 'A green pear.'] }
  check((await client.rerank.rerank({ requestBody })).results[0].index === 1)
})
await feature('models', async () => {
  const ids = []
  for await (const page of await client.models.list()) ids.push(...page.result.data.map(({ id }) => id))
  check(ids.includes(MODEL))
})
await feature('error', async () => {
  const absent = await refused(() => send({ model: 'no-such-model' }))
  check(absent.statusCode === 404 && absent.error.code === 404, absent.message)
})
await feature('credits', async () => {
  const poor = await refused(() => send({ model: 'svc-sandbox/402' }))
  check(poor.statusCode === 402 && poor.name === 'PaymentRequiredResponseError', poor.message)
})
