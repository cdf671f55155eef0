/** What a prompt can be billed for is held for, however it is dressed: by what its media are, and all that a model reads. */
import { expect, test } from 'vitest'
import { makeWav } from '../packages/server/testing/make-wav.ts'
import { sendCompletion } from '../packages/server/testing/stub-upstream.ts'
import { useGatewayPerTest } from '../packages/server/testing/use-gateway.ts'
import { useStubUpstream } from '../packages/server/testing/use-stub-upstream.ts'
import { SVC_GPT } from './charge-of.ts'
import { setBalance } from './funded-caller.ts'
import { credits } from './open-stream.ts'

const stub = useStubUpstream()
const gateway = useGatewayPerTest(() => ({ upstreamUrl: stub.url, credits: '1000000' }))

const MODEL = 'svc-gpt'

/** Nanocredits that a prompt holds, with one token of an answer. */
async function heldFor(content: unknown): Promise<bigint> {
  let held = 0n
  stub.onChat = async (_call, response) => {
    held = (await gateway.balance()).held
    sendCompletion(response)
  }
  const answer = await gateway.chat({ model: MODEL, max_tokens: 1, messages: [{ role: 'user', content }] })
  expect([answer.status, await answer.text()]).toEqual([200, expect.any(String)])
  return held
}

const audio = (data: string, format = 'wav') => [{ type: 'input_audio', input_audio: { data, format } }]
const image = (url: string) => [{ type: 'image_url', image_url: { url } }]
const wav = (rate: number) => makeWav(60_044, rate).toString('base64')

test('audio is held for by the length that is heard, whatever its format is called', async () => {
  // The same bytes are a minute, or seven and a half seconds.
  const [minute, seconds, called] = [
    await heldFor(audio(wav(1_000))),
    await heldFor(audio(wav(8_000))),
    await heldFor(audio(wav(1_000), 'mp3')),
  ]
  expect([minute - seconds, called]).toEqual([BigInt((60 - 7.5) * 32) * SVC_GPT.input, minute])
})

test('a film, a document and a text are no image, and an address is no audio', async () => {
  const whole = await heldFor([{ type: 'video_url', video_url: { url: 'https://example.com/a.mp4' } }])
  for (const content of [
    image('data:video/mp4;base64,AAAA'),
    image('data:application/pdf;base64,AAAA'),
    image('data:text/plain;base64,AAAA'),
    audio('https://example.com/a.mp3', 'mp3'),
    // Two readers may read it in two ways.
    audio('UklGR!!!!AAAA'),
    audio(makeWav(1_044, 10).toString('base64')),
  ]) {
    expect(await heldFor(content)).toBe(whole)
  }
  expect(await heldFor(image('data:image/png;base64,AAAA'))).toBeLessThan(whole / 10n)
})

test('what is beside the messages is counted, too, where the bytes are more than the balance pays for', async () => {
  await setBalance(gateway, gateway.gateway.ledger, credits('0.2'))
  const messages = [{ role: 'user', content: 'Hello' }]
  const documents = [{ title: 'Notes', text: 'so much to read '.repeat(5_000) }]
  const before = stub.chats.length
  for (const more of [{ documents }, { chat_template_kwargs: { documents } }]) {
    const answer = await gateway.chat({ model: MODEL, max_tokens: 1, messages, ...more })
    expect([answer.status, await answer.text()]).toEqual([402, expect.stringContaining('insufficient_credits')])
  }
  expect(stub.chats.length).toBe(before)
  expect((await gateway.balance()).held).toBe(0n)
})
