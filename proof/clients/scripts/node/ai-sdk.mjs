/** Vercel's AI SDK with its provider for compatible servers, OpenAI's own for Responses and media, and Anthropic's. */
import { createAnthropic } from '@ai-sdk/anthropic'
import { createOpenAI } from '@ai-sdk/openai'
import { createOpenAICompatible } from '@ai-sdk/openai-compatible'
import * as ai from 'ai'
import { z } from 'zod'
import { check, feature, KEY, MODEL, PNG, refused, V1 } from './feature.mjs'

const compatible = createOpenAICompatible({
  ...{ name: 'svc', baseURL: V1, apiKey: KEY, supportsStructuredOutputs: true, includeUsage: true },
})
const openai = createOpenAI({ baseURL: V1, apiKey: KEY })
const city = z.object({ name: z.string(), inhabitants: z.int() })
const once = { maxRetries: 0 }
const hello = { ...once, model: compatible(MODEL), prompt: 'Say hello.' }
const tools = {
  add: ai.tool({ inputSchema: z.object({ a: z.number(), b: z.number() }), execute: async () => '4217' }),
}
const loop = { ...once, tools, stopWhen: ai.stepCountIs(3), prompt: 'Use add on 2 and 3.' }

await feature('chat', async () => {
  const answer = await ai.generateText(hello)
  check(answer.text && answer.usage.totalTokens > 0)
})
await feature('stream', async () => {
  const answer = ai.streamText(hello)
  let text = ''
  for await (const delta of answer.textStream) text += delta
  check(text !== '' && (await answer.usage).totalTokens > 0)
})
await feature('tools', async () => {
  const answer = await ai.generateText({ ...loop, model: compatible(MODEL) })
  check(answer.text.includes('4217') && answer.steps.length === 2, answer.text)
})
await feature('schema', async () => {
  const { output } = await ai.generateText({ ...hello, output: ai.Output.object({ schema: city }) })
  check(Number.isInteger(output.inhabitants))
})
await feature('images_in', async () => {
  const content = [
    { type: 'text', text: 'What is it?' },
    { type: 'file', mediaType: 'image/png', data: Buffer.from(PNG, 'base64') },
  ]
  const messages = [{ role: 'user', content }]
  check(/png/i.test((await ai.generateText({ ...once, model: compatible(MODEL), messages })).text))
})
await feature('responses', async () => {
  const answer = await ai.generateText({ ...loop, model: openai(MODEL) })
  check(answer.text.includes('4217') && answer.steps.length === 2, answer.text)
  let text = ''
  for await (const delta of ai.streamText({ ...hello, model: openai(MODEL) }).textStream) text += delta
  check(text)
})
await feature('messages', async () => {
  const anthropic = createAnthropic({ baseURL: V1, apiKey: KEY })
  const answer = await ai.generateText({ ...loop, model: anthropic(MODEL) })
  check(answer.text.includes('4217') && answer.steps.length === 2, answer.text)
  const bash = anthropic.tools.bash_20250124({ execute: async () => '4217' })
  const known = { ...loop, model: anthropic(MODEL), tools: { bash }, prompt: 'Use bash.' }
  check((await ai.generateText(known)).text.includes('4217'))
})
await feature('completions', async () => {
  const answer = await ai.generateText({ ...hello, model: openai.completion(MODEL), maxOutputTokens: 40 })
  check(answer.text)
})
await feature('embeddings', async () => {
  const model = compatible.embeddingModel('text-embedding-3-small')
  const { embeddings } = await ai.embedMany({ ...once, model, values: ['One.', 'Two.'] })
  check(embeddings.length === 2 && embeddings[0].length === 1536)
})
await feature('images', async () => {
  const { image } = await ai.generateImage({ ...once, model: openai.image('svc-image'), prompt: 'A lighthouse.' })
  check(image.uint8Array.length > 100)
})
let spoken = null
await feature('speech', async () => {
  const speak = ai.generateSpeech ?? ai.experimental_generateSpeech
  const model = openai.speech('openai/gpt-4o-mini-tts-2025-12-15')
  const { audio } = await speak({ ...once, model, text: 'Hello there.', voice: 'nova', outputFormat: 'wav' })
  spoken = audio.uint8Array
  check(spoken.length > 1000)
})
await feature('transcription', async () => {
  const hear = ai.transcribe ?? ai.experimental_transcribe
  check((await hear({ ...once, model: openai.transcription('openai/whisper-1'), audio: spoken })).text)
})
await feature('error', async () => {
  const absent = await refused(() => ai.generateText({ ...hello, model: compatible('no-such-model') }))
  check(absent.statusCode === 404 && absent.data.error.code === 'model_not_found', absent.message)
})
await feature('credits', async () => {
  const poor = await refused(() => ai.generateText({ ...hello, model: compatible('svc-sandbox/402') }))
  check(poor.statusCode === 402 && poor.data.error.code === 'insufficient_credits', poor.message)
})
