/** A text is spoken and heard again, both by the sandbox, through a whole gateway and the official client. */
import OpenAI, { toFile } from 'openai'
import { beforeAll, expect, test } from 'vitest'
import { useGateway } from '../packages/server/testing/use-gateway.ts'
import { SPEECH, WHISPER } from './audio-upstream.ts'
import { chargeOf } from './charge-of.ts'

const SENTENCE = 'The weather is fine today and the children are playing in the garden.'

const gateway = useGateway()
let client: OpenAI
beforeAll(() => {
  client = new OpenAI({ baseURL: gateway.v1, apiKey: gateway.key, maxRetries: 0 })
})

function wordsOf(text: string): string[] {
  return text.toLowerCase().match(/[a-z]+/g) ?? []
}

test('most words come back, and both ways are charged by their rules', async () => {
  const { result: audio, charge } = await chargeOf(gateway, async () => {
    const response = await client.audio.speech.create({ model: SPEECH, input: SENTENCE, voice: 'nova' })
    return Buffer.from(await response.arrayBuffer())
  })
  expect(charge).toBe(BigInt(SENTENCE.length) * 20_400_000n)
  const heard = await client.audio.transcriptions.create({
    model: WHISPER,
    file: await toFile(audio, 'spoken.mp3'),
    response_format: 'verbose_json',
  })
  const words = new Set(wordsOf(heard.text))
  const spoken = wordsOf(SENTENCE)
  expect(spoken.filter((word) => words.has(word)).length / spoken.length).toBeGreaterThan(0.6)
  expect(heard.duration).toBeGreaterThan(2)
  expect(heard.segments?.length).toBeGreaterThan(0)
}, 240_000)
