/** What a balance pays for at a time, for speech and transcription: only the affordable ones reach the upstream. */
import { beforeEach, expect, test } from 'vitest'
import { makeWav } from '../packages/server/testing/make-wav.ts'
import { describeEachEngine } from '../packages/server/testing/test-database.ts'
import type { TestGateway } from '../packages/server/testing/test-gateway.ts'
import { useGateway } from '../packages/server/testing/use-gateway.ts'
import { useStubUpstream } from '../packages/server/testing/use-stub-upstream.ts'
import {
  type AudioStub,
  audioStubOf,
  CHARACTER,
  hear,
  postForm,
  SECOND,
  sendAudio,
  audioOf,
  speak,
  WHISPER,
} from './audio-upstream.ts'
import { errorOf } from './error-of.ts'
import { createGate } from './open-stream.ts'
import { watchBalance } from './parallel-load.ts'
import { setBalance } from './funded-caller.ts'

const stub = useStubUpstream()
let audio: AudioStub
beforeEach(() => {
  audio = audioStubOf(stub)
})

const REQUESTS = 50
const AFFORDABLE = 7

const wav = new File([new Uint8Array(makeWav(44 + 3 * 8_000))], 'a.wav')

function transcribe(gateway: TestGateway): Promise<Response> {
  return postForm(gateway, [
    ['file', wav],
    ['model', WHISPER],
  ])
}

/** Sends all at once; the upstream answers none before all others were decided. */
async function race(gateway: TestGateway, send: () => Promise<Response>, reached: () => number) {
  const gate = createGate()
  audio.onSpeech = async (_call, response) => {
    await gate.opened
    sendAudio(response, audioOf(100))
  }
  audio.onTranscription = async (call, response) => {
    await gate.opened
    await hear(call, response)
  }
  const stopWatching = watchBalance(gateway)
  let refused = 0
  const answers = Array.from({ length: REQUESTS }, async () => {
    const response = await send()
    if (response.status === 402) refused++
    await response.arrayBuffer()
    return response.status
  })
  await expect.poll(() => refused + reached()).toBe(REQUESTS)
  gate.open()
  const statuses = await Promise.all(answers)
  await stopWatching()
  await gateway.settled()
  return { served: statuses.filter((status) => status === 200).length, refused, reached: reached() }
}

describeEachEngine('credit for seven of fifty requests at once', (engine) => {
  const gateway = useGateway(() => ({ engine, upstreamUrl: stub.url, credits: '0' }))

  test('speech: seven are spoken', async () => {
    const input = 'x'.repeat(100)
    const price = 100n * CHARACTER
    await setBalance(gateway, gateway.gateway.ledger, BigInt(AFFORDABLE) * price + price - 1n)
    const outcome = await race(
      gateway,
      () => speak(gateway, { input }),
      () => audio.speeches.length,
    )
    expect(outcome).toEqual({ served: AFFORDABLE, refused: REQUESTS - AFFORDABLE, reached: AFFORDABLE })
    expect(await gateway.balance()).toEqual({ posted: price - 1n, held: 0n })
  })

  test('transcription: seven are heard', async () => {
    const price = 3n * SECOND
    await setBalance(gateway, gateway.gateway.ledger, BigInt(AFFORDABLE) * price + price - 1n)
    const outcome = await race(
      gateway,
      () => transcribe(gateway),
      () => audio.transcriptions.length,
    )
    expect(outcome).toEqual({ served: AFFORDABLE, refused: REQUESTS - AFFORDABLE, reached: AFFORDABLE })
    expect(await gateway.balance()).toEqual({ posted: price - 1n, held: 0n })
  })

  test('a 402 names what is needed and how much would pass', async () => {
    await setBalance(gateway, gateway.gateway.ledger, 10n * CHARACTER)
    expect(await errorOf(await speak(gateway, { input: 'x'.repeat(11) }))).toMatchObject({
      code: 'insufficient_credits',
      credits_required: 0.2244,
      credits_available: 0.204,
      affordable_characters: 10,
    })
    await setBalance(gateway, gateway.gateway.ledger, 2n * SECOND)
    expect(await errorOf(await transcribe(gateway))).toMatchObject({
      code: 'insufficient_credits',
      credits_required: 0.36,
      affordable_seconds: 2,
    })
    expect([audio.speeches.length, audio.transcriptions.length]).toEqual([0, 0])
  })

  test('an account with nothing is refused before a large upload is read', async () => {
    await setBalance(gateway, gateway.gateway.ledger, 0n)
    const large = new File([new Uint8Array(makeWav(1_000_000))], 'a.wav')
    const refused = await postForm(gateway, [
      ['file', large],
      ['model', WHISPER],
    ])
    expect(await errorOf(refused)).toMatchObject({ code: 'insufficient_credits' })
  })

  test('a key that is revoked ends a stream of audio, and what had begun is charged', async () => {
    await setBalance(gateway, gateway.gateway.ledger, 1_000n * CHARACTER)
    const { rawKey, keyId } = await gateway.createKey()
    const begun = createGate()
    audio.onSpeech = (_call, response) => {
      response.writeHead(200, { 'content-type': 'audio/mpeg' })
      response.write(audioOf(1_000))
      begun.open()
    }
    const answer = speak(
      gateway,
      { input: 'Hello', stream_format: 'sse' },
      {
        headers: { authorization: `Bearer ${rawKey}`, 'content-type': 'application/json' },
      },
    )
    await begun.opened
    await gateway.revokeKey(keyId)
    const text = await (await answer).text()
    expect(text).toContain('"code":"invalid_api_key"')
    await gateway.settled()
    expect((await gateway.balance()).posted).toBe(995n * CHARACTER)
    const record = await gateway.gateway.database.read
      .selectFrom('usage_record')
      .select(['status', 'error_code'])
      .where('key_id', '=', keyId)
      .executeTakeFirstOrThrow()
    expect(record).toEqual({ status: 'incomplete', error_code: 'invalid_api_key' })
  })
})
