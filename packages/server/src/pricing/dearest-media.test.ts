import { expect, test } from 'vitest'
import { dearestMedia } from './dearest-media.ts'
import { likelyImageRate } from './image-rate.ts'
import type { ImagePrices, MediaPrices, VideoPrices } from './media-price.ts'
import { attoUsdOf } from './usd.ts'
import { videoRate } from './video-rate.ts'

const usd = (micro: number) => attoUsdOf(BigInt(micro) * 10n ** 12n)

function images(variants: readonly (readonly [quality: string, size: string, micro: number])[], more: object = {}) {
  const listed = variants.map(([quality, size, micro]) => ({
    ...{ resolution: null, mode: null, quality, size, perImage: usd(micro) },
  }))
  const perImage = usd(Math.min(...variants.map(([, , micro]) => micro)))
  const rest = { perImage, variants: listed, perInputImage: null, perRequest: null, ...more }
  return { type: 'image', ...rest } satisfies ImagePrices
}

const QUALITIES = ['low', 'medium', 'high'] as const
const SIZES = ['1024x1024', '1024x1536'] as const

test('pictures are shown at the dearest of all lists that have the same settings, whichever that is for each', () => {
  const list = (price: (at: number) => number) =>
    images(QUALITIES.flatMap((quality, row) => SIZES.map((size, at) => [quality, size, price(row * 2 + at)] as const)))
  const rising = list((at) => 10 + at * 10)
  const falling = list((at) => 65 - at * 10)
  const shown = dearestMedia([rising, falling])
  if (shown.type !== 'image') throw new Error('these are pictures')
  for (const quality of QUALITIES) {
    for (const size of SIZES) {
      const settings = { quality, size, resolution: null }
      const [left, right] = [likelyImageRate(rising, settings), likelyImageRate(falling, settings)]
      expect(likelyImageRate(shown, settings)).toBe(left > right ? left : right)
    }
  }
  expect(shown.perImage).toBe(usd(15))
})

test('a setting that one list alone knows is shown at what the others would take for it', () => {
  const plain = { ...images([['low', '1024x1024', 50]]), variants: [] }
  const shown = dearestMedia([images([['low', '1024x1024', 10]]), plain])
  expect(shown).toMatchObject({ perImage: usd(50), variants: [{ quality: 'low', perImage: usd(50) }] })
})

test('what is sold beside the renders is the dearest that anybody asks, and nothing where nobody does', () => {
  const one = images([['low', '1024x1024', 1]], { perInputImage: usd(3) })
  const other = images([['low', '1024x1024', 1]], { perInputImage: usd(5), perRequest: usd(2) })
  expect(dearestMedia([one, other])).toMatchObject({
    ...{ perInputImage: usd(5), perRequest: usd(2), perInputToken: null, perInputImageToken: null },
  })
})

test('videos are shown at the dearest of each variant, with the first one’s settings where nobody names any', () => {
  const video = (resolution: string, micro: number, more: object = {}): VideoPrices => ({
    ...{ type: 'video', perSecond: usd(micro), defaultResolution: resolution, defaultAudio: null },
    ...{ variants: [{ resolution, audio: null, perSecond: usd(micro) }], perInputImage: null, minimum: null },
    ...more,
  })
  const shown = dearestMedia([video('720p', 10), video('1080p', 4, { minimum: usd(9) })])
  if (shown.type !== 'video') throw new Error('these are videos')
  expect(shown).toMatchObject({ defaultResolution: '720p', perSecond: usd(10), minimum: usd(9) })
  expect(videoRate(shown, { resolution: '1080p', hasAudio: null })).toBe(usd(10))
})

test.each<readonly [string, readonly [MediaPrices, ...MediaPrices[]], object]>([
  [
    'characters at the dearer',
    [
      { type: 'speech', unit: 'character', perUnit: usd(1) },
      { type: 'speech', unit: 'character', perUnit: usd(2) },
    ],
    { unit: 'character', perUnit: usd(2) },
  ],
  [
    'bytes where one sells so, since a text has no fewer of them',
    [
      { type: 'speech', unit: 'character', perUnit: usd(2) },
      { type: 'speech', unit: 'byte', perUnit: usd(1) },
    ],
    { unit: 'byte', perUnit: usd(2) },
  ],
  [
    'seconds at the dearer',
    [
      { type: 'transcription', perSecond: usd(3) },
      { type: 'transcription', perSecond: usd(1) },
    ],
    { perSecond: usd(3) },
  ],
  ['one list as it is', [{ type: 'transcription', perSecond: usd(3) }], { perSecond: usd(3) }],
])('sound is shown by %s', (_how, lists, shown) => {
  expect(dearestMedia(lists)).toMatchObject(shown)
})
