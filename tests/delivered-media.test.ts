/** Audio and images of a chat are charged where the client leaves before they are counted, at their own prices. */
import { expect, test } from 'vitest'
import { beginStream, chunkText, sendEvent, usageText } from '../packages/server/testing/stub-upstream.ts'
import { useGatewayPerTest } from '../packages/server/testing/use-gateway.ts'
import { useStubUpstream } from '../packages/server/testing/use-stub-upstream.ts'
import { chargeOf } from './charge-of.ts'
import { openStream, question, recordOf } from './open-stream.ts'
import { recomputeCharge } from './recompute-charge.ts'

const stub = useStubUpstream()
const gateway = useGatewayPerTest(() => ({
  file: {
    upstreams: [{ name: 'maker', kind: 'openai-compatible', url: stub.url }],
    routes: {
      // Credits for a token, with the margin: nothing, 12, 24 and 36 thousandths.
      talks: {
        targets: [
          {
            ...{ upstream: 'maker', model: 'm' },
            price: { input: '0', output: '10', audio_output: '20', image_output: '30' },
          },
        ],
      },
    },
  },
}))

const deltaOf = (delta: object): string => JSON.stringify({ choices: [{ index: 0, delta, finish_reason: null }] })
const AUDIO = deltaOf({ role: 'assistant', audio: { id: 'a', data: Buffer.alloc(2 * 48_000).toString('base64') } })
const IMAGE = deltaOf({
  images: [{ type: 'image_url', image_url: { url: 'data:image/png;base64,AAAA' } }],
})

/** What a client pays who leaves once so many frames have come. */
async function chargedFor(frames: readonly string[], until: RegExp) {
  stub.onChat = (_call, response) => {
    beginStream(response)
    for (const frame of frames) sendEvent(response, frame)
  }
  const { result, charge } = await chargeOf(gateway, async () => {
    const stream = await openStream(gateway, question('talks', { max_tokens: 4_000 }))
    await stream.until(({ text }) => until.test(text))
    stream.leave()
    return stream
  })
  const record = await recordOf(gateway, result.requestId)
  expect(recomputeCharge(record)).toBe(charge)
  return { charge, tokens: record.completion_tokens, estimated: record.estimated }
}

test('audio that was not counted is charged by its length', async () => {
  expect(await chargedFor([AUDIO], /"audio"/)).toEqual({
    ...{ charge: 40n * 24_000_000n, tokens: 40 },
    estimated: true,
  })
})

test('an image is charged, also where the prompt alone or a few words were counted before', async () => {
  const image = { charge: 1_290n * 36_000_000n, tokens: 1_290, estimated: true }
  expect(await chargedFor([IMAGE], /"images"/)).toEqual(image)
  const early = usageText({ prompt_tokens: 11, completion_tokens: 0 })
  expect(await chargedFor([early, IMAGE], /"images"/)).toEqual(image)
  const words = [deltaOf({ content: 'Here it is.' }), usageText({ prompt_tokens: 11, completion_tokens: 4 }), IMAGE]
  expect(await chargedFor(words, /"images"/)).toEqual({
    ...{ charge: 4n * 12_000_000n + image.charge, tokens: 1_294 },
    estimated: true,
  })
})

test('what was counted is charged as counted', async () => {
  const counted = usageText({ prompt_tokens: 11, completion_tokens: 1_120 })
  expect(await chargedFor([counted, IMAGE], /"images"/)).toMatchObject({ charge: 1_120n * 12_000_000n, tokens: 1_120 })
})

/** The forms that have no place for an image. */
const FORMS = [
  ['/v1/completions', { model: 'talks', max_tokens: 4_000, prompt: 'Paint a boat.' }],
  ['/v1/responses', { model: 'talks', input: 'Paint a boat.', store: false }],
  ['/v1/messages', { model: 'talks', max_tokens: 4_000, messages: [{ role: 'user', content: 'Paint a boat.' }] }],
] as const

test.each(FORMS)('%s charges nothing for an image that it cannot deliver', async (path, body) => {
  const images = [{ type: 'image_url', image_url: { url: 'data:image/png;base64,AAAA' } }]
  const usage = { prompt_tokens: 11, completion_tokens: 1_290 }
  stub.onChat = ({ json }, response) => {
    if (json?.['stream'] !== true) {
      const message = { role: 'assistant', content: null, images }
      response.writeHead(200, { 'content-type': 'application/json' })
      return void response.end(JSON.stringify({ choices: [{ index: 0, message, finish_reason: 'stop' }], usage }))
    }
    beginStream(response)
    for (const event of [IMAGE, chunkText({}, 'stop'), usageText(usage), '[DONE]']) sendEvent(response, event)
    response.end()
  }
  for (const stream of [false, true]) {
    const { result, charge } = await chargeOf(gateway, async () => {
      const headers = { 'content-type': 'application/json' }
      const answer = await gateway.fetch(path, { method: 'POST', headers, body: JSON.stringify({ ...body, stream }) })
      return [answer.status, await answer.text()]
    })
    expect([result, charge]).toEqual([[502, expect.stringContaining('upstream_empty')], 0n])
  }
})
