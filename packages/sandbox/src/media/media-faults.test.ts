import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { send, startMediaSandbox } from '../../testing/media-client.ts'
import type { Sandbox } from '../sandbox-server.ts'
import { findSandboxModel } from '../sandbox-model.ts'
import { costOfMedia } from './media-cost.ts'
import { mediaFaults, type MediaType } from './media-faults.ts'

let sandbox: Sandbox
beforeAll(async () => {
  sandbox = await startMediaSandbox()
})
afterAll(() => sandbox.close())

const asks: Readonly<Record<MediaType, (model: string) => Promise<Response>>> = {
  image: (model) => send(sandbox, '/images', { model, prompt: 'a dog', size: '64x64', n: 2 }),
  video: (model) => send(sandbox, '/videos', { model, prompt: 'a dog', duration: 1, size: '64x64' }),
  speech: (model) => send(sandbox, '/audio/speech', { model, input: 'Hello there', response_format: 'wav' }),
  transcription: (model) => {
    const form = new FormData()
    form.set('model', model)
    form.set('file', new Blob(['RIFF']), 'a.wav')
    return send(sandbox, '/audio/transcriptions', form)
  },
}

describe.each(Object.keys(asks) as MediaType[])('the scripted models of %s', (type) => {
  const play = (name: string): Promise<Response> => asks[type](`svc-sandbox/${type}-${name}`)

  test('fail as an upstream does', async () => {
    const answers = await Promise.all(['429', '500', 'moderated', 'html-error', 'html-200', 'error-200'].map(play))
    expect(answers.map(({ status }) => status)).toEqual([429, 500, 403, 502, 200, 200])
    expect(answers[0]?.headers.get('retry-after')).toBe('3')
    expect(answers[4]?.headers.get('content-type')).toContain('text/html')
    expect(await answers[5]?.json()).toMatchObject({ error: { code: 502 } })
  })

  test('are known to the catalog with a price, and one of them is beyond every account', () => {
    for (const { name } of mediaFaults.filter((fault) => fault.prices.type === type)) {
      const model = findSandboxModel(`svc-sandbox/${name}`)
      expect(model?.media?.type).toBe(type)
      expect(model?.prices).toBeNull()
    }
    const [dear] = mediaFaults.filter(({ name }) => name === `${type}-402`)
    const amount = {
      image: { renders: 1 },
      video: { seconds: 1 },
      speech: { text: 'a' },
      transcription: { seconds: 1 },
    }[type]
    const more = { inputs: 0, width: 1, height: 1, quality: null, resolution: '720p', hasAudio: false }
    expect(dear === undefined ? null : costOfMedia(dear.prices, { type, ...more, ...amount } as never)).toBe('1000000')
  })
})

test('images that do not come as they should', async () => {
  const bodyOf = async (name: string): Promise<{ data: { b64_json?: string }[]; usage: { cost?: number } }> =>
    (await asks.image(`svc-sandbox/image-${name}`)).json() as never
  expect((await bodyOf('empty')).data).toEqual([])
  expect((await bodyOf('blank')).data).toEqual([{}])
  expect(Buffer.from((await bodyOf('broken')).data[0]?.b64_json ?? '', 'base64').toString()).toBe('no image')
  const one = await bodyOf('one')
  expect([one.data.length, one.usage.cost]).toEqual([1, 0.01])
  expect((await bodyOf('no-cost')).usage).not.toHaveProperty('cost')
  await expect(bodyOf('cut')).rejects.toThrow(/terminated|closed/)
})

test('speech that does not come as it should', async () => {
  const empty = await asks.speech('svc-sandbox/speech-empty')
  expect([empty.status, (await empty.arrayBuffer()).byteLength]).toEqual([200, 0])
  const cut = await asks.speech('svc-sandbox/speech-cut')
  await expect(cut.arrayBuffer()).rejects.toThrow(/terminated|closed/)
})
