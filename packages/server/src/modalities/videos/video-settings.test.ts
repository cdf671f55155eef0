import { type VideoRequest, videoRequest } from '@svc/contract'
import { expect, test } from 'vitest'
import { testOffer, usd } from '../../../testing/video-stage.ts'
import { snapshotPrice, parseSnapshot, formatSnapshot, chargeVideo } from './video-price.ts'
import { framePixels, resolutionOfPixels } from './video-resolution.ts'
import { chooseSettings, defaultSeconds, type VideoOffer } from './video-settings.ts'

const choose = (request: Partial<VideoRequest>, offer: VideoOffer = testOffer) =>
  chooseSettings(videoRequest.parse({ model: 'm', prompt: 'A boat', ...request }), offer, null)

test('what a request leaves out is made explicit', () => {
  expect(choose({})).toMatchObject({ seconds: 5, resolution: '720p', size: '1280x720', hasAudio: true })
  const unknown: VideoOffer = {
    ...testOffer,
    facts: { ...testOffer.facts, durations: [], resolutions: [], aspectRatios: [], frameImages: [] },
    prices: { ...testOffer.prices, defaultResolution: null, defaultAudio: null },
  }
  expect(choose({}, unknown)).toMatchObject({ seconds: 5, resolution: null, size: null, hasAudio: null })
})

test.each([
  [[], 5],
  [[4, 5, 8], 5],
  [[4, 6, 8], 4],
  [[12, 6], 6],
])('of the lengths %j a video has %i seconds when the request names none', (durations, seconds) => {
  expect(defaultSeconds(durations)).toBe(seconds)
})

test.each([
  [{ seconds: '8' }, { seconds: 8 }],
  [{ duration: 8, seconds: '8' }, { seconds: 8 }],
  [{ resolution: '1080P' }, { resolution: '1080p', size: '1920x1080', isSizeAsked: false }],
  [{ size: '1280x720' }, { resolution: '720p', size: '1280x720', isSizeAsked: true }],
  [{ size: '720x1280' }, { resolution: '720p' }],
  [{ size: '1792x1024' }, { resolution: '1080p' }],
  [{ size: '4096x2160' }, { resolution: null }],
  [{ aspect_ratio: '9:16' }, { aspectRatio: '9:16', size: '720x1280' }],
  [{ generate_audio: false }, { hasAudio: false }],
  [{ prompt: '', frame_images: [{ image_url: { url: 'https://a/b.png' } }] }, { prompt: null }],
  [{ input_reference: { image_url: 'data:image/png;base64,AA' } }, { frames: [{ place: 'first_frame' }] }],
] as const)('%j means %j', (request, settings) => {
  expect(choose(request as never)).toMatchObject(settings)
})

// Case B112.
test.each([
  [{ duration: 7 }, 'duration', 'invalid_value'],
  [{ seconds: '12' }, 'seconds', 'invalid_value'],
  [{ duration: 8, seconds: '4' }, 'seconds', 'invalid_value'],
  [{ resolution: '480p' }, 'resolution', 'invalid_value'],
  [{ resolution: '1080p', size: '1280x720' }, 'size', 'invalid_value'],
  [{ size: '1280x720', aspect_ratio: '16:9' }, 'aspect_ratio', 'unsupported_parameter'],
  [{ aspect_ratio: '1:1' }, 'aspect_ratio', 'invalid_value'],
  [{ prompt: '  \n ' }, 'prompt', 'empty_content'],
  [{ prompt: null }, 'prompt', 'empty_content'],
  [{ frame_images: [{ image_url: { url: 'https://a' }, frame_type: 'last_frame' }] }, 'frame_images', 'invalid_value'],
  [{ input_reference: { file_id: 'file-1' } }, 'input_reference.file_id', 'unsupported_parameter'],
  [{ input_reference: { image_url: 'file:///etc' } }, 'input_reference.image_url', 'invalid_value'],
  [{ input_references: [{ type: 'audio_url' }] }, 'input_references.0.audio_url', 'missing_required_parameter'],
] as const)('%j is refused by the name of its field', (request, param, code) => {
  expect(() => choose(request as never)).toThrow(expect.objectContaining({ param, code }))
})

test.each([{ duration: 0 }, { duration: -5 }, { duration: 500 }, { duration: 1e6 }, { seconds: '100' }])(
  'of %j it is said which lengths the model makes',
  (request) => {
    const lengths = testOffer.facts.durations.join(', ')
    expect(() => choose(request)).toThrow(`this model makes videos of ${lengths} seconds.`)
    const open: VideoOffer = { ...testOffer, facts: { ...testOffer.facts, durations: [] } }
    expect(() => choose(request, open)).toThrow('expected whole seconds from 1 to 60.')
  },
)

test.each([2.5, '8', Number.NaN, true])('a duration of %j is no length', (duration) => {
  const parsed = videoRequest.safeParse({ model: 'm', prompt: 'p', duration })
  expect(parsed.error?.issues[0]?.path).toEqual(['duration'])
})

test.each(['', '0', '08', '-4', '4.5', '1e1', ' 4'])('seconds of %j are no length', (seconds) => {
  expect(videoRequest.safeParse({ model: 'm', prompt: 'p', seconds }).success).toBe(false)
})

const price = (resolution: string | null, hasAudio: boolean | null, images = 0) =>
  snapshotPrice(testOffer.prices, { seconds: 8, resolution, hasAudio, images })

test('the price is that of the settings, and the dearest where they do not decide it', () => {
  expect(price('720p', false).perSecond).toBe(usd('0.05'))
  expect(price('720p', true).perSecond).toBe(usd('0.1'))
  expect(price('720p', null).perSecond).toBe(usd('0.1'))
  expect(price('1080p', false).perSecond).toBe(usd('0.5'))
  expect(price(null, null).perSecond).toBe(usd('0.5'))
  expect(price('720p', false, 2)).toMatchObject({ images: 2, perImage: usd('0.01') })
})

test('a noted price comes back as it was, and prices seconds, images and the least of a video', () => {
  const noted = { ...price('720p', false, 2), minimum: usd('0.7') }
  expect(parseSnapshot(formatSnapshot(noted))).toEqual(noted)
  // 8 × 0.05 + 2 × 0.01 = 0.42 USD, less than the minimum.
  expect(chargeVideo(noted, null).charge).toBe(840_000_000_000n)
  expect(chargeVideo({ ...noted, minimum: null }, null)).toMatchObject({ charge: 504_000_000_000n, basis: 'estimate' })
  expect(chargeVideo(noted, usd('0.1'))).toMatchObject({ charge: 120_000_000_000n, basis: 'cost' })
})

test.each([
  ['720p', null, '1280x720'],
  ['1080p', '9:16', '1080x1920'],
  ['480p', '4:3', '640x480'],
  ['4K', null, '3840x2160'],
  ['768', '1:1', '768x768'],
  ['cinema', null, null],
])('%s at %s is %s', (resolution, aspectRatio, pixels) => {
  expect(framePixels(resolution, aspectRatio)).toBe(pixels)
})

test('pixels belong to the smallest listed resolution that covers them', () => {
  expect(resolutionOfPixels('854x480', ['1080p', '720p', '480p'])).toBe('480p')
  expect(resolutionOfPixels('900x500', ['1080p', '720p', '480p'])).toBe('720p')
  expect(resolutionOfPixels('2560x1440', ['768p', '2K'])).toBe('2K')
  expect(resolutionOfPixels('2560x1440', [])).toBeNull()
})
