import type { Exact, ImageModelEntry, ModelEntry, VideoModelEntry } from '@svc/contract'
import { expect, test } from 'vitest'
import { bytesOf, chatRange, imageRange, sumRanges, unitsRange, videoRange } from './price-ranges.ts'

const chatModel = (more: object = {}): Exact<ModelEntry> =>
  ({
    id: 'm',
    context_length: 100_000,
    max_output_tokens: 1_000,
    pricing: { prompt: '0.000001', completion: '0.000002' },
    svc: { credits_per_1m_input: '1000', credits_per_1m_output: '2000' },
    ...more,
  }) as unknown as Exact<ModelEntry>

test('a chat costs its prompt at least, and the longest answer at most', () => {
  const range = chatRange(chatModel(), { bytes: 400, images: 0, maxTokens: null })
  // 100 tokens in and one out; 464 in and 1,000 out.
  expect(range).toEqual({ low: 102_000_000n, high: 2_464_000_000n })
  expect(chatRange(chatModel(), { bytes: 400, images: 0, maxTokens: 10 })?.high).toBe(484_000_000n)
  expect(chatRange(chatModel(), { bytes: 400, images: 0, maxTokens: 9_999 })?.high).toBe(2_464_000_000n)
})

test('a long prompt is reckoned by the dearest tier that it can reach', () => {
  const overrides = [{ min_prompt_tokens: 1_000, prompt: '0.000003', completion: '0.000004' }]
  const model = chatModel({ pricing: { prompt: '0.000001', completion: '0.000002', overrides } })
  expect(chatRange(model, { bytes: 936, images: 0, maxTokens: 1 })?.high).toBe(1_002_000_000n)
  expect(chatRange(model, { bytes: 937, images: 0, maxTokens: 1 })?.high).toBe(3_007_000_000n)
})

test('fractions are rounded up, and a model without prices has no range', () => {
  const cheap = chatModel({ svc: { credits_per_1m_input: '0.0001', credits_per_1m_output: '0.0001' } })
  expect(chatRange(cheap, { bytes: 4, images: 0, maxTokens: null })?.low).toBe(1n)
  const free = chatModel({ svc: { credits_per_1m_input: null, credits_per_1m_output: null } })
  expect(chatRange(free, { bytes: 4, images: 0, maxTokens: null })).toBeNull()
  expect(sumRanges([unitsRange('1', 1), null])).toBeNull()
  expect(sumRanges([unitsRange('1', 1), unitsRange('0.5', 3)])?.high).toBe(2_500_000_000n)
})

const imageModel = (pricing: object[]): Exact<ImageModelEntry> =>
  ({ credits_per_image: '48', pricing }) as unknown as Exact<ImageModelEntry>

test('pictures cost their variant, and those that are given beside', () => {
  const model = imageModel([
    { unit: 'image', credits: '48', resolution: '1K', quality: 'low' },
    { unit: 'image', credits: '72', resolution: '2K', quality: 'low' },
    { unit: 'image', credits: '96', resolution: '2K', quality: 'medium' },
    { unit: 'input_image', credits: '12' },
    { unit: 'input_token', credits: '0.001' },
  ])
  const wish = { count: 2, size: null, quality: null, given: 0, promptBytes: 0 }
  // At least one picture comes, else nothing is charged. Without a size it is the usual one.
  expect(imageRange(model, wish)).toEqual({ low: 48_000_000_000n, high: 96_000_000_000n })
  expect(imageRange(model, { ...wish, size: '2K' })).toEqual({ low: 72_000_000_000n, high: 192_000_000_000n })
  expect(imageRange(model, { ...wish, count: 1, size: '2k', quality: 'medium', given: 1 })).toEqual({
    low: 108_000_000_000n,
    high: 108_000_000_000n,
  })
  // The tokens of the prompt are told by the upstream: between none and its bytes.
  expect(imageRange(model, { ...wish, count: 1, size: '1k', promptBytes: 1_000 })).toEqual({
    low: 48_000_000_000n,
    high: 49_000_000_000n,
  })
  // A size beyond the list costs in proportion to the largest.
  expect(imageRange(model, { ...wish, count: 1, size: '8192x4096', quality: 'medium' }).high).toBe(576_000_000_000n)
  const plain = imageModel([{ unit: 'image', credits: '48' }])
  expect(imageRange(plain, { ...wish, size: '2048x2048' })).toEqual({ low: 144_000_000_000n, high: 288_000_000_000n })
})

const videoModel = (more: object): Exact<VideoModelEntry> =>
  ({ default_resolution: '720p', ...more }) as unknown as Exact<VideoModelEntry>

test('a video costs its seconds in the resolution that is asked for, with sound or without', () => {
  const model = videoModel({
    pricing: [
      { unit: 'second', credits: '60', resolution: '720p', audio: true },
      { unit: 'second', credits: '36', resolution: '720p', audio: false },
      { unit: 'second', credits: '96', resolution: '1080p', audio: true },
    ],
  })
  const wish = { seconds: 4, resolution: null, hasSound: false, inputs: 0 }
  expect(videoRange(model, wish)).toEqual({ low: 144_000_000_000n, high: 144_000_000_000n })
  expect(videoRange(model, { ...wish, resolution: '1080p' })?.high).toBe(384_000_000_000n)
  expect(videoRange(videoModel({ pricing: [] }), wish)).toBeNull()
})

test('a text is as long as its UTF-8 bytes', () => {
  expect(bytesOf('aé€😀')).toBe(10)
})
